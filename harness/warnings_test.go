package harness

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/reports/result"
)

// A thread that spins is warned of where it had its CPU for less than it wanted, and one
// that is to sleep where it did not.
func TestThreadsAreWarnedOf(t *testing.T) {
	for _, c := range []struct {
		name       string
		sleeps     bool
		here, peer result.Cost
		want       []string
	}{
		{"busy", false, result.Cost{Busy: 0.95}, result.Cost{Busy: 1}, nil},
		{"preempted", false, result.Cost{Busy: 0.949}, result.Cost{Busy: 1}, []string{"preempted: on this side the spinning thread had its CPU for under 95 %"}},
		{"both preempted", false, result.Cost{Busy: 0.5}, result.Cost{Busy: 0.3}, []string{"preempted: on this side", "preempted: on the peer the spinning thread had its CPU for under 95 %"}},
		{"a side without a loop", false, result.Cost{Busy: 1}, result.Cost{}, nil},
		{"asleep", true, result.Cost{Busy: 0.2, SleepsPerMessage: 1}, result.Cost{Busy: 0.2}, nil},
		{"nearly asleep", true, result.Cost{Busy: 0.2, SleepsPerMessage: 0.4}, result.Cost{Busy: 0.2, SleepsPerMessage: 0.9}, nil},
		{"few sleeps", true, result.Cost{Busy: 0.9, SleepsPerMessage: 0.89}, result.Cost{Busy: 0.2}, []string{"few-sleeps: mode event slept for fewer than 9 of 10 messages"}},
	} {
		row := &result.Row{Latency: &result.Latency{N: 1e6}, Local: c.here, Peer: c.peer}
		checkWarnings(t, c.name, rowWarnings(&scheme{sleeps: c.sleeps}, row, spinning{true, true}), c.want)
	}
	// A broken row, without figures, is not asked for them.
	checkWarnings(t, "broken", rowWarnings(&scheme{}, &result.Row{}, spinning{true, true}), nil)
}

// Few samples, and short runs, are warned of.
func TestFewFiguresAreWarnedOf(t *testing.T) {
	for name, c := range map[string]struct {
		row  result.Row
		want []string
	}{
		"many samples": {result.Row{Latency: &result.Latency{N: 100_000}}, nil},
		"few":          {result.Row{Latency: &result.Latency{N: 99_999}}, []string{"few-samples: under 100,000 samples"}},
		"very few":     {result.Row{Latency: &result.Latency{N: 9_999}}, []string{"few-samples: under 10,000 samples"}},
		"a mean":       {result.Row{Latency: &result.Latency{N: 5, MeanOnly: true}}, nil},
		"10 ms":        {result.Row{Bandwidth: &result.Bandwidth{Seconds: 0.01}}, nil},
		"short":        {result.Row{Bandwidth: &result.Bandwidth{Seconds: 0.0099}}, []string{"short-run: measured over less than 10 ms"}},
	} {
		checkWarnings(t, name, rowWarnings(&scheme{}, &c.row, spinning{true, true}), c.want)
	}
}

// checkWarnings holds that there are so many, each with these words in ID and text.
func checkWarnings(t *testing.T, name string, got []result.Warning, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: warnings %+v, want %q", name, got, want)
	}
	for i, words := range want {
		if text := got[i].ID + ": " + got[i].Text; !strings.Contains(text, words) {
			t.Errorf("%s: %q, want %q in it", name, text, words)
		}
	}
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
		checkWarnings(t, fmt.Sprintf("%g and %g millionths", c.here, c.peer), driftWarnings(c.here, c.peer), c.want)
	}
}
