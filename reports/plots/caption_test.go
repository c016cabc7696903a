package plots

import (
	"slices"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/reports/result"
)

// captionOf is what stands over the first plot of files.
func captionOf(t *testing.T, files ...*result.File) (subtitle string, notes, warnings []string) {
	t.Helper()
	s := sketchesOf(files)[0]
	return s.Subtitle, s.Notes, s.Warnings
}

func TestOneLineSaysWhatIsDoubtful(t *testing.T) {
	const tables = "some points are doubtful: see the tables"
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
