package reports

import (
	"slices"
	"testing"
	"time"

	"github.com/ibperf/ibperf/reports/internal/synthetic"
	"github.com/ibperf/ibperf/reports/result"
)

// groupTitles are the titles of the groups of files, in their order.
func groupTitles(files ...*result.File) (titles []string) {
	for _, g := range Groups(files) {
		titles = append(titles, g.Title())
	}
	return titles
}

// changed is a run of which something is not as in the others.
func changed(t *testing.T, kind string, change func(f *result.File)) *result.File {
	f := synthetic.File(t, "write", kind, []int{64}, "data", "poll")
	change(f)
	return f
}

func withQPs(t *testing.T, n int) *result.File {
	return changed(t, result.KindBandwidth, func(f *result.File) { f.Parameters.QPs = n })
}

func withGap(t *testing.T, gap time.Duration) *result.File {
	return changed(t, result.KindLatency, func(f *result.File) { f.Parameters.Gap = gap })
}

func TestRunsThatDifferInQPsAreAGroupAlongThem(t *testing.T) {
	sizes := synthetic.File(t, "write", result.KindBandwidth, []int{2, 64, 512}, "data", "poll")
	files := []*result.File{withQPs(t, 256), sizes, withQPs(t, 16), withQPs(t, 1)}
	if got, want := groupTitles(files...), []string{"RDMA_Write BW Test", "RDMA_Write BW Test by number of QPs"}; !slices.Equal(got, want) {
		t.Fatalf("groups %q, want %q", got, want)
	}
	g := Groups(files)[1]
	for i, want := range []string{"1", "16", "256"} {
		if got := g.Label(i); got != want {
			t.Errorf("run %d is labelled %q, want %q", i, got, want)
		}
	}
}

func TestRunsThatDifferInPauseAreAGroupAlongIt(t *testing.T) {
	files := []*result.File{withGap(t, 0), withGap(t, time.Millisecond), withGap(t, 10*time.Microsecond)}
	g := Groups(files)
	if len(g) != 1 || g[0].Along != AlongGap {
		t.Fatalf("%d groups, the first along %v", len(g), g[0].Along)
	}
	for i, want := range []string{"0", "10", "1000"} {
		if got := g[0].Label(i); got != want {
			t.Errorf("run %d is labelled %q, want %q", i, got, want)
		}
	}
}

// Both sweeps begin with a run of one QP and no pause.
func TestTwoSweepsOfOneTestAreTwoGroups(t *testing.T) {
	var files []*result.File
	for _, n := range []int{1, 16, 256} {
		files = append(files, changed(t, result.KindLatency, func(f *result.File) { f.Parameters.QPs = n }))
	}
	files = append(files, withGap(t, 0), withGap(t, time.Microsecond), withGap(t, time.Millisecond))
	want := []string{"RDMA_Write Latency Test by number of QPs", "RDMA_Write Latency Test by pause between messages"}
	if got := groupTitles(files...); !slices.Equal(got, want) {
		t.Errorf("groups %q, want %q", got, want)
	}
	for _, g := range Groups(files) {
		if len(g.Runs) != 3 {
			t.Errorf("%s: %d runs", g.Title(), len(g.Runs))
		}
	}
}

func TestRunsAreNoSweepIf(t *testing.T) {
	depth := withQPs(t, 16)
	depth.Parameters.TxDepth = 7
	for name, files := range map[string][]*result.File{
		"two values":             {withQPs(t, 1), withQPs(t, 16)},
		"something else differs": {withQPs(t, 1), depth, withQPs(t, 256)},
	} {
		if got := groupTitles(files...); !slices.Equal(got, []string{"RDMA_Write BW Test"}) {
			t.Errorf("%s: groups %q", name, got)
		}
	}
}

func TestTheLastRunAtAPlaceIsOfTheSweep(t *testing.T) {
	first, last := withQPs(t, 16), withQPs(t, 16)
	groups := Groups([]*result.File{withQPs(t, 1), first, withQPs(t, 256), last})
	if len(groups) != 2 || !slices.Equal(groups[0].Runs, []*result.File{first}) || len(groups[1].Runs) != 3 || groups[1].Runs[1] != last {
		t.Errorf("%d groups, the first of %d runs", len(groups), len(groups[0].Runs))
	}
}

func TestCheckedRunsAreApart(t *testing.T) {
	checked := withQPs(t, 1)
	checked.Parameters.Verify = true
	want := []string{"RDMA_Write BW Test", "RDMA_Write BW Test with every byte checked"}
	if got := groupTitles(withQPs(t, 1), checked); !slices.Equal(got, want) {
		t.Errorf("groups %q, want %q", got, want)
	}
}

func TestTablesOfASweepNameItsPlaces(t *testing.T) {
	text := sideBySide(t, withQPs(t, 1), withQPs(t, 16), withQPs(t, 256))
	holds(t, text, "RDMA_Write BW Test by number of QPs, 3 runs", " QPs  size ", " 256 ")
}
