package reports

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/reports/internal/synthetic"
	"github.com/ibperf/ibperf/reports/result"
)

// What follows draws comparisons of all kinds and holds what their verdict says against
// the rows, by computations of its own.

// randomSizes are those that drawn comparisons have some of.
var randomSizes = []int{2, 8, 64, 512, 4096, 65536, 1 << 20}

// template is a file to draw from, made once: histograms take time.
func template(t *testing.T, op, kind string) *result.File {
	return synthetic.File(t, op, kind, randomSizes, "data", "poll", "event")
}

// someSleeps are how often rows of mode event that are drawn sleep for a message.
var someSleeps = []float64{1, 0.95, 0.85, 0.1, 0.05, 0.0003, 0}

// drawn is a comparison with random ratios, noise, rounds and gaps, in which some rows were
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
	if rnd.IntN(6) == 0 {
		f.Role = "server"
	}
	return &f
}

// sumUp gives a row the values that its rounds come to.
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

// checkStandings holds the clauses of a verdict against all pairs of rows.
func (o oracle) checkStandings(t *testing.T, f *findings) {
	t.Helper()
	for _, s := range f.subjects {
		file := fileOf(s.points[0])
		expected := o.expected(file)
		got := map[said][]int{}
		for _, c := range s.clauses {
			how := map[Relation]string{Alike: "alike", Unresolved: "not resolved", Larger: "slower", Smaller: "slower", Disturbed: "disturbed"}[c.relation]
			if s.faster(c) {
				how = "faster"
			}
			for _, l := range c.points {
				switch of := o.fit(file, l.size); {
				case c.base != "":
					got[said{c.mode, c.base, how}] = append(got[said{c.mode, c.base, how}], l.size)
				case c.why == "" && (len(of) != 1 || rowsAt(file, l.size) < 2):
					t.Errorf("%s, %d bytes: nothing but %s may be relied on", s.name, l.size, c.mode)
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
		if r.Size == size {
			n++
		}
	}
	return n
}

func fileOf(l *lineup) *result.File {
	for _, e := range l.rows {
		return e.File
	}
	return nil
}

// checkShort holds that data is faster up to the sizes that the first line names, in all tests
// of a kind, and no further.
func (o oracle) checkShort(t *testing.T, f *findings) {
	t.Helper()
	line := f.shortLine()
	for _, kind := range []string{"latency", "bandwidth"} {
		tests, most := 0, math.MaxInt
		for _, file := range o.files {
			expected := o.expected(file)
			compared := 0
			for what, sizes := range expected {
				if what.mode == "data" && what.base == "poll" {
					compared += len(sizes)
				}
			}
			if !strings.HasPrefix(kind, file.Kind[:1]) || compared == 0 || file.Parameters.Verify {
				continue
			}
			tests++
			upTo := 0
			for _, size := range file.Parameters.Sizes {
				if rowsAt(file, size) > 0 && !slices.Contains(expected[said{"data", "poll", "faster"}], size) {
					break
				} else if rowsAt(file, size) > 0 {
					upTo = size
				}
			}
			most = min(most, upTo)
		}
		want := kind + " up to " + units.Size(most) + " bytes"
		if said := strings.Contains(line, kind); said != (tests > 1 && most > 0) || said && !strings.Contains(line, want) {
			t.Errorf("%q, but %d tests: %s", line, tests, want)
		}
	}
}

// checkCosts holds ranges of busy cores and of event's ratio against all rows.
func (o oracle) checkCosts(t *testing.T, f *findings) {
	t.Helper()
	for _, c := range f.costs {
		kind := c.subjects[0].group.Kind
		for mode, got := range c.busy {
			least, most := math.Inf(1), 0.0
			low, high := math.Inf(1), 0.0 // ratios
			for _, file := range o.files {
				if file.Kind != kind || file.Parameters.Verify || o.worthless(file) {
					continue
				}
				for _, r := range file.Rows {
					for _, busy := range waitingBusy(file, r) {
						if r.Mode == mode && r.NoRatio == "" && !o.hardlySlept(file, r) {
							least, most = min(least, busy), max(most, busy)
						}
					}
				}
				for _, size := range randomSizes {
					a, b := rowAt(file, size, "event"), rowAt(file, size, "poll")
					if r := o.ratioOf(kind, a, b); r.Enough && a.NoRatio+b.NoRatio == "" && !o.hardlySlept(file, a) && !o.disturbed(a, b) {
						low, high = min(low, r.Median), max(high, r.Median)
					}
				}
			}
			if got.least != least || got.most != most {
				t.Errorf("%s %s: busy %v, rows have %v to %v", c.name, mode, got, least, most)
			}
			if n := len(c.events); (n > 0) != (high > 0) || n > 0 && (c.events[0].ratio.least != low || c.events[n-1].ratio.least != high) {
				t.Errorf("%s: event to poll %+v, rows have %v to %v", c.name, c.events, low, high)
			}
		}
	}
}

// waitingBusy is how busy the sides were that wait for messages.
func waitingBusy(f *result.File, r result.Row) []float64 {
	return waitingOf(f, r.Local.Busy, r.Peer.Busy)
}

// waitingOf are those of two numbers, of this side and the peer, that are of sides that wait.
func waitingOf(f *result.File, client, server float64) []float64 {
	if f.Role == "server" {
		client, server = server, client
	}
	switch {
	case f.Op == "read":
		return []float64{client}
	case f.Kind == result.KindLatency:
		return []float64{client, server}
	}
	return []float64{server}
}

func rowAt(f *result.File, size int, mode string) result.Row {
	for _, r := range f.Rows {
		if r.Size == size && r.Mode == mode {
			return r
		}
	}
	return result.Row{}
}

// checkChecks counts what was checked.
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
	for _, op := range []string{"write", "send", "read"} {
		for _, kind := range []string{result.KindLatency, result.KindBandwidth} {
			templates = append(templates, template(t, op, kind))
		}
	}
	read := map[string]int{}
	for i := range 400 {
		var files []*result.File
		for _, from := range templates {
			if len(files) == 0 || rnd.IntN(3) == 0 {
				files = append(files, drawn(rnd, from))
			}
		}
		f, o := find(files), newOracle(files)
		o.checkStandings(t, f)
		o.checkCosts(t, f)
		o.checkShort(t, f)
		o.checkChecks(t, &f.checks)
		for _, s := range f.subjects {
			o.checkText(t, fileOf(s.points[0]), s.sentence(), read)
		}
		printable(t, Judge(files).Text(100), nil)
		if t.Failed() {
			t.Fatalf("comparison %d:\n%s\n%s", i, sideBySide(t, files...), fmt.Sprint(o.broken))
		}
	}
	for _, s := range clauseShapes {
		if read[s.how] < 20 {
			t.Errorf("only %d clauses were like %v", read[s.how], s.shape)
		}
	}
}
