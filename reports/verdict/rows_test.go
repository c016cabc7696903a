package verdict

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ibperf/ibperf/internal/testresult"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/result"
)

// randomSizes lists the sizes that random comparisons choose from.
var randomSizes = []int{2, 8, 64, 512, 4096, 65536, 1 << 20}

// template returns a file that random comparisons are made from. It is made once, since histograms
// take time.
func template(t *testing.T, op option.Op, kind option.Kind) *result.File {
	return testresult.File(t, op, kind, randomSizes, "data", "poll", "adaptive", "event")
}

// someSleeps lists numbers of sleeps per message for random rows of mode event.
var someSleeps = []float64{1, 0.95, 0.85, 0.1, 0.05, 0.0003, 0}

// drawn returns a comparison with random ratios, noise, rounds and missing rows. Some rows are
// disturbed, and some of mode event hardly slept.
func drawn(rnd *rand.Rand, from *result.File) *result.File {
	f := *from
	f.Rows, f.NotMeasured = nil, nil
	rounds, noise := 1+rnd.IntN(30), math.Pow(10, -3+2.5*rnd.Float64())
	forced, noRatio, gaps, checked := rnd.IntN(8) == 0, rnd.IntN(8) == 0, rnd.IntN(3) == 0, rnd.IntN(4) == 0
	sleepless, noisy := rnd.IntN(3) == 0, rnd.IntN(3) == 0
	f.Parameters.Verify = checked && rnd.IntN(2) == 0
	f.Parameters.Sizes = randomSizes[:1+rnd.IntN(len(randomSizes))]
	for _, r := range from.Rows {
		if !slices.Contains(f.Parameters.Sizes, r.Size) || gaps && rnd.IntN(4) == 0 {
			continue
		}
		level := math.Exp(0.3 * rnd.NormFloat64())
		if rnd.IntN(3) == 0 {
			level = 1
		}
		r.Rounds = nil
		for i := range rounds {
			v := 1000 * level * math.Exp(noise*rnd.NormFloat64())
			r.Rounds = append(r.Rounds, result.Round{Run: 1 + i/10, P50Ns: v, Average: v})
		}
		if gaps && rnd.IntN(4) == 0 {
			r.Rounds = r.Rounds[rnd.IntN(len(r.Rounds)):]
		}
		sumUp(&r)
		r.Forced = forced && r.Mode == "data"
		if noRatio && rnd.IntN(2) == 0 {
			r.NoRatio = "it does not wait"
		}
		if checked {
			r.Verify = &result.Verify{Messages: uint64(rnd.IntN(1000))}
			if rnd.IntN(10) == 0 {
				r.Verify.Torn = uint64(rnd.IntN(3))
			}
		}
		r.Local.Busy, r.Peer.Busy = rnd.Float64(), rnd.Float64()
		if sleepless && r.Mode == "event" && rnd.IntN(2) == 0 {
			r.Local.SleepsPerMessage, r.Peer.SleepsPerMessage = someSleeps[rnd.IntN(len(someSleeps))], someSleeps[rnd.IntN(len(someSleeps))]
		}
		r.Warnings = []result.Warning{{ID: harmless[rnd.IntN(len(harmless))]}}
		if noisy && rnd.IntN(4) == 0 {
			r.Warnings = append(r.Warnings, result.Warning{ID: disturbing[rnd.IntN(len(disturbing))]})
		}
		f.Rows = append(f.Rows, r)
	}
	if rnd.IntN(2) == 0 {
		testresult.Controlled(&f, slices.Repeat([]float64{1, 1.02, 0.9}, len(f.Rows))...)
	}
	if rnd.IntN(6) == 0 {
		f.Role = "server"
	}
	return &f
}

// sumUp sets the values of a row from its rounds.
func sumUp(r *result.Row) {
	var medians []float64
	perByte := 0.0 // seconds that the rounds took, each of the same number of bytes
	for _, round := range r.Rounds {
		medians = append(medians, round.P50Ns)
		perByte += 1 / round.Average
	}
	slices.Sort(medians)
	switch {
	case r.Latency != nil:
		l := *r.Latency
		l.P50Ns = medians[len(medians)/2]
		r.Latency = &l
	case r.Bandwidth != nil:
		b := *r.Bandwidth
		b.Average = float64(len(medians)) / perByte
		r.Bandwidth = &b
	}
}

// checkStandings compares the conclusions of a verdict with all pairs of rows.
func (o oracle) checkStandings(t *testing.T, f *findings) {
	t.Helper()
	for _, s := range f.sweeps {
		file := fileOf(s.points[0])
		expected := o.expected(file)
		got := map[said][]int{}
		for _, c := range s.conclusions {
			how := c.relation.String()
			switch {
			case c.disturbed:
				how = "disturbed"
			case c.saves:
				how = "saves"
			}
			for _, p := range c.points {
				switch fits := o.fit(file, p.Size); {
				case c.base != "":
					got[said{c.mode, c.base, how}] = append(got[said{c.mode, c.base, how}], p.Size)
				case c.why == "" && (len(fits) != 1 || rowsAt(file, p.Size) < 2):
					t.Errorf("%s, %d bytes: nothing but %s may be relied on", s.name, p.Size, c.mode)
				}
			}
		}
		if !maps.EqualFunc(got, expected, slices.Equal) {
			t.Errorf("%s: %v is said, %v is so", s.name, got, expected)
		}
	}
}

// rowsAt counts the rows of a size.
func rowsAt(f *result.File, size int) (n int) {
	for _, r := range f.Rows {
		if r.Size == size && r.Variant == "" {
			n++
		}
	}
	return n
}

func fileOf(p *rows.Point) *result.File {
	for _, e := range p.Rows {
		return e.File
	}
	return nil
}

