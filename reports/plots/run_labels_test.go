package plots

import (
	"slices"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

func TestRunsAreLabeledByWhatDiffers(t *testing.T) {
	change := func(change func(f *result.File)) *result.File {
		f := latencies(t, []int{2, 64}, "data", "poll")
		change(f)
		return f
	}
	plain := change(func(*result.File) {})
	for _, c := range []struct {
		what string
		runs []*result.File
		want []string
	}{
		{"one run", []*result.File{plain}, []string{""}},
		{"hosts", []*result.File{plain, onHost(plain, "node3")}, []string{"[1] node1 to node2", "[2] node3 to node2"}},
		{"devices", []*result.File{plain, change(func(f *result.File) { f.Local.Device.Name, f.Peer.Device.Name = "mlx5_0", "mlx5_0" })},
			[]string{"[1] shm_whole", "[2] mlx5_0"}},
		{"options", []*result.File{plain, change(func(f *result.File) { f.Parameters.TxDepth = 64 })}, []string{"[1] --tx-depth 128", "[2] --tx-depth 64"}},
		{"days", []*result.File{plain, change(func(f *result.File) { f.Started = f.Started.AddDate(0, 0, 1) })}, []string{"[1] Jan 2 15:04", "[2] Jan 3 15:04"}},
		{"nothing", []*result.File{plain, change(func(*result.File) {})}, []string{"[1]", "[2]"}},
	} {
		groups := groupsOf(c.runs, nil)
		if len(groups) != 1 {
			t.Errorf("%s: %d groups", c.what, len(groups))
			continue
		}
		var got []string
		for i := range groups[0].Runs {
			got = append(got, groups[0].label(i))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
	named := groupsOf([]*result.File{plain, onHost(plain, "node3")}, map[*result.File]string{plain: "A"})[0]
	if named.label(0) != "A" || named.label(1) != "[2] node3 to node2" {
		t.Errorf("labels %q, %q", named.label(0), named.label(1))
	}
}

// Several runs of one mode have a panel for each mode, in which lines are runs.
func TestSeveralRunsHaveAPanelPerMode(t *testing.T) {
	f := latencies(t, []int{2, 64}, "data", "poll", "event")
	for _, s := range sketchesOf([]*result.File{f, onHost(f, "node3")}, nil) {
		var titles []string
		for _, p := range s.Panels() {
			titles = append(titles, p.Title)
		}
		want := []string{"data", "poll", "event"}
		switch s.Kind {
		case kindRatio:
			want = []string{"data", "event"}
		case kindBusy, kindRounds:
			want = []string{"[1] node1 to node2", "[2] node3 to node2"}
		}
		if !slices.Equal(titles, want) {
			t.Errorf("%s: panels %q, want %q", s.Name, titles, want)
		}
	}
	svg := drawingNamed(t, "lat_by_size", f, onHost(f, "node3"))
	textAt(t, svg, "[1] node1 to node2")
	textAt(t, svg, "[2] node3 to node2")
	if points := tooltipsOf(t, svg, "[2] node3 to node2 event"); len(points) == 0 {
		t.Error("no point of the second run")
	}
}

// Runs that measured another mode each share a panel, as one run of all modes does.
func TestRunsOfOneModeEachShareAPanel(t *testing.T) {
	data, poll := latencies(t, []int{2, 64}, "data"), latencies(t, []int{2, 64}, "poll")
	for _, s := range sketchesOf([]*result.File{data, poll}, nil) {
		if s.Kind == kindLatency && len(s.Panels()) != 1 {
			t.Errorf("%s: %d panels", s.Name, len(s.Panels()))
		}
	}
}

// A dash means the 99th percentile and nothing else.
func TestDashHasOneMeaning(t *testing.T) {
	files := append(severalRuns(t)["many sizes"], alongQPs(t, option.KindBandwidth, 2, 2, 0.5)...)
	for name, svg := range drawings(t, append(files, alongPause(t)...)...) {
		if dashed := strings.Contains(svg, "stroke-dasharray"); dashed != strings.Contains(name, "write_lat_by_size") {
			t.Errorf("%s: dashes are there: %v", name, dashed)
		}
	}
}
