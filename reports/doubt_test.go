package reports

import (
	"slices"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/reports/result"
)

// A row of mode event in which waking up was no part of the work is shown, and has no ratio:
// the text says how often it slept instead.
func TestEventsThatHardlySleptHaveNoRatio(t *testing.T) {
	often := result.Cost{SleepsPerMessage: 1, Busy: 0.4}
	for _, c := range []struct {
		name        string
		kind        string
		local, peer result.Cost
		slept       string // "" where it slept often enough
	}{
		{"slept for each message", result.KindLatency, often, often, ""},
		{"slept for nine of ten", result.KindLatency, often, result.Cost{SleepsPerMessage: 0.9, Busy: 1}, ""},
		{"one side hardly slept", result.KindLatency, often, result.Cost{SleepsPerMessage: 0.4, Busy: 0.7}, "0.40 to 1.0 times per message"},
		{"0.0003 sleeps for a message", result.KindBandwidth, result.Cost{}, result.Cost{SleepsPerMessage: 0.0003, Busy: 0.5}, "0.00030 times per message"},
		{"one sleep for the 16 messages of the queue", result.KindBandwidth, result.Cost{}, result.Cost{SleepsPerMessage: 0.0625, Busy: 0.9}, ""},
		{"the core busy as of one that spins", result.KindBandwidth, result.Cost{}, result.Cost{SleepsPerMessage: 0.0625, Busy: 0.96}, "0.062 times per message and kept the core busy for 96 % of the time"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := turns(t, "write", c.kind, []int{4}, map[string][]float64{"event": {0.65}})
			for i := range f.Rows {
				if r := &f.Rows[i]; r.Mode == "event" {
					r.Local, r.Peer = c.local, c.peer
				}
			}
			verdict, text, page := Judge([]*result.File{f}).Text(0), sideBySide(t, f), writePage(t, f)
			ratios := len(Groups([]*result.File{f})[0].Ratios())
			if c.slept == "" {
				if ratios != 1 || !strings.Contains(verdict, "0.65 of poll's") || strings.Contains(text, "was not measured") {
					t.Errorf("%d ratios in\n%s", ratios, text)
				}
				return
			}
			for name, text := range map[string]string{"verdict": verdict, "text": text, "page": page} {
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

// unwrapped is a text without its line ends.
func unwrapped(text string) string { return strings.Join(strings.Fields(text), " ") }

// A size at which a row was disturbed is named as such. It is not among those that a mode is
// recommended for, in no sentence, table or plot.
func TestDisturbedRowsRecommendNothing(t *testing.T) {
	for _, c := range []struct {
		id        string
		disturbed bool
	}{
		{"preempted", true}, {"clock-drift", true}, {"one-direction", true}, {"clocks-apart", true}, {"short-run", true}, {"broken-off", true},
		{"few-samples", false}, {"lost", false},
	} {
		for _, mode := range []string{"data", "poll"} {
			t.Run(c.id+" in "+mode, func(t *testing.T) {
				var files []*result.File
				for _, op := range []string{"write", "send"} {
					f := turns(t, op, result.KindLatency, threeSizes, map[string][]float64{"data": {0.6, 0.7, 0.8}, "event": {20, 30, 10}})
					i := slices.IndexFunc(f.Rows, func(r result.Row) bool { return r.Mode == mode && r.Size == 4096 })
					f.Rows[i].Warnings = []result.Warning{{ID: c.id, Text: "a warning"}}
					files = append(files, f)
				}
				verdict, text := unwrapped(Judge(files).Text(0)), sideBySide(t, files...)
				if !c.disturbed {
					holds(t, verdict, "in write and send latency up to 64K bytes", "data for 8-64K bytes, 0.60 to 0.80 of")
					return
				}
				holds(t, verdict, "in write and send latency up to 8 bytes", "data for 8, 64K bytes, 0.60 to 0.80 of",
					"not resolved: disturbed for 4K (1 of 3 sizes)", ": 2 of write latency and send latency; no ratio here is of them")
				holds(t, text, "] disturbed")
				if told := strings.Contains(verdict, "to 30.0 [29.4-30.6] ("); told != (mode == "data") {
					t.Errorf("the cost of events at 4K bytes is told: %v, in\n%s", told, verdict)
				}
			})
		}
	}
}

// Neither alike nor apart is said of disturbed rows, and neighbours are not judged by them.
func TestDisturbedRowsAreNoNeighbours(t *testing.T) {
	f := turns(t, "write", result.KindBandwidth, []int{2, 8, 64, 512, 4096}, map[string][]float64{"data": {1, 2, 1, 1, 2}})
	for i := range f.Rows {
		if r := &f.Rows[i]; r.Mode == "data" && (r.Size == 2 || r.Size == 4096) {
			r.Warnings = []result.Warning{{ID: "preempted", Text: "other work took the CPU"}}
		}
	}
	holds(t, unwrapped(Judge([]*result.File{f}).Text(0)),
		"write bandwidth: data for 8 bytes, 2.00 times poll's rate", "poll for 64, 512, as fast as data", "not resolved: disturbed for 2, 4K (2 of 5 sizes)")
}

// A rate limit that was not reached is told beside the numbers, on the page and in the verdict.
func TestRateLimitThatWasNotReachedIsTold(t *testing.T) {
	f := turns(t, "write", result.KindBandwidth, threeSizes, map[string][]float64{"data": {1, 1, 1}})
	const missed = "--rate_limit was not kept: 10000 messages/s were asked for and 8252 messages/s reached"
	f.Rows[0].Warnings = []result.Warning{{ID: "below-rate-limit", Text: missed}}
	holds(t, unwrapped(Judge([]*result.File{f}).Text(0)), "The rate that --rate_limit asks for was not reached in some rows of write bandwidth: see there.")
	holds(t, tables(t, false, f), "WARNING: size 8 data: "+missed)
	holds(t, writePage(t, f), missed)
}
