package diff

import (
	"math"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/internal/testresult"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/result"
)

// comparisonOf returns a comparison in modes data and poll, in which the figures of row "data" at 8 bytes are multiplied by a factor.
func comparisonOf(t *testing.T, kind option.Kind, factor float64) *result.File {
	t.Helper()
	f := testresult.Comparison(t, option.OpWrite, kind, []int{8, 4096}, map[option.Mode][]float64{option.ModeData: {0.5, 0.8}})
	for i := range f.Rows {
		if r := &f.Rows[i]; r.Mode == option.ModeData && r.Size == 8 {
			for j := range r.Rounds {
				r.Rounds[j].P50Ns *= factor
				r.Rounds[j].Average *= factor
			}
		}
	}
	return f
}

func setOf(name string, files ...*result.File) Set { return Set{Name: name, Files: files} }

func find(t *testing.T, d *Diff, size int, name string) *Pair {
	t.Helper()
	for _, p := range d.Pairs {
		if p.A.Size == size && p.A.Name() == name {
			return p
		}
	}
	t.Fatalf("no row of %d bytes in mode %s", size, name)
	return nil
}

// A row whose latency is higher, or whose bandwidth is lower, is slower; from the threshold on it is a regression.
func TestSlowerRows(t *testing.T) {
	for _, c := range []struct {
		kind      option.Kind
		factor    float64
		threshold float64
		want      rows.Relation
		found     int
	}{
		{option.KindLatency, 1, 0.05, rows.Same, 0},
		{option.KindLatency, 1.2, 0.05, rows.Slower, 1},
		{option.KindLatency, 1.2, 0.25, rows.Slower, 0},
		{option.KindLatency, 0.8, 0.05, rows.Faster, 0},
		{option.KindBandwidth, 0.8, 0.15, rows.Slower, 1},
		{option.KindBandwidth, 0.8, 0.25, rows.Slower, 0},
		{option.KindBandwidth, 1.2, 0.05, rows.Faster, 0},
	} {
		d, err := Of(setOf("a", comparisonOf(t, c.kind, 1)), setOf("b", comparisonOf(t, c.kind, c.factor)), c.threshold)
		if err != nil {
			t.Fatal(err)
		}
		p := find(t, d, 8, "data")
		if p.Relation != c.want || len(d.Regressions()) != c.found || math.Abs(p.Ratio.Value/c.factor-1) > 1e-9 {
			t.Errorf("%s times %g: %s, %d regressions, ratio %g; want %s, %d", c.kind, c.factor, p.Relation, len(d.Regressions()), p.Ratio.Value, c.want, c.found)
		}
		if other := find(t, d, 4096, "data"); other.Relation != rows.Same || other.Regression {
			t.Errorf("%s times %g: the other row is %s", c.kind, c.factor, other.Relation)
		}
		if least := p.Detectable(); least < 0 || least > 0.1 {
			t.Errorf("%s: a slowdown of %g could have been found", c.kind, least)
		}
	}
}

// A warning that makes a row doubtful makes its relation unclear, and no regression.
func TestDisturbedRowsAreUnclear(t *testing.T) {
	d, err := Of(setOf("a", comparisonOf(t, option.KindLatency, 1)), disturbed(setOf("b", comparisonOf(t, option.KindLatency, 1.5))), 0.05)
	if err != nil {
		t.Fatal(err)
	}
	if p := find(t, d, 8, "data"); p.Relation != rows.Unclear || !p.Disturbed || len(d.Regressions()) != 0 {
		t.Errorf("%+v", p)
	}
}

// notKept makes a row one of a rate that its mode does not keep, with the answers per second of its rounds.
func notKept(r *result.Row, answers float64) {
	r.Load, r.NoRatio = &result.Load{Offered: 1e9, Growing: true}, "the rate is too high"
	r.Latency = &result.Latency{N: 1000, MeanNs: 1e6, Rate: answers, Factor: 1, MeanOnly: true}
	for j := range r.Rounds {
		r.Rounds[j].P50Ns, r.Rounds[j].Messages, r.Rounds[j].Seconds = 0, uint64(answers*(1+0.001*float64(j%3))), 1
	}
}

