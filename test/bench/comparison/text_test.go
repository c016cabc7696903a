package comparison

import (
	"bytes"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/internal/golden"
	"github.com/ibperf/ibperf/result"
)

func setText(t *testing.T, set Set) string {
	t.Helper()
	var b bytes.Buffer
	if err := set.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestComparisonTableIsAsInGoldenFile(t *testing.T) {
	c := syntheticComparison(5)
	c.Lines = append(c.Lines, Line{Test: "read_lat", Size: 4096, Mode: "poll", Metric: MetricLatency, Goal: 1.05, Class: &Class{Name: "near CPUs", Below: 150},
		Subject: Values{Program: Program{Name: "ibperf"}}, Reference: Values{Program: Program{Name: "memcpy"}}})
	c.Lines[0].Warnings = []result.Warning{{ID: "short-run", Text: "a short run"}}
	c.Lines[2].Warnings = []result.Warning{{ID: "short-run", Text: "a short run"}, {ID: "repeated-run", Text: "a run was repeated"}}
	c.Interrupted, c.Error = true, "context canceled"
	golden.Check(t, "comparison.golden", []byte(setText(t, Set{c})))
}

func TestGoalLooksInTheDirectionOfItsMetric(t *testing.T) {
	for _, c := range []struct {
		metric  string
		subject float64
		want    string
	}{
		{MetricLatency, 104, "<= 1.05x met"}, {MetricLatency, 106, "<= 1.05x missed"},
		{MetricWall, 106, "<= 1.05x missed"}, {MetricMemory, 104, "<= 1.05x met"}, {MetricMean, 104, "<= 1.05x met"},
		{MetricRate, 106, ">= 1.05x met"}, {MetricBandwidth, 104, ">= 1.05x missed"},
	} {
		l := Line{Metric: c.metric, Goal: 1.05}
		l.Add(c.subject, 100)
		if got := l.goalText(); got != c.want {
			t.Errorf("%s at %v: %q, want %q", c.metric, c.subject, got, c.want)
		}
	}
}

func TestGoalWithinTheSpread(t *testing.T) {
	for metric, want := range map[string]string{MetricLatency: "<= 1.00x in spread", MetricRate: ">= 1.00x met"} {
		l := Line{Metric: metric, Goal: 1}
		for _, subject := range []float64{90, 104, 106} {
			l.Add(subject, 100)
		}
		if got := l.goalText(); got != want {
			t.Errorf("%s: %q, want %q", metric, got, want)
		}
	}
}

func TestEqualNotesShareANumber(t *testing.T) {
	text := setText(t, Set{syntheticComparison(5)})
	if strings.Count(text, "the clocks differ") != 1 || strings.Count(text, "[1]\n") != 2 || strings.Count(text, "[2]\n") != 1 {
		t.Errorf("notes are not numbered:\n%s", text)
	}
}

func TestComparisonsOfSeveralMachinesShareATable(t *testing.T) {
	native, guest := syntheticComparison(5), syntheticComparison(3)
	native.Machine.Host, native.Lines[0].Note = "native", "only here"
	text := setText(t, Set{native, guest})
	for want, count := range map[string]int{" machine ": 1, "\n native ": 3, "\n guest ": 3, "[1] only here": 1, "[2] the clocks differ": 1,
		"\nWARNING: guest: the CPU is emulated": 1, "side by side with perftest, ucx_perftest": 1} {
		if got := strings.Count(text, want); got != count {
			t.Errorf("%q is there %d times, want %d, in\n%s", want, got, count, text)
		}
	}
}

func TestComparisonOfNearlyNothing(t *testing.T) {
	empty := syntheticComparison(0)
	none := syntheticComparison(0)
	none.Lines = nil
	for _, c := range []*Comparison{empty, none} {
		text := setText(t, Set{c})
		if strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
			t.Errorf("not a number in\n%s", text)
		}
	}
	if text := setText(t, Set{none}); !strings.Contains(text, "No measurement was finished") {
		t.Errorf("no word of it in\n%s", text)
	}
}

func TestComparisonOfHostileStringsStaysText(t *testing.T) {
	for _, r := range setText(t, Set{hostileComparison("evil\x1b[2J\n\xff\u202e")}) {
		if r < ' ' && r != '\n' || r == 0x202e {
			t.Fatalf("control character %q is printed", r)
		}
	}
}

// hostileComparison has evil in every string that may hold anything.
func hostileComparison(evil string) *Comparison {
	c := syntheticComparison(2)
	c.Command, c.Error = []string{evil}, evil
	c.Machine.Host, c.Machine.Kernel, c.Machine.CPU = evil, evil, evil
	c.Definitions, c.Units = map[string]string{evil: evil}, map[string]string{evil: evil}
	c.Warnings = []result.Warning{{ID: result.WarningID(evil), Text: evil}}
	for i := range c.Lines {
		l := &c.Lines[i]
		l.Test, l.Note, l.Parameters, l.Warnings = evil, evil, map[string]int{evil: 1}, []result.Warning{{ID: result.WarningID(evil), Text: evil}}
		for _, v := range []*Values{&l.Subject, &l.Reference} {
			v.Program, v.Part, v.Device, v.Definition, v.Command = Program{evil, evil}, evil, evil, evil, []string{evil}
		}
	}
	return c
}
