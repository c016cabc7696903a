package harness

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ibperf/ibperf/harness/internal/stats"
	"github.com/ibperf/ibperf/harness/internal/testcase"
	"github.com/ibperf/ibperf/internal/testresult"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// synthetic is one run of a row: what the engine has recorded in it.
type synthetic struct {
	here, there oob.Round
	samples     []int64
	batches     []uint64 // messages of each 0.3 ms
	verify      result.Verify
	counters    map[string]uint64
}

func syntheticRun(rnd *rand.Rand) synthetic {
	s := synthetic{counters: map[string]uint64{"packets": rnd.Uint64N(100)}, verify: result.Verify{Messages: 1 + rnd.Uint64N(9), Torn: rnd.Uint64N(3)}}
	for _, r := range []*oob.Round{&s.here, &s.there} {
		*r = oob.Round{CPUNs: 500e6 + rnd.Int64N(200e6), WallNs: 1e9, Sleeps: rnd.Uint64N(50), Preempted: rnd.Uint64N(5), CPU: rnd.IntN(3), Sent: 100 + rnd.Uint64N(100)}
	}
	s.here.Received, s.there.Received = s.there.Sent-rnd.Uint64N(20), s.here.Sent-rnd.Uint64N(20)
	for range 2000 + rnd.IntN(9000) {
		s.samples = append(s.samples, int64(300*math.Exp(rnd.NormFloat64())))
	}
	for range 20 + rnd.IntN(50) {
		s.batches = append(s.batches, 1+rnd.Uint64N(500))
	}
	return s
}

// rowOf returns the row that the engine makes of runs, the first of which has a number.
func rowOf(kind option.Kind, first int, runs ...synthetic) result.Row {
	c := &testcase.Case{Mode: testcase.Mode{Completion: option.ModePoll}, Size: 64, Factor: 0.5, PingPong: kind == option.KindLatency,
		Lossy: true, Consumed: true, MeasuredAt: "sender", Receivers: testcase.Sides{Server: true}}
	p := option.Plan{Verify: true}
	rb := &rowBuilder{test: c, role: Client}
	for i, s := range runs {
		rb.here.add(s.here)
		rb.there.add(s.there)
		rb.outward.add(s.here.Sent, s.there.Received)
		rb.inward.add(s.there.Sent, s.here.Received)
		rb.counted.add(counterReadings{}, counterReadings{counters: s.counters, busy: 3, total: 4})
		rb.verify[0].Add(s.verify)
		round := result.Round{Run: first + i}
		if kind == option.KindLatency {
			samples := stats.NewSamples()
			for _, ns := range s.samples {
				samples.Record(ns)
			}
			if rb.samples == nil {
				rb.samples = stats.NewSamples()
			}
			rb.samples.Merge(samples)
			round.Messages, round.Seconds, round.P50Ns = samples.N(), 2*samples.Mean()*float64(samples.N())/1e9, samples.Median(0)
		} else {
			rate := stats.NewRate()
			rate.Start(0)
			for i, n := range s.batches {
				rate.Add(n, int64(i+1)*300_000)
			}
			rb.mergeRate(rate)
			b := rate.Bandwidth(64, "sender")
			round.Messages, round.Seconds, round.Average = b.Messages, b.Seconds, b.Average
		}
		rb.rounds = append(rb.rounds, round)
	}
	return rb.build(&p, false, rb.statistics(), oob.Row{})
}

// fileOf returns a file with a row.
func fileOf(t *testing.T, kind option.Kind, runs int, row result.Row) *result.File {
	f := testresult.File(t, "write", kind, []int{64}, option.ModePoll)
	f.Parameters.Runs, f.Parameters.Iterations, f.Parameters.Duration = runs, 0, time.Duration(runs)*time.Second
	f.Rows = []result.Row{row}
	return f
}

