package harness

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/result"
)

// Events are slower than polls, but not by orders of magnitude: a loop that sleeps out its
// slices with nothing to wait for would be.
const eventShare = 0.25

func TestEventsKeepUpWithPolls(t *testing.T) {
	for _, op := range []option.Op{option.OpWrite, option.OpSend} { // READs of the embedded device never sleep
		for _, c := range []struct{ qps, size int }{{1, 65536}, {8, 65536}, {64, 65536}, {1024, 65536}, {8, 4096}} {
			t.Run(fmt.Sprintf("%s_%d_QPs_%d_bytes", op, c.qps, c.size), func(t *testing.T) {
				if raceDetector && c.qps > 64 {
					t.Skip("so many QPs take too long under the race detector")
				}
				p := testPlan(op, option.KindBandwidth, c.size, 0)
				p.Compare, p.Completion, p.QPs, p.Rounds, p.Duration = true, option.ModeAuto, c.qps, 6, 60*time.Millisecond
				eventually(t, func() error { return eventsKeepUp(t, p) })
			})
		}
	}
}

// eventually tries until it is true: other work on the machine may be in the way, but not
// for ever.
func eventually(t *testing.T, try func() error) {
	t.Helper()
	err := try()
	for end := time.Now().Add(30 * time.Second); err != nil && time.Now().Before(end); {
		err = try()
	}
	if err != nil {
		t.Error(err)
	}
}

func eventsKeepUp(t *testing.T, p option.Plan) error {
	t.Helper()
	files, errs := pair{device: "shm_whole", plan: p}.run(t)
	if errs != [2]error{} {
		t.Fatal(errs)
	}
	medians := map[string]float64{}
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
	poll, event := medians[string(option.ModePoll)], medians[string(option.ModeEvent)]
	t.Logf("poll %.0f MB/s, event %.0f MB/s", poll/1e6, event/1e6)
	if event < eventShare*poll {
		return fmt.Errorf("event reaches %.0f of %.0f bytes/s", event, poll)
	}
	return nil
}

// Alone, too: with more messages to a signal than a QP may have out, and with fewer slots
// than that. By the wall clock, as a slice that is slept out is no sleep that has a row.
func TestEventsAloneKeepUp(t *testing.T) {
	for _, op := range allOps {
		for _, touch := range []option.Touch{option.TouchNone, option.TouchRead} {
			t.Run(fmt.Sprintf("%s_touch_%s", op, touch), func(t *testing.T) {
				p := testPlan(op, option.KindBandwidth, 8192, 50_000)
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

// wallTime is what a plan takes in a mode, all in all.
func wallTime(t *testing.T, p option.Plan, m option.Mode) time.Duration {
	t.Helper()
	p.Completion = m
	begun := time.Now()
	if _, errs := (pair{device: "shm_whole", plan: p}).run(t); errs != [2]error{} {
		t.Fatal(errs)
	}
	return time.Since(begun)
}

// Events that nobody slept for, as READs of the embedded device are, are a row that says so
// where nothing else was asked for; in a comparison they are none.
func TestEventsThatNobodySleptFor(t *testing.T) {
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
			at := slices.IndexFunc(f.Rows, func(r result.Row) bool { return r.Mode == string(option.ModeEvent) })
			switch {
			case compare && (at >= 0 || len(f.NotMeasured) != 1):
				t.Errorf("side %d: a comparison has row %d of events, not measured: %+v", side, at, f.NotMeasured)
			case compare:
			case at < 0:
				t.Errorf("side %d: no row; not measured: %+v", side, f.NotMeasured)
			case f.Rows[at].NoRatio == "" || !slices.ContainsFunc(f.Rows[at].Warnings, func(w result.Warning) bool { return w.ID == "no-sleeps" }):
				t.Errorf("side %d: the row does not say that nobody slept: %q, %+v", side, f.Rows[at].NoRatio, f.Rows[at].Warnings)
			}
		}
	}
}
