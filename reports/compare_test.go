package reports

import (
	"strings"
	"testing"

	"github.com/ibperf/ibperf/internal/golden"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/internal/synthetic"
	"github.com/ibperf/ibperf/reports/result"
)

// sideBySide is the short text about files.
func sideBySide(t *testing.T, files ...*result.File) string {
	t.Helper()
	var b strings.Builder
	if err := WriteTables(&b, files, Style{}, SideBySide); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func holds(t *testing.T, text string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// variants is a comparison with all further rows, of two sizes.
func variants(t *testing.T) *result.File {
	t.Helper()
	f := synthetic.File(t, "write", result.KindBandwidth, []int{8, 65536}, "data", "poll", "event")
	f.Parameters.Also, f.Parameters.Runs = []string{"relaxed", "look", "control"}, 2
	for _, r := range f.Rows {
		switch r.Mode {
		case "data":
			for _, variant := range []string{result.VariantLook, result.VariantControl} {
				f.Rows = append(f.Rows, varied(r, variant, 1.03))
			}
		case "poll":
			r.Relaxed = true
			f.Rows = append(f.Rows, varied(r, result.VariantRelaxed, 0.99))
		}
	}
	return f
}

// varied is a row that is so many times as fast in every second round.
func varied(r result.Row, variant string, by float64) result.Row {
	r.Variant = variant
	r.Rounds = append([]result.Round(nil), r.Rounds...)
	for i := range r.Rounds {
		if i%2 == 0 || variant == result.VariantLook {
			r.Rounds[i].Average *= by
		} else {
			r.Rounds[i].Average /= by
		}
	}
	return r
}

func TestVariantsAreComparedWithTheirMode(t *testing.T) {
	f := variants(t)
	f.NotMeasured = []result.Missing{{Size: 8, Mode: "event", Why: "it never slept"}, {Size: 65536, Mode: "event", Why: "it never slept"}}
	f.Parameters.Precision, f.Limits = 0.03, "the connections differ by 5 %"
	text := sideBySide(t, f)
	golden.Check(t, "variants.golden", []byte(text))
	holds(t, text, "poll+relaxed", "data (control)", "[to data]", "no difference", "1.03 [1.03-1.03]", "relaxed ordering (no in data",
		"size 8, 64K event: not measured: it never slept", "Intervals of 3 % were asked for: the connections differ by 5 %", " Rounds          : 20\n Runs            : 2\n")
}

func TestOneRoundHasNoRatio(t *testing.T) {
	f := synthetic.File(t, "send", result.KindLatency, []int{8, 64}, "data", "poll")
	for i := range f.Rows {
		f.Rows[i].Rounds = f.Rows[i].Rounds[:1]
	}
	text := sideBySide(t, f)
	if strings.Count(text, "one round: no interval") != 1 || strings.Contains(text, "to poll") {
		t.Errorf("ratios of one round:\n%s", text)
	}
	for i := range f.Rows {
		f.Rows[i].Rounds = nil
	}
	holds(t, sideBySide(t, f), "one round: no interval")
}

func TestFewRoundsHaveNoInterval(t *testing.T) {
	f := synthetic.File(t, "send", result.KindLatency, []int{8}, "data", "poll")
	for i := range f.Rows {
		f.Rows[i].Rounds = f.Rows[i].Rounds[:3]
	}
	text := sideBySide(t, f)
	holds(t, text, "Ratios without an interval")
	if strings.Contains(text, "0.62 [") {
		t.Errorf("an interval of three rounds:\n%s", text)
	}
}

func TestRowsThatAllowNoRatioSayWhy(t *testing.T) {
	f := synthetic.File(t, "read", result.KindBandwidth, []int{8, 64}, "data", "poll", "event")
	for i := range f.Rows {
		f.Rows[i].NoRatio = "READs are done when the post returns"
	}
	text := sideBySide(t, f)
	holds(t, text, "No ratio of data, poll, event: READs are done when the post returns.")
	if strings.Contains(text, "to poll") || strings.Count(text, "No ratio") != 1 {
		t.Errorf("there are ratios, or too much is said:\n%s", text)
	}
}

// Rounds are paired by their run and place in it, whatever is missing.
func TestRoundsArePairedByRunAndPlace(t *testing.T) {
	a := &result.Row{Rounds: []result.Round{{Run: 1, P50Ns: 10}, {Run: 1, P50Ns: 20}, {Run: 2, P50Ns: 30}}}
	b := &result.Row{Rounds: []result.Round{{Run: 1, P50Ns: 1}, {Run: 2, P50Ns: 3}, {Run: 2, P50Ns: 4}}}
	as, bs, runs := pairs(result.ColumnOf("latency.p50_ns"), a, b)
	if len(as) != 2 || as[0] != 10 || bs[0] != 1 || as[1] != 30 || bs[1] != 3 || runs[1] != 2 {
		t.Errorf("pairs are %v, %v in runs %v", as, bs, runs)
	}
}

func TestModesOfSeparateRunsHavePlainQuotients(t *testing.T) {
	poll := synthetic.File(t, "write", result.KindLatency, []int{8}, "poll")
	data := synthetic.File(t, "write", result.KindLatency, []int{8}, "data")
	text := sideBySide(t, poll, data)
	holds(t, text, "0.61x", "not interleaved")
	if strings.Contains(text, "0.62 [") {
		t.Errorf("rounds of different runs are paired:\n%s", text)
	}
}

func TestDifferencesNameTheirSizes(t *testing.T) {
	f := synthetic.File(t, "send", result.KindBandwidth, []int{8, 64, 512, 4096}, "poll", "event")
	for i := range f.Rows {
		f.Rows[i].Opcode = "SEND"
	}
	if text := sideBySide(t, f); strings.Contains(text, "differ in") {
		t.Errorf("like is not like:\n%s", text)
	}
	for i := range f.Rows {
		if r := &f.Rows[i]; r.Mode == "event" && r.Size != 512 {
			r.Slots = 33
		}
	}
	holds(t, sideBySide(t, f), "The modes differ in: slots (size 8, 64, 4K: 17 in poll, 33 in event).")
}

func TestRatioTextShowsOnWhichSideOfOne(t *testing.T) {
	for _, c := range []struct {
		factor float64
		want   string
	}{{1.003, "1.003 [1.003-1.003] no difference"}, {1.0625, "1.06 [1.06-1.06]"}, {0.05, "0.050 [0.050-0.050]"}, {250, "250 [250-250]"}, {58, "58.0 [58.0-58.0]"}, {1, "1.00 [1.00-1.00] no difference"}} {
		f := synthetic.File(t, "write", result.KindBandwidth, []int{8}, "data", "poll")
		for i, r := range f.Rows[1].Rounds {
			f.Rows[0].Rounds[i].Average = r.Average * c.factor
		}
		e, base := Entry{Row: &f.Rows[0]}, Entry{Row: &f.Rows[1]}
		if got := ratioOf(result.ColumnOf("bandwidth.average_bytes_per_s"), e, base); got.text != c.want {
			t.Errorf("%v is printed as %q, want %q", c.factor, got.text, c.want)
		}
	}
}

func TestClockStepsAreTold(t *testing.T) {
	f := synthetic.File(t, "write", result.KindLatency, []int{8}, "poll")
	f.Local.Clock, f.Local.ClockNs, f.Local.ClockStepNs = "TSC", 13, 10
	holds(t, tables(t, false, f), " Clock           : TSC, 13 ns a reading, steps of 10 ns, one in each sample\n")
}

func TestWarningOfAllRowsIsSaidOnce(t *testing.T) {
	f := synthetic.File(t, "write", result.KindLatency, []int{8, 64}, "data", "poll")
	for i := range f.Rows {
		f.Rows[i].Warnings = []result.Warning{{ID: "preempted", Text: "the core was shared"}}
	}
	text := tables(t, false, f)
	holds(t, text, "WARNING: all rows: the core was shared\n")
	if page := writePage(t, f); strings.Count(page, "the core was shared") != 1 {
		t.Errorf("said %d times on the page", strings.Count(page, "the core was shared"))
	}
}

// Runs of one mode each become one table only if they did the same work: what was checked,
// where messages began and how QPs were connected count too.
func TestRunsOfOtherWorkStayApart(t *testing.T) {
	one := func(mode string, change func(*option.Plan)) *result.File {
		f := synthetic.File(t, "write", result.KindBandwidth, []int{8}, mode)
		f.Parameters.Compare, f.Parameters.Completion = false, option.Mode(mode)
		change(&f.Parameters.Plan)
		return f
	}
	plain := func(*option.Plan) {}
	holds(t, sideBySide(t, one("data", plain), one("poll", plain)), "completion modes side by side", "[to poll]")
	for name, change := range map[string]func(*option.Plan){
		"verify":  func(p *option.Plan) { p.Verify = true },
		"offset":  func(p *option.Plan) { p.Offset = 64 },
		"rdma_cm": func(p *option.Plan) { p.RDMACM = true },
		"tclass":  func(p *option.Plan) { p.TClass = 8 },
	} {
		if text := sideBySide(t, one("data", plain), one("poll", change)); strings.Contains(text, "[to poll]") {
			t.Errorf("%s: there is a ratio:\n%s", name, text)
		}
	}
}
