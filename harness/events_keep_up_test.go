package harness

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// eventShare is the least bandwidth of event mode, as a part of poll's. A loop that sleeps whole
// slices (eventSlice) although nothing is outstanding would be slower by orders of magnitude.
const eventShare = 0.25

func TestEventsKeepUpWithPolls(t *testing.T) {
	for _, op := range []option.Op{option.OpWrite, option.OpSend} { // READs of the embedded device never sleep
		for _, c := range []struct{ qps, size int }{{1, 65536}, {8, 65536}, {64, 65536}, {512, 65536}, {8, 4096}} {
			t.Run(fmt.Sprintf("%s_%d_QPs_%d_bytes", op, c.qps, c.size), func(t *testing.T) {
				if raceDetector && c.qps > 64 {
					t.Skip("512 QPs take too long under the race detector")
				}
				p := testPlan(op, option.KindBandwidth, c.size, 0)
				p.Compare, p.Completion, p.QPs, p.Rounds, p.Duration = true, option.ModeAuto, c.qps, 6, 60*time.Millisecond
				eventually(t, func() error { return eventsKeepUp(t, p) })
			})
		}
	}
}

func eventsKeepUp(t *testing.T, p option.Plan) error {
	t.Helper()
	files, errs := pair{device: "shm_whole", plan: p, wholeWarmUp: true}.run(t)
	if errs != [2]error{} {
		t.Fatal(errs)
	}
	medians := map[option.Mode]float64{}
	for _, r := range files[0].Rows {
		var rates []float64
		for _, round := range r.Rounds {
			rates = append(rates, round.Average)
		}
		slices.Sort(rates)
		medians[r.Mode] = rates[len(rates)/2]
	}
	for _, m := range files[0].NotMeasured {
		t.Logf("mode %s: %s", m.Mode, m.Why)
		return nil
	}
	poll, event := medians[option.ModePoll], medians[option.ModeEvent]
	t.Logf("poll %.0f MB/s, event %.0f MB/s", poll/1e6, event/1e6)
	if event < eventShare*poll {
		return fmt.Errorf("event reaches %.0f of %.0f bytes/s", event, poll)
	}
	return nil
}

// The same without a comparison, with --cq-mod above the depth of the send queue and with fewer
// ring slots than that. Wall clock, because rows do not count sleeps that time out.
func TestEventsAloneKeepUp(t *testing.T) {
	for _, op := range allOps {
		for _, touch := range []option.Touch{option.TouchNone, option.TouchRead} {
			t.Run(fmt.Sprintf("%s_touch_%s", op, touch), func(t *testing.T) {
				p := testPlan(op, option.KindBandwidth, 8192, 20_000)
				p.TxDepth, p.CQMod, p.Touch = 1024, 1024, touch
				eventually(t, func() error {
					event, poll := wallTime(t, p, option.ModeEvent), wallTime(t, p, option.ModePoll)
					t.Logf("poll %v, event %v", poll, event)
					if float64(poll) < eventShare*float64(event) {
						return fmt.Errorf("event takes %v, poll %v", event, poll)
					}
					return nil
				})
			})
		}
	}
}

// wallTime returns the time of a whole run of a plan in a mode.
func wallTime(t *testing.T, p option.Plan, m option.Mode) time.Duration {
	t.Helper()
	p.Completion = m
	begun := time.Now()
	if _, errs := (pair{device: "shm_whole", plan: p, wholeWarmUp: true}).run(t); errs != [2]error{} {
		t.Fatal(errs)
	}
	return time.Since(begun)
}

// Event mode without any sleep, as with READs of the embedded device, makes a row with a warning if
// it runs alone, and no row in a comparison.
func TestEventsWithoutSleeps(t *testing.T) {
	for _, compare := range []bool{false, true} {
		p := testPlan(option.OpRead, option.KindLatency, 8, 100)
		p.Completion, p.Compare = option.ModeEvent, compare
		if compare {
			p.Completion = option.ModeDefault
		}
		files, errs := pair{device: "shm_whole", plan: p}.run(t)
		if errs != [2]error{} {
			t.Fatal(errs)
		}
		for side, f := range files {
			at := slices.IndexFunc(f.Rows, func(r result.Row) bool { return r.Mode == option.ModeEvent })
			switch {
			case compare && (at >= 0 || len(f.NotMeasured) != 1):
				t.Errorf("side %d: a comparison has row %d of events, not measured: %+v", side, at, f.NotMeasured)
			case compare:
			case at < 0:
				t.Errorf("side %d: no row; not measured: %+v", side, f.NotMeasured)
			case f.Rows[at].NoRatio == "" || !slices.ContainsFunc(f.Rows[at].Warnings, func(w result.Warning) bool { return w.ID == "no-sleeps" }):
				t.Errorf("side %d: the row has no warning that there were no sleeps: %q, %+v", side, f.Rows[at].NoRatio, f.Rows[at].Warnings)
			}
		}
	}
}
