package plots

import (
	"slices"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/result"
)

// captionOf returns the texts above the first plot of files.
func captionOf(t *testing.T, files ...*result.File) (subtitle string, notes, warnings []string) {
	t.Helper()
	s := sketchesOf(files, nil)[0]
	return s.Subtitle, s.Notes, s.Warnings
}

func TestOneLineSaysWhatWasDisturbed(t *testing.T) {
	const tables = "some rows were disturbed: see the tables"
	preempted := result.Warning{ID: "preempted", Text: "other work took the CPU"}
	for _, c := range []struct {
		name   string
		change func(f *result.File)
		want   []string
	}{
		{"nothing", func(*result.File) {}, nil},
		{"few samples for percentiles that plots do not show", func(f *result.File) {
			f.Rows[0].Warnings = []result.Warning{{ID: "few-samples", Text: "few"}}
		}, nil},
		{"losses, which do not concern ratios", func(f *result.File) {
			f.Rows[0].Warnings = []result.Warning{{ID: "lost", Text: "3 of 9 messages were lost"}}
		}, nil},
		{"rows", func(f *result.File) {
			f.Rows[0].Warnings, f.Rows[1].Warnings = []result.Warning{preempted}, []result.Warning{preempted}
		}, []string{tables}},
		{"a run", func(f *result.File) {
			f.Warnings = append(f.Warnings, result.Warning{ID: "clock", Text: "the clocks drift"})
		}, []string{"the clocks drift"}},
		{"a run and rows", func(f *result.File) {
			f.Warnings = append(f.Warnings, result.Warning{ID: "clock", Text: "the clocks drift"})
			f.Rows[0].Warnings = []result.Warning{preempted}
		}, []string{"the clocks drift; " + tables}},
		{"much of a run", func(f *result.File) {
			f.Warnings = append(f.Warnings, result.Warning{ID: "clock", Text: "the clocks drift"}, result.Warning{ID: "x", Text: "and more"})
		}, []string{"the clocks drift; more: see the tables"}},
	} {
		f := latencies(t, []int{8, 64}, "data", "poll")
		c.change(f)
		if _, _, got := captionOf(t, f); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// A figure marks the rows whose ratios tables call disturbed, and no others.
func TestFiguresMarkTheRowsThatTablesCallDisturbed(t *testing.T) {
	for id, disturbed := range map[result.WarningID]bool{
		result.WarnPreempted: true, result.WarnClockDrift: true, result.WarnOneDirection: true,
		result.WarnClocksApart: true, result.WarnShortRun: true, result.WarnBrokenOff: true,
		result.WarnLost: false, result.WarnSenderRate: false, result.WarnFewSamples: false, result.WarnFewSleeps: false,
		result.WarnFewerReceives: false, result.WarnAboveRateLimit: false, result.WarnBelowRateLimit: false, result.WarnWrongData: false,
	} {
		f := bandwidths(t, []int{64, 512}, "data", "poll")
		f.Rows[0].Warnings = []result.Warning{{ID: id, Text: "a warning"}}
		groups := groupsOf([]*result.File{f}, nil)
		if got := groups[0].ratios[&f.Rows[0]].Disturbed; got != disturbed {
			t.Errorf("%s: the ratio is disturbed: %v", id, got)
		}
		if _, _, warnings := captionOf(t, f); len(warnings) > 0 != disturbed {
			t.Errorf("%s: the caption says %q", id, warnings)
		}
		for _, figure := range []string{"bw_by_size", "bw_ratio"} {
			tooltips := tooltipsOf(t, drawingNamed(t, figure, f), "data")
			if got := strings.Contains(tooltips[0].Title, "\ndisturbed: "); got != disturbed || strings.Contains(tooltips[1].Title, "disturbed") {
				t.Errorf("%s, %s: the tooltips say %v", id, figure, tooltips)
			}
			if named := strings.Contains(tooltips[0].Title, "\nwarning: "+string(id)); named != (!disturbed && id != result.WarnFewSamples) {
				t.Errorf("%s, %s: the tooltip says %q", id, figure, tooltips[0].Title)
			}
		}
	}
}

func TestWhyModeDataIsNotThereIsSaid(t *testing.T) {
	f := latencies(t, []int{8, 64}, "poll", "event")
	f.Warnings = append(f.Warnings, result.Warning{ID: "data-not-run", Text: "data mode was left out: a long story"})
	f.Peer.Device.Name, f.Peer.Order.Answer = "other0", result.OrderNone
	_, notes, warnings := captionOf(t, f)
	if want := []string{`mode data was left out: asked about the order of data, other0 answers "not promised"`}; !slices.Equal(notes, want) || warnings != nil {
		t.Errorf("notes %q, warnings %q", notes, warnings)
	}
}

func TestSubtitleTellsRounds(t *testing.T) {
	for want, change := range map[string]func(f *result.File){
		"20 rounds":      func(*result.File) {},
		"7 to 20 rounds": func(f *result.File) { f.Rows[1].Rounds = f.Rows[1].Rounds[:7] },
		"1 round,": func(f *result.File) {
			for i := range f.Rows {
				f.Rows[i].Rounds = f.Rows[i].Rounds[:1]
			}
		},
	} {
		f := latencies(t, []int{8, 64}, "data", "poll")
		change(f)
		if got, _, _ := captionOf(t, f); !strings.Contains(got, want) {
			t.Errorf("%q does not say %q", got, want)
		}
	}
}

// Only warnings about wrong, unsafe or missing numbers are red.
func TestOnlyTroubleAlarms(t *testing.T) {
	for name, c := range map[string]struct {
		change func(f *result.File)
		want   bool
	}{
		"clocks": {func(f *result.File) {
			f.Warnings = append(f.Warnings, result.Warning{ID: "clock", Text: "the clocks drift"})
		}, false},
		"an error":   {func(f *result.File) { f.Error = "gone" }, true},
		"forced":     {func(f *result.File) { f.Rows[0].Forced = true }, true},
		"wrong data": {func(f *result.File) { f.Rows[0].Verify = &result.Verify{Messages: 9, Stale: 1} }, true},
	} {
		f := latencies(t, []int{8, 64}, "data", "poll")
		c.change(f)
		if got := sketchesOf([]*result.File{f}, nil)[0].Alarming; got != c.want {
			t.Errorf("%s: alarming is %v", name, got)
		}
	}
}
