package text

import (
	"slices"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/internal/testresult"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// TestTextEndsAtTheRule: without details the text of a run of one mode ends as perftest's. What it does not say is
// in the warnings.
func TestTextEndsAtTheRule(t *testing.T) {
	f := testresult.File(t, "write", option.KindLatency, []int{2, 64}, "poll")
	f.Parameters.Compare, f.Parameters.Completion = false, option.ModePoll
	if text := streamed(t, f, Style{}); !strings.HasSuffix(text, "1.395  \n"+rule) || strings.Contains(text, "WARNING") {
		t.Errorf("the text is\n%s", text)
	}
	for i := range f.Rows {
		f.Rows[i].Verify = &result.Verify{Messages: 5000}
	}
	if text := streamed(t, f, Style{}); !strings.HasSuffix(text, rule+" Data check: 10000 messages checked, every byte was correct (torn 0, stale 0, duplicates 0).\n") {
		t.Errorf("the text with --verify is\n%s", text)
	}
}

// TestEachWarningIsPrintedOnce: a warning that is known before the rows is in the header, the others are left to the
// caller, who prints the run's error too. The header has a line of its own for software devices.
func TestEachWarningIsPrintedOnce(t *testing.T) {
	f := testresult.File(t, "write", option.KindLatency, []int{2}, "poll", "event")
	f.Parameters.Compare, f.Parameters.Completion = false, option.ModePoll
	f.Rows = f.Rows[:1]
	f.NotMeasured = []result.Missing{{Size: 2, Mode: "event", Why: "it never slept"}}
	f.Rows[0].Warnings = []result.Warning{{ID: result.WarnFewSamples, Text: "few samples"}}
	f.Warnings = append(f.Warnings, result.Warning{ID: result.WarnCPUFrequency, Text: "CPU frequency"})
	var b strings.Builder
	text := New(&b, f, Style{})
	text.Begin(nil)
	f.Warnings, f.Error = append(f.Warnings, result.Warning{ID: result.WarnClockDrift, Text: "clocks drift"}), "the peer is gone"
	text.Row(f.Rows[0])
	text.End()
	if n := strings.Count(b.String(), "WARNING"); n != 1 || !strings.Contains(b.String(), "\n WARNING: CPU frequency\n"+rule) {
		t.Errorf("%d warnings in\n%s", n, b.String())
	}
	want := []string{"clocks drift", "size 2 poll: few samples", "size 2 event: not measured: it never slept"}
	if got := text.Warnings(); !slices.Equal(got, want) {
		t.Errorf("the caller's warnings are %q, want %q", got, want)
	}
}