// checkActions checks that data is faster in a test of the operation at the size up to which it is advised, and at no
// smaller size slower in another.
func (o oracle) checkActions(t *testing.T, f *findings) {
	t.Helper()
	for _, a := range f.actions() {
		if a.Mode != option.ModeData {
			continue
		}
		faster := false
		for _, file := range o.files {
			if file.Op != a.Op || file.Parameters.Verify || o.untrusted(file) {
				continue
			}
			upTo := cmp.Or(a.UpTo, slices.Max(file.Parameters.Sizes))
			expected := o.expected(file)
			faster = faster || slices.ContainsFunc(expected[said{"data", "poll", "faster"}], func(size int) bool { return size >= upTo || a.UpTo == 0 })
			if slower := expected[said{"data", "poll", "slower"}]; slices.ContainsFunc(slower, func(size int) bool { return size <= upTo }) {
				t.Errorf("%s %s up to %d bytes: data is slower for %v", a.Op, file.Kind, a.UpTo, slower)
			}
		}
		if !faster {
			t.Errorf("%s up to %d bytes: data is not faster there", a.Op, a.UpTo)
		}
	}
}

// checkCosts compares the ranges of busy cores and of the ratios of modes that sleep with all rows.
func (o oracle) checkCosts(t *testing.T, f *findings) {
	t.Helper()
	for _, c := range f.costs {
		kind := c.sweeps[0].group.Kind
		for mode, got := range c.busy {
			least, most := math.Inf(1), 0.0
			low, high := math.Inf(1), 0.0 // ratios to poll
			for _, file := range o.files {
				if file.Kind != kind || file.Parameters.Verify || o.untrusted(file) {
					continue
				}
				for _, r := range file.Rows {
					for _, busy := range waitingBusy(file, r) {
						if r.Mode == mode && r.Variant == "" && r.NoRatio == "" && !o.hardlySlept(file, r) {
							least, most = min(least, busy), max(most, busy)
						}
					}
				}
				for _, size := range randomSizes {
					a, b := rowAt(file, size, mode), rowAt(file, size, "poll")
					if r := o.ratioOf(file, a, b); sleeps(mode) && r.Enough && a.NoRatio+b.NoRatio == "" && !o.hardlySlept(file, a) && !o.disturbed(a, b) {
						low, high = min(low, r.Value), max(high, r.Value)
					}
				}
			}
			if got.Min != least || got.Max != most {
				t.Errorf("%s %s: busy %v, rows have %v to %v", c.name, mode, got, least, most)
			}
			all := c.ratios[mode]
			if n := len(all); (n > 0) != (high > 0) || n > 0 && (all[0].min != low || all[n-1].min != high) {
				t.Errorf("%s: %s to poll %+v, rows have %v to %v", c.name, mode, all, low, high)
			}
		}
	}
}

// waitingBusy returns how busy the sides that wait for messages were.
func waitingBusy(f *result.File, r result.Row) []float64 {
	return waitingOf(f, r.Local.Busy, r.Peer.Busy)
}

// waitingOf returns those of the two sides' numbers that are from sides that wait.
func waitingOf(f *result.File, client, server float64) []float64 {
	if f.Role == "server" {
		client, server = server, client
	}
	switch {
	case f.Op == "read":
		return []float64{client}
	case f.Kind == option.KindLatency:
		return []float64{client, server}
	}
	return []float64{server}
}

func rowAt(f *result.File, size int, mode option.Mode) result.Row {
	for _, r := range f.Rows {
		if r.Size == size && r.Mode == mode && r.Variant == "" {
			return r
		}
	}
	return result.Row{}
}

// checkChecks compares the counts of checked messages with the rows.
func (o oracle) checkChecks(t *testing.T, c *checks) {
	t.Helper()
	var data, forced, other, torn uint64
	for _, f := range o.files {
		for _, r := range f.Rows {
			if r.Verify == nil {
				continue
			}
			torn += r.Verify.Torn
			switch {
			case r.Mode != "data":
				other += r.Verify.Messages
			case r.Forced:
				forced += r.Verify.Messages
			default:
				data += r.Verify.Messages
			}
		}
	}
	if c.data.Messages != data || c.forced.Messages != forced || c.other.Messages != other || c.bad() != (torn > 0) {
		t.Errorf("checked %d, %d, %d, bad %v; rows have %d, %d, %d, torn %d",
			c.data.Messages, c.forced.Messages, c.other.Messages, c.bad(), data, forced, other, torn)
	}
}

func TestNoSentenceContradictsARow(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 11))
	var templates []*result.File
	for _, op := range []option.Op{option.OpWrite, option.OpSend, option.OpRead} {
		for _, kind := range []option.Kind{option.KindLatency, option.KindBandwidth} {
			templates = append(templates, template(t, op, kind))
		}
	}
	read := map[string]int{}
	for i := range 700 {
		var files []*result.File
		for _, from := range templates {
			if len(files) == 0 || rnd.IntN(3) == 0 {
				files = append(files, drawn(rnd, from))
			}
		}
		f, o := find(files), newOracle(files)
		o.checkStandings(t, f)
		o.checkCosts(t, f)
		o.checkActions(t, f)
		o.checkChecks(t, &f.checks)
		for _, s := range f.sweeps {
			o.checkText(t, fileOf(s.points[0]), s.sentence(), read)
		}
		plainNumbers(t, Judge(files).Text(100), nil)
		if t.Failed() {
			t.Fatalf("comparison %d:\n%s\n%s", i, Judge(files).Text(100), fmt.Sprint(o.broken))
		}
	}
	for _, s := range clauseShapes {
		if read[s.how] < 20 {
			t.Errorf("only %d clauses were like %v", read[s.how], s.shape)
		}
	}
}
