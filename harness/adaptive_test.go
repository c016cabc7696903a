package harness

import (
	"testing"
	"time"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// With pauses between messages, the server of mode adaptive sleeps in each pause that is longer than
// its spin, and never in a shorter one. Neither is a warning: both are as the mode is meant.
func TestAdaptiveSpins(t *testing.T) {
	for _, op := range []option.Op{option.OpWrite, option.OpSend} {
		for spin, sleeps := range map[option.Spin]bool{
			{Polls: 10}: true, {Time: 2 * time.Microsecond}: true, {Polls: 1_000_000_000}: false, {Time: time.Minute}: false,
		} {
			p := testPlan(op, option.KindLatency, 24, 40)
			p.Completion, p.Spin, p.Gap = option.ModeAdaptive, spin, time.Millisecond
			files, errs := pair{device: "shm_whole", plan: p}.run(t)
			if errs != [2]error{} {
				t.Fatalf("%s, spin %v: %v", op, spin, errs)
			}
			r := onlyRow(t, files[0])
			if got := r.Peer.Sleeps > 0; got != sleeps {
				t.Errorf("%s, spin %v: the server slept %d times for %d messages", op, spin, r.Peer.Sleeps, r.Latency.N)
			}
			for _, w := range r.Warnings {
				if w.ID == result.WarnNoSleeps || w.ID == result.WarnFewSleeps || r.NoRatio != "" {
					t.Errorf("%s, spin %v: %v, %s", op, spin, w, r.NoRatio)
				}
			}
		}
	}
}

// Under load mode adaptive never sleeps, and its row is measured nevertheless.
func TestAdaptiveThatNeverSleepsIsMeasured(t *testing.T) {
	for _, op := range everyOp {
		for _, kind := range allKinds {
			p := testPlan(op, kind, sizeOf(op), 200)
			p.Compare, p.Rounds, p.Spin = true, 2, option.Spin{Time: time.Minute}
			files, errs := pair{device: "shm_whole", plan: p}.run(t)
			if errs != [2]error{} {
				t.Fatal(errs)
			}
			found := false
			for _, r := range files[0].Rows {
				if r.Mode == option.ModeAdaptive {
					found = r.Local.Sleeps+r.Peer.Sleeps == 0 && r.Measured(kind)
				}
			}
			if !found {
				t.Errorf("%s_%s: no row of mode adaptive without sleeps, not measured: %+v", op, kind, files[0].NotMeasured)
			}
		}
	}
}