// The merged files of single runs are the file of all runs, except for the median of the windows.
func TestMergeIsAsMeasuredAtOnce(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, kind := range []option.Kind{option.KindLatency, option.KindBandwidth} {
		var runs []synthetic
		var files []*result.File
		for i := range 4 {
			runs = append(runs, syntheticRun(rnd))
			files = append(files, fileOf(t, kind, 1, rowOf(kind, 1, runs[i])))
		}
		at := fileOf(t, kind, 4, rowOf(kind, 1, runs...))
		together := merged(t, files...)
		same(t, string(kind), together, at)
		same(t, string(kind)+" in two steps", merged(t, merged(t, files[:3]...), files[3]), at)
		turned := slices.Clone(files)
		slices.Reverse(turned)
		other := merged(t, turned...)
		other.Rows[0].Rounds = together.Rows[0].Rounds // the order of which is that of the files
		for _, c := range []*result.Cost{&other.Rows[0].Local, &other.Rows[0].Peer} {
			slices.Sort(c.CPUs)
		}
		for _, c := range []*result.Cost{&together.Rows[0].Local, &together.Rows[0].Peer} {
			slices.Sort(c.CPUs)
		}
		other.Rows[0].Verify.First, together.Rows[0].Verify.First = "", ""
		same(t, string(kind)+" in another order", other, together)
	}
}

