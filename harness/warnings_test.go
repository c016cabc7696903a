package harness

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/harness/internal/testcase"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// A row has a warning if a spinning thread was preempted, or if event mode seldom slept.
func TestWarningsAboutThreads(t *testing.T) {
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
		checkWarnings(t, c.name, rowWarnings(&testcase.Case{Sleeps: c.sleeps}, row, spinning{true, true}), c.want)
	}
	seldom := &result.Row{Variant: option.VariantSameCPU, Latency: &result.Latency{N: 1e6}, Local: result.Cost{Busy: 0.5, SleepsPerMessage: 0.6}}
	checkWarnings(t, "few sleeps on one CPU", rowWarnings(&testcase.Case{Sleeps: true}, seldom, spinning{true, true}), nil)
	// A row without figures has no warnings about them.
	checkWarnings(t, "broken", rowWarnings(&testcase.Case{}, &result.Row{}, spinning{true, true}), nil)
}

// A spinning thread that lost its CPU for less than 0.4 ms in each round was not disturbed, as what happens between
// the rounds takes that long.
func TestWarningAboutShortRounds(t *testing.T) {
	preempted := []string{"preempted: on the peer"}
	for _, c := range []struct {
		busy  float64
		round []float64 // seconds
		want  []string
	}{
		{0.91, []float64{0.004, 0.004}, nil},       // 0.36 ms in each
		{0.89, []float64{0.004, 0.004}, preempted}, // 0.44 ms
		{0.94, []float64{0.010, 0.002}, nil},       // 0.36 ms on average
		{0.94, []float64{0.010, 0.010}, preempted}, // 0.6 ms
		{0.96, []float64{0.100}, nil},              // 4 ms, which is a small part of the round
		{0.50, []float64{0.0005, 0.0005}, nil},     // 0.25 ms
		{0.50, []float64{0.0085, 0.0085}, preempted},
	} {
		row := &result.Row{Latency: &result.Latency{N: 1e6}, Local: result.Cost{Busy: 1}, Peer: result.Cost{Busy: c.busy}}
		for _, s := range c.round {
			row.Rounds = append(row.Rounds, result.Round{Seconds: s})
		}
		checkWarnings(t, fmt.Sprint(c), rowWarnings(&testcase.Case{}, row, spinning{true, true}), c.want)
	}
}

// Rows of few samples, and of short runs, have a warning.
func TestWarningsAboutFewSamples(t *testing.T) {
	for name, c := range map[string]struct {
		row  result.Row
		want []string
	}{
		"many samples": {result.Row{Latency: &result.Latency{N: 100_000}}, nil},
		"few":          {result.Row{Latency: &result.Latency{N: 99_999}}, []string{"few-samples: fewer than 100,000 samples"}},
		"very few":     {result.Row{Latency: &result.Latency{N: 9_999}}, []string{"few-samples: fewer than 10,000 samples"}},
		"a mean":       {result.Row{Latency: &result.Latency{N: 5, MeanOnly: true}}, nil},
		"10 ms":        {result.Row{Bandwidth: &result.Bandwidth{Seconds: 0.01}}, nil},
		"short":        {result.Row{Bandwidth: &result.Bandwidth{Seconds: 0.0099}}, []string{"short-run: measured over less than 10 ms"}},
	} {
		checkWarnings(t, name, rowWarnings(&testcase.Case{}, &c.row, spinning{true, true}), c.want)
	}
}

// checkWarnings checks the number of warnings, and that each has its words in ID and text.
func checkWarnings(t *testing.T, name string, got []result.Warning, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: warnings %+v, want %q", name, got, want)
	}
	for i, words := range want {
		if text := string(got[i].ID) + ": " + got[i].Text; !strings.Contains(text, words) {
			t.Errorf("%s: %q, want %q in it", name, text, words)
		}
	}
}

func TestWarningsAboutClockDrift(t *testing.T) {
	for _, c := range []struct {
		here, peer float64 // millionths
		want       []string
	}{
		{0, 0, nil},
		{1000, -1000, nil},
		{0, 1500, []string{"on the peer the TSC and CLOCK_MONOTONIC drifted apart by +0.15 %"}},
		{-20_000, 1500, []string{"on this side the TSC and CLOCK_MONOTONIC drifted apart by -2.00 %", "on the peer"}},
	} {
		checkWarnings(t, fmt.Sprintf("%g and %g millionths", c.here, c.peer), driftWarnings(c.here, c.peer), c.want)
	}
}
