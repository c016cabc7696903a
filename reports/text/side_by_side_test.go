package text

import (
	"strings"
	"testing"

	"github.com/ibperf/ibperf/internal/golden"
	"github.com/ibperf/ibperf/internal/testresult"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/result"
)

// sideBySide returns the brief text about files.
func sideBySide(t *testing.T, files ...*result.File) string {
	t.Helper()
	var b strings.Builder
	if err := Write(&b, files, Style{}, Brief); err != nil {
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

func TestVariantsAreComparedWithTheirMode(t *testing.T) {
	f := testresult.Variants(t)
	f.NotMeasured = []result.Missing{{Size: 8, Mode: "event", Why: "it never slept"}, {Size: 65536, Mode: "event", Why: "it never slept"}}
	f.Parameters.Precision, f.Limits = 0.03, "the connections differ by 5 %"
	text := sideBySide(t, f)
	golden.Check(t, "variants.golden", []byte(text))
	holds(t, text, "poll+relaxed", "control", "[to data]", "1.00 [1.00-1.00] same", "1.03 [1.03-1.03] faster", "relaxed ordering (no in data",
		"size 8, 64K event: not measured: it never slept", "Intervals of 3 % were asked for: the connections differ by 5 %", " Rounds          : 3\n Runs            : 2\n")
}

// The text below the numbers of event says where the threads were.
func TestPlacementIsBesideEvent(t *testing.T) {
	f := testresult.File(t, "send", option.KindLatency, []int{8}, "poll", "event")
	for i := range f.Rows {
		f.Rows[i].Local.CPUs, f.Rows[i].Peer.CPUs, f.Rows[i].Distances = []int{1}, []int{1}, []string{"same CPU"}
	}
	holds(t, sideBySide(t, f), "\n Threads that slept: event: same CPU (CPU 1).\n")
	var b strings.Builder
	if err := Write(&b, []*result.File{f}, Style{}, Full); err != nil {
		t.Fatal(err)
	}
	holds(t, b.String(), "on CPU  peer on CPU  distance", "1       1            same CPU", "Threads that slept: event: same CPU (CPU 1).")
}

func TestOneRoundHasNoRatio(t *testing.T) {
	f := testresult.File(t, "send", option.KindLatency, []int{8, 64}, "data", "poll")
	for i := range f.Rows {
		f.Rows[i].Rounds = f.Rows[i].Rounds[:1]
	}
	text := sideBySide(t, f)
	if strings.Count(text, "one round gives no interval") != 1 || strings.Contains(text, "to poll") {
		t.Errorf("ratios of one round:\n%s", text)
	}
	for i := range f.Rows {
		f.Rows[i].Rounds = nil
	}
	holds(t, sideBySide(t, f), "one round gives no interval")
}

func TestFewRoundsHaveNoInterval(t *testing.T) {
	f := testresult.File(t, "send", option.KindLatency, []int{8}, "data", "poll")
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
	f := testresult.File(t, "read", option.KindBandwidth, []int{8, 64}, "data", "poll", "event")
	for i := range f.Rows {
		f.Rows[i].NoRatio = "READs are done when the post returns"
	}
	text := sideBySide(t, f)
	holds(t, text, "No ratio of data, poll, event: READs are done when the post returns.")
	if strings.Contains(text, "to poll") || strings.Count(text, "No ratio") != 1 {
		t.Errorf("there are ratios, or too much is said:\n%s", text)
	}
}

func TestModesOfSeparateRunsHavePlainQuotients(t *testing.T) {
	poll := testresult.File(t, "write", option.KindLatency, []int{8}, "poll")
	data := testresult.File(t, "write", option.KindLatency, []int{8}, "data")
	text := sideBySide(t, poll, data)
	holds(t, text, "0.61x", "not interleaved")
	if strings.Contains(text, "0.62 [") {
		t.Errorf("rounds of different runs are paired:\n%s", text)
	}
}

func TestDifferencesNameTheirSizes(t *testing.T) {
	f := testresult.File(t, "send", option.KindBandwidth, []int{8, 64, 512, 4096}, "poll", "event")
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

func TestHeaderHasClockSteps(t *testing.T) {
	f := testresult.File(t, "write", option.KindLatency, []int{8}, "poll")
	f.Local.Clock, f.Local.ClockNs, f.Local.ClockStepNs = "TSC", 13, 10
	holds(t, fullText(t, false, f), " Clock           : TSC, 13 ns a reading, steps of 10 ns, one in each sample\n")
}

// Runs of one mode each become one table only if they did the same work, including checks, offsets and
// connections.
func TestRunsOfOtherWorkStayApart(t *testing.T) {
	one := func(mode option.Mode, change func(*option.Plan)) *result.File {
		f := testresult.File(t, "write", option.KindBandwidth, []int{8}, mode)
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

// Of a mode that does not keep a rate, tables have the answers per second and no percentile, and one warning.
func TestRatesThatAreNotKept(t *testing.T) {
	files := testresult.RateSweep(t)
	for i := range files[2].Rows {
		if r := &files[2].Rows[i]; r.Load.Growing {
			r.Warnings = append(r.Warnings, result.Warning{ID: result.WarnBacklog, Text: "--rate_limit: too many; 250000 messages/s were answered"})
		}
	}
	text := fullText(t, false, files...)
	holds(t, text, "Answers per second: completion modes side by side", "WARNING: rate 1M 1/s: size 64 event: --rate_limit: too many\n")
	holds(t, strings.Join(strings.Fields(text), " "), " 250000 ")
	if kept := sideBySide(t, files[:2]...); strings.Contains(kept, "Answers per second") {
		t.Errorf("all rates were kept, and there is a table of answers:\n%s", kept)
	}
}

// Plots draw the ratios of the tables.
func TestRatiosAreThoseOfTheTables(t *testing.T) {
	for _, kind := range []option.Kind{option.KindLatency, option.KindBandwidth} {
		f := testresult.File(t, "write", kind, []int{2, 64, 4096}, "data", "poll", "event")
		ratios := rows.Groups([]*result.File{f})[0].Ratios()
		if len(ratios) != 6 { // of data and event, three sizes
			t.Errorf("%s: %d ratios", kind, len(ratios))
		}
		text := strings.ReplaceAll(sideBySide(t, f), "\n", " ")
		for row, r := range ratios {
			if r.To != "poll" || row.Mode == "poll" || !strings.Contains(text, " "+r.Text()+" ") {
				t.Errorf("%s, size %d, %s: %q is not in\n%s", kind, row.Size, row.Mode, r.Text(), text)
			}
		}
	}
}

func TestTablesSayHowTheyAreComputedFromRounds(t *testing.T) {
	f := testresult.File(t, "write", option.KindBandwidth, []int{8, 4096, 65536}, "data", "poll", "event")
	const note = "Average bandwidth is the geometric mean over the runs, or over five parts of a single run, of the median of the rounds' averages"
	holds(t, strings.Join(strings.Fields(sideBySide(t, f)), " "), "Average bandwidth: completion modes side by side", note)
	for i := range f.Rows {
		f.Rows[i].Rounds = f.Rows[i].Rounds[:1]
	}
	if text := sideBySide(t, f); strings.Contains(text, "geometric mean") {
		t.Errorf("there is one round, but\n%s", text)
	}
}

func TestValuesOfRoundsThatVaryMuchAreMarked(t *testing.T) {
	f := testresult.File(t, "write", option.KindLatency, []int{8, 64}, "data", "poll")
	if text := sideBySide(t, f); strings.Contains(text, rows.NoteMarks) {
		t.Errorf("nothing is marked:\n%s", text)
	}
	f.Rows[0].Warnings = []result.Warning{{ID: result.WarnTwoLevels, Text: "rounds at two levels: 1 usec (70 %) and 2 usec (30 %)"}}
	f.Rows[3].Warnings = []result.Warning{{ID: result.WarnUnsteady, Text: "unsteady rounds: 8 of 10 are between 1 usec and 3 usec"}}
	text := sideBySide(t, f)
	holds(t, text, rows.NoteMarks, "WARNING: data, rounds at two levels: size 8: 1 usec (70 %) and 2 usec (30 %)\n", "WARNING: poll, unsteady rounds: size 64: 8 of 10")
	if table, _, _ := strings.Cut(text, rows.NoteMarks); strings.Count(table, "0.105= ") != 1 || strings.Count(table, "0.171~\n") != 1 || strings.Count(table, "=")+strings.Count(table, "~") != 2 {
		t.Errorf("other marks, or none, in\n%s", text)
	}
}

func TestTablesOfASweepNameItsPlaces(t *testing.T) {
	text := sideBySide(t, testresult.WithQPs(t, 1), testresult.WithQPs(t, 16), testresult.WithQPs(t, 256))
	holds(t, text, "RDMA_Write BW Test by number of QPs, 3 runs", " QPs  size ", " 256 ")
}

// The values of tables at pause 0 are from the pause sweep's own run.
func TestValueAtPauseZeroIsOfThePauseSweepsRounds(t *testing.T) {
	files, qps, gaps := testresult.LatencySweeps(t, "first")
	for f, ns := range map[*result.File]float64{qps[0]: 111_000, gaps[0]: 222_000} {
		for i := range f.Rows {
			for j := range f.Rows[i].Rounds {
				f.Rows[i].Rounds[j].P50Ns = ns
			}
		}
	}
	text := sideBySide(t, files...)
	for along, values := range map[rows.Axis][2]string{rows.AlongQPs: {"111.0", "222.0"}, rows.AlongGap: {"222.0", "111.0"}} {
		_, own, _ := strings.Cut(text, " by "+along.String())
		own, _, _ = strings.Cut(own, " Latency Test by ") // where the next sweep begins
		if !strings.Contains(own, values[0]) || strings.Contains(own, values[1]) {
			t.Errorf("along the %v, want %s and not %s:%s", along, values[0], values[1], own)
		}
	}
}