func merged(t *testing.T, files ...*result.File) *result.File {
	t.Helper()
	f, err := Merge(files)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// same compares files: numbers to 9 digits, and the median of windows, which files do not have exactly,
// to 5 %.
func same(t *testing.T, what string, got, want *result.File) {
	t.Helper()
	if !reflect.DeepEqual(got.Parameters, want.Parameters) {
		t.Errorf("%s: parameters %+v, want %+v", what, got.Parameters, want.Parameters)
	}
	var diffs []string
	differ("rows", reflect.ValueOf(got.Rows), reflect.ValueOf(want.Rows), &diffs)
	if len(diffs) > 0 {
		t.Errorf("%s:\n%s", what, strings.Join(diffs, "\n"))
	}
}

// differ adds the differences of two values.
func differ(path string, a, b reflect.Value, diffs *[]string) {
	switch a.Kind() {
	case reflect.Pointer:
		if a.IsNil() || b.IsNil() {
			if a.IsNil() != b.IsNil() {
				*diffs = append(*diffs, path+": one is missing")
			}
			return
		}
		differ(path, a.Elem(), b.Elem(), diffs)
	case reflect.Struct:
		if a.Type() == reflect.TypeFor[time.Time]() {
			return // the rounds are made at different times
		}
		for i := range a.NumField() {
			differ(path+"."+a.Type().Field(i).Name, a.Field(i), b.Field(i), diffs)
		}
	case reflect.Slice:
		if a.Len() != b.Len() {
			*diffs = append(*diffs, fmt.Sprintf("%s: %v, want %v", path, a, b))
			return
		}
		for i := range a.Len() {
			differ(fmt.Sprintf("%s[%d]", path, i), a.Index(i), b.Index(i), diffs)
		}
	case reflect.Float64:
		within := 1e-8
		if strings.HasSuffix(path, "MedianWindow") {
			within = 0.05
		}
		if math.Abs(a.Float()-b.Float()) > within*math.Abs(b.Float()) {
			*diffs = append(*diffs, fmt.Sprintf("%s: %v, want %v", path, a, b))
		}
	default:
		if !reflect.DeepEqual(a.Interface(), b.Interface()) {
			*diffs = append(*diffs, fmt.Sprintf("%s: %v, want %v", path, a, b))
		}
	}
}

// twoRuns returns two files of write latency in two modes.
func twoRuns(t *testing.T) (a, b *result.File) {
	a = testresult.File(t, "write", option.KindLatency, []int{64, 8}, "data", "event")
	b = testresult.File(t, "write", option.KindLatency, []int{64, 8}, "data", "event")
	a.Parameters.Runs, b.Parameters.Runs = 1, 1
	return a, b
}

func TestMergeOfOneFile(t *testing.T) {
	f, _ := twoRuns(t)
	if got := merged(t, f); !reflect.DeepEqual(got, f) {
		t.Error("the file has changed")
	}
}

// A merged row has the distances of all its runs, each once.
func TestMergeOfDistances(t *testing.T) {
	a, b := twoRuns(t)
	a.Rows[0].Distances, b.Rows[0].Distances = []string{"same CPU"}, []string{"same L3", "same CPU"}
	if got := merged(t, a, b).Rows[0].Distances; !slices.Equal(got, []string{"same CPU", "same L3"}) {
		t.Errorf("distances %q", got)
	}
}

// A row that only some runs have measured has the rounds of those, with their numbers.
func TestMergeOfMissingRows(t *testing.T) {
	a, b := twoRuns(t)
	missing := []result.Missing{{Size: 64, Mode: "event", Why: "no sleeps"}, {Size: 2, Mode: "event", Why: "never"}}
	a.NotMeasured = missing
	a.Rows = slices.DeleteFunc(a.Rows, func(r result.Row) bool { return r.Size == 64 && r.Mode == "event" })
	b.Rows = slices.DeleteFunc(b.Rows, func(r result.Row) bool { return r.Size == 8 && r.Mode == "data" })
	got := merged(t, a, b)
	runs := map[string][]int{}
	var order []string
	for _, r := range got.Rows {
		name := fmt.Sprint(r.Size, " ", r.Name())
		order = append(order, name)
		for _, round := range r.Rounds {
			runs[name] = addNew(runs[name], []int{round.Run})
		}
	}
	want := map[string][]int{"64 data": {1, 2}, "64 event": {2}, "8 data": {1}, "8 event": {1, 2}}
	if !maps.EqualFunc(runs, want, slices.Equal) {
		t.Errorf("runs of rows: %v", runs)
	}
	if !slices.Equal(order, []string{"64 data", "64 event", "8 data", "8 event"}) {
		t.Errorf("order %q", order)
	}
	if !slices.Equal(got.NotMeasured, missing[1:]) {
		t.Errorf("not measured: %v", got.NotMeasured)
	}
}

func TestMergeOfHeads(t *testing.T) {
	a, b := twoRuns(t)
	failed := testresult.File(t, "write", option.KindLatency, []int{64, 8})
	failed.Error, failed.Rows = "no memory", nil
	later := a.Finished.Add(time.Hour)
	b.Finished, b.Interrupted = later, true
	b.Warnings = append(b.Warnings, result.Warning{ID: result.WarnInterrupted, Text: "interrupted"})
	got := merged(t, failed, a, b)
	if !got.Finished.Equal(later) || !got.Interrupted || got.Error != "no memory" || len(got.Rows) != 4 || got.Parameters.Runs != 2 {
		t.Errorf("finished %v, interrupted %v, error %q, %d rows of %d runs", got.Finished, got.Interrupted, got.Error, len(got.Rows), got.Parameters.Runs)
	}
	if len(got.Warnings) != 2 || len(a.Warnings) != 1 {
		t.Errorf("warnings %v", got.Warnings)
	}
}

// A row that was interrupted in its first round adds only what its check has found.
func TestMergeOfInterruptedRow(t *testing.T) {
	a, b := twoRuns(t)
	b.Rows[0].Rounds, b.Rows[0].Latency = nil, &result.Latency{N: 3, MeanNs: 7, Factor: 0.5, MeanOnly: true}
	b.Rows[0].Verify = &result.Verify{Messages: 5, Torn: 1}
	got := merged(t, a, b).Rows[0]
	if got.Latency.N != a.Rows[0].Latency.N || got.Latency.MeanOnly || got.Verify == nil || got.Verify.Torn != 1 {
		t.Errorf("merged %+v, %+v", got.Latency, got.Verify)
	}
}

func TestMergeRefuses(t *testing.T) {
	for what, change := range map[string]func(*result.File){
		"other sizes":   func(f *result.File) { f.Parameters.Sizes = []int{64} },
		"other modes":   func(f *result.File) { f.Parameters.Modes = f.Parameters.Modes[:1] },
		"other device":  func(f *result.File) { f.Peer.Device.Name = "other" },
		"other promise": func(f *result.File) { f.Local.Order.Answer = result.OrderNone },
		"other role":    func(f *result.File) { f.Role = "server" },
	} {
		a, b := twoRuns(t)
		change(b)
		if _, err := Merge([]*result.File{a, b}); err == nil {
			t.Errorf("%s: merged", what)
		}
	}
}
