package reports

import (
	"slices"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/internal/testresult"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/reports/verdict"
	"github.com/ibperf/ibperf/result"
)

// A row of mode event without enough wake-ups has no ratio: text, page and verdict say how often it
// slept instead.
func TestEventsThatHardlySleptHaveNoRatio(t *testing.T) {
	often := result.Cost{SleepsPerMessage: 1, Busy: 0.4}
	for _, c := range []struct {
		name        string
		kind        option.Kind
		local, peer result.Cost
		slept       string // "" where it slept often enough
	}{
		{"slept for each message", option.KindLatency, often, often, ""},
		{"slept for nine of ten", option.KindLatency, often, result.Cost{SleepsPerMessage: 0.9, Busy: 1}, ""},
		{"one side hardly slept", option.KindLatency, often, result.Cost{SleepsPerMessage: 0.4, Busy: 0.7}, "0.40 to 1.0 times per message"},
		{"0.0003 sleeps for a message", option.KindBandwidth, result.Cost{}, result.Cost{SleepsPerMessage: 0.0003, Busy: 0.5}, "0.00030 times per message"},
		{"one sleep for the 16 messages of the queue", option.KindBandwidth, result.Cost{}, result.Cost{SleepsPerMessage: 0.0625, Busy: 0.9}, ""},
		{"the core busy as of one that spins", option.KindBandwidth, result.Cost{}, result.Cost{SleepsPerMessage: 0.0625, Busy: 0.96}, "0.062 times per message and kept the core busy for 96 % of the time"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := testresult.Comparison(t, "write", c.kind, []int{4}, map[option.Mode][]float64{"event": {0.65}})
			for i := range f.Rows {
				if r := &f.Rows[i]; r.Mode == "event" {
					r.Local, r.Peer = c.local, c.peer
				}
			}
			judged, text, page := verdict.Judge([]*result.File{f}).Text(0), briefText(t, f), pageOf(t, f)
			ratios := len(rows.Groups([]*result.File{f})[0].Ratios())
			if c.slept == "" {
				if ratios != 1 || !strings.Contains(judged, "0.65 of poll's") || strings.Contains(text, "was not measured") {
					t.Errorf("%d ratios in\n%s", ratios, text)
				}
				return
			}
			for name, text := range map[string]string{"verdict": judged, "text": text, "page": page} {
				if strings.Contains(text, "0.65 [") || strings.Contains(text, "0.65 of") || strings.Contains(text, "[to poll]") {
					t.Errorf("the %s has a ratio:\n%s", name, text)
				}
				holds(t, unwrapped(text), "event slept "+c.slept, "the cost of a wake-up was not measured")
			}
			if ratios != 0 {
				t.Errorf("%d ratios are drawn", ratios)
			}
		})
	}
}

// unwrapped returns a text on one line.
func unwrapped(text string) string { return strings.Join(strings.Fields(text), " ") }

// Verdict and tables name sizes with a disturbed row, and draw no conclusion from them.
func TestDisturbedRowsRecommendNothing(t *testing.T) {
	for _, c := range []struct {
		id        result.WarningID
		disturbed bool
	}{
		{"preempted", true}, {"clock-drift", true}, {"one-direction", true}, {"clocks-apart", true}, {"short-run", true}, {"broken-off", true},
		{"few-samples", false}, {"lost", false},
	} {
		for _, mode := range []option.Mode{option.ModeData, option.ModePoll} {
			t.Run(string(c.id)+" in "+string(mode), func(t *testing.T) {
				var files []*result.File
				for _, op := range []option.Op{option.OpWrite, option.OpSend} {
					f := testresult.Comparison(t, op, option.KindLatency, []int{8, 4096, 65536}, map[option.Mode][]float64{"data": {0.6, 0.7, 0.8}, "event": {20, 30, 10}})
					i := slices.IndexFunc(f.Rows, func(r result.Row) bool { return r.Mode == mode && r.Size == 4096 })
					f.Rows[i].Warnings = []result.Warning{{ID: c.id, Text: "a warning"}}
					files = append(files, f)
				}
				judged, text := unwrapped(verdict.Judge(files).Text(0)), briefText(t, files...)
				if !c.disturbed {
					holds(t, judged, "data for 8-64K bytes, 0.60 to 0.80 of")
					return
				}
				holds(t, judged, "data for 8, 64K bytes, 0.60 to 0.80 of",
					"unclear: disturbed for 4K (1 of 3 sizes)", ": 2 in write latency and send latency; the ratios above leave them out")
				holds(t, text, "] unclear")
				if costs := strings.Contains(judged, "to 30.0 [30.0-30.0] ("); costs != (mode == "data") {
					t.Errorf("the cost of events at 4K bytes is in the verdict: %v\n%s", costs, judged)
				}
			})
		}
	}
}

// Disturbed rows have no relation, and no part in the change point.
func TestDisturbedRowsHaveNoPartInTheChangePoint(t *testing.T) {
	f := testresult.Comparison(t, "write", option.KindBandwidth, []int{2, 8, 64, 512, 4096}, map[option.Mode][]float64{"data": {1, 2, 1, 1, 2}})
	for i := range f.Rows {
		if r := &f.Rows[i]; r.Mode == "data" && (r.Size == 2 || r.Size == 4096) {
			r.Warnings = []result.Warning{{ID: "preempted", Text: "other work took the CPU"}}
		}
	}
	holds(t, unwrapped(verdict.Judge([]*result.File{f}).Text(0)),
		"write bandwidth: data for 8 bytes, 2.00 times poll's rate", "poll for 64, 512, as fast as data", "unclear: disturbed for 2, 4K (2 of 5 sizes)")
}

// Text, page and verdict warn of a rate limit that was not reached.
func TestRateLimitThatWasNotReachedIsWarnedOf(t *testing.T) {
	f := testresult.Comparison(t, "write", option.KindBandwidth, []int{8, 4096, 65536}, map[option.Mode][]float64{"data": {1, 1, 1}})
	const missed = "--rate_limit was not kept: 10000 messages/s were asked for and 8252 messages/s reached"
	f.Rows[0].Warnings = []result.Warning{{ID: "below-rate-limit", Text: missed}}
	holds(t, unwrapped(verdict.Judge([]*result.File{f}).Text(0)), "Some rows of write bandwidth did not reach the rate of --rate_limit; see their warnings.")
	holds(t, fullText(t, f), "WARNING: size 8 data: "+missed)
	holds(t, pageOf(t, f), missed)
}

func TestWarningOfAllRowsIsSaidOnce(t *testing.T) {
	f := testresult.File(t, "write", option.KindLatency, []int{8, 64}, "data", "poll")
	for i := range f.Rows {
		f.Rows[i].Warnings = []result.Warning{{ID: "preempted", Text: "the core was shared"}}
	}
	text := fullText(t, f)
	holds(t, text, "WARNING: all rows: the core was shared\n")
	if page := pageOf(t, f); strings.Count(page, "the core was shared") != 1 {
		t.Errorf("said %d times on the page", strings.Count(page, "the core was shared"))
	}
}