// disturbed adds a warning to all rows of a set that makes them doubtful.
func disturbed(s Set) Set {
	for _, f := range s.Files {
		for i := range f.Rows {
			f.Rows[i].Warnings = append(f.Rows[i].Warnings, result.Warning{ID: result.WarnPreempted, Text: "preempted"})
		}
	}
	return s
}

// A rate that only A keeps is a regression, and one that only B keeps is none. At a rate that neither keeps, the answers are compared.
func TestRatesThatAreNotKept(t *testing.T) {
	at := func(data, poll float64) Set {
		f := comparisonOf(t, option.KindLatency, 1)
		f.Parameters.RateLimit, f.Parameters.RateUnits = 1e9, option.RateMessages
		for i := range f.Rows {
			if r := &f.Rows[i]; r.Size == 8 {
				if answers := map[option.Mode]float64{option.ModeData: data, option.ModePoll: poll}[r.Mode]; answers > 0 {
					notKept(r, answers)
				} else {
					r.Load = &result.Load{Offered: 1e9}
				}
			}
		}
		return setOf("at rates", f)
	}
	for _, c := range []struct {
		a, b       Set
		want       rows.Relation
		regression bool
		text       string
	}{
		{at(0, 0), disturbed(at(1e6, 0)), rows.Unclear, false, "unclear, disturbed: only A keeps the rate"},
		{at(0, 0), at(1e6, 0), rows.Slower, true, "REGRESSION: ib_write_lat, 8 bytes, data: B does not keep the rate, and A does."},
		{at(1e6, 0), at(0, 0), rows.Faster, false, "faster: only B keeps the rate"},
		{at(1e6, 2e6), at(0.8e6, 2e6), rows.Slower, true, "Answers per second [1/s]: "},
		{at(1e6, 2e6), at(1e6, 2e6), rows.Same, false, "No row is a regression"},
	} {
		d, err := Of(c.a, c.b, 0.05)
		if err != nil {
			t.Fatal(err)
		}
		if p := find(t, d, 8, "data"); p.Relation != c.want || p.Regression != c.regression {
			t.Errorf("%s, regression %v, want %s, %v: %+v", p.Relation, p.Regression, c.want, c.regression, p)
		}
		if text := written(t, d, c.a, c.b); !strings.Contains(text, c.text) {
			t.Errorf("no %q in\n%s", c.text, text)
		}
	}
}

// Tests with different options are refused, and the error names the options.
func TestDifferentOptionsAreRefused(t *testing.T) {
	a, b := comparisonOf(t, option.KindBandwidth, 1), comparisonOf(t, option.KindBandwidth, 1)
	b.Parameters.QPs, b.Parameters.Transport = 4, option.UC
	_, err := Of(setOf("old", a), setOf("new", b), 0.05)
	if err == nil {
		t.Fatal("compared")
	}
	for _, want := range []string{"old and new cannot be compared", "ib_write_bw", "--qp 1 and --qp 4", "--connection RC and --connection UC"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v: want %q in it", err, want)
		}
	}
	if _, err := Of(setOf("old", a, a), setOf("new", a), 0.05); err == nil || !strings.Contains(err.Error(), "two results of ib_write_bw") {
		t.Errorf("the same test twice: %v", err)
	}
	other := comparisonOf(t, option.KindBandwidth, 1)
	other.Parameters.QPs = 4
	for _, sets := range [][2]Set{{setOf("old", a, other), setOf("new", a)}, {setOf("old", a), setOf("new", a, other)}} {
		if d, err := Of(sets[0], sets[1], 0.05); err != nil || len(d.OnlyA)+len(d.OnlyB) != 4 {
			t.Errorf("a test that only one set has: %v", err)
		}
	}
	limited := comparisonOf(t, option.KindLatency, 1)
	limited.Parameters.RateLimit, limited.Parameters.RateUnits = 5000, option.RateMessages
	if _, err := Of(setOf("old", limited), setOf("new", comparisonOf(t, option.KindLatency, 1)), 0.05); err == nil || !strings.Contains(err.Error(), "--rate_limit 5000 and no --rate_limit") {
		t.Errorf("a rate in one set: %v", err)
	}
	c, one := testresult.Devices(comparisonOf(t, option.KindBandwidth, 1)), comparisonOf(t, option.KindBandwidth, 1)
	if _, err := Of(setOf("old", c), setOf("new", one), 0.05); err == nil || !strings.Contains(err.Error(), "--ib-dev with 2 and 1 devices") {
		t.Errorf("two devices and one: %v", err)
	}
	latency := comparisonOf(t, option.KindLatency, 1)
	if _, err := Of(setOf("old", a), setOf("new", latency), 0.05); err == nil || !strings.Contains(err.Error(), "no row in common") {
		t.Errorf("another test: %v", err)
	}
}

