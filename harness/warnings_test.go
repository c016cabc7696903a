package harness

import (
	"slices"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/reports/result"
)

func TestPreemptionIsWarnedOf(t *testing.T) {
	p := testPlan(OpWrite, result.KindLatency, 8, 1000)
	for _, c := range []struct {
		here, peer uint64 // preemptions in a million messages of 1 µs
		want       []string
	}{
		{0, 0, nil},
		{11, 11, nil},
		{12, 0, []string{"on this side"}},
		{12, 500, []string{"on this side", "on the peer"}},
	} {
		r := result.Row{
			Mode: string(ModePoll), Latency: &result.Latency{N: 1e6},
			Local: result.Cost{CPUNs: 1000, Preempted: c.here}, Peer: result.Cost{CPUNs: 1000, Preempted: c.peer},
		}
		w := slices.DeleteFunc(rowWarnings(&p, &r), func(w result.Warning) bool { return w.ID != "preempted" })
		if len(w) != len(c.want) {
			t.Fatalf("%d and %d times: warnings %+v", c.here, c.peer, w)
		}
		for i, words := range c.want {
			if !strings.Contains(w[i].Text, words) {
				t.Errorf("%d and %d times: %q, want %q in it", c.here, c.peer, w[i].Text, words)
			}
		}
	}
	// A broken row, without figures, is not asked for them.
	rowWarnings(&p, &result.Row{Mode: string(ModePoll)})
}

func TestDriftIsWarnedOf(t *testing.T) {
	for _, c := range []struct {
		here, peer float64 // millionths
		want       []string
	}{
		{0, 0, nil},
		{1000, -1000, nil},
		{0, 1500, []string{"on the peer the TSC and CLOCK_MONOTONIC came apart by +0.15 %"}},
		{-20_000, 1500, []string{"on this side the TSC and CLOCK_MONOTONIC came apart by -2.00 %", "on the peer"}},
	} {
		w := driftWarnings(c.here, c.peer)
		if len(w) != len(c.want) {
			t.Fatalf("%g and %g millionths: warnings %+v", c.here, c.peer, w)
		}
		for i, words := range c.want {
			if !strings.Contains(w[i].Text, words) {
				t.Errorf("%g and %g millionths: %q, want %q in it", c.here, c.peer, w[i].Text, words)
			}
		}
	}
}