// Rows and tests that only one set has are named.
func TestRowsOfOneSet(t *testing.T) {
	a, b := comparisonOf(t, option.KindLatency, 1), comparisonOf(t, option.KindLatency, 1)
	a.Rows = a.Rows[1:]
	bw := comparisonOf(t, option.KindBandwidth, 1)
	d, err := Of(setOf("a", a), setOf("b", b, bw), 0.05)
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Pairs) != 3 || len(d.OnlyA) != 0 || len(d.OnlyB) != 5 {
		t.Fatalf("%d pairs, only in a %q, only in b %q", len(d.Pairs), d.OnlyA, d.OnlyB)
	}
	text := written(t, d, setOf("a", a), setOf("b", b, bw))
	if !strings.Contains(text, "Only in B, and not compared: ") || !strings.Contains(text, "ib_write_bw, 8 bytes, data") {
		t.Error(text)
	}
}

// Rows of a single round have no interval, and the text says how to get one.
func TestRowsWithoutAnInterval(t *testing.T) {
	a := comparisonOf(t, option.KindLatency, 1)
	for i := range a.Rows {
		a.Rows[i].Rounds = a.Rows[i].Rounds[:1]
	}
	d, err := Of(setOf("a", a), setOf("b", comparisonOf(t, option.KindLatency, 3)), 0.05)
	if err != nil {
		t.Fatal(err)
	}
	text := written(t, d, setOf("a", a), setOf("b", a))
	if p := find(t, d, 8, "data"); p.Relation != rows.Unclear || p.Regression || !strings.Contains(text, "No slowdown could have been found") {
		t.Errorf("%+v\n%s", p, text)
	}
}

func written(t *testing.T, d *Diff, a, b Set) string {
	t.Helper()
	var text strings.Builder
	if err := d.Write(&text, a, b); err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(text.String(), "\n") {
		if len(line) > 140 && !strings.Contains(line, "could") && !strings.Contains(line, "Only in") && !strings.Contains(line, "REGRESSION") {
			t.Errorf("a line of %d bytes: %s", len(line), line)
		}
	}
	return text.String()
}

// The text has a line for each regression with its figures.
func TestText(t *testing.T) {
	a, b := comparisonOf(t, option.KindLatency, 1), comparisonOf(t, option.KindLatency, 1.2)
	d, err := Of(setOf("a", a), setOf("b", b), 0.05)
	if err != nil {
		t.Fatal(err)
	}
	text := written(t, d, setOf("old/out", a), setOf("new/out", b))
	for _, want := range []string{
		" A: old/out\n", " B: new/out\n", "RDMA_Write Latency Test: median latency", "B/A", "slower",
		"4 rows: in B 1 are slower, 0 faster, 3 the same, 0 unclear.",
		"REGRESSION: ib_write_lat, 8 bytes, data: B is 20.0 % slower. Median latency [usec]: 0.600 instead of 0.500, B/A 1.20 [",
		"the threshold is 5.0 %",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("want %q in\n%s", want, text)
		}
	}
}
