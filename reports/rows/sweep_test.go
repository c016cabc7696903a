package rows

import (
	"slices"
	"testing"
	"time"

	"github.com/ibperf/ibperf/internal/testresult"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// groupTitles returns the titles of the groups of files.
func groupTitles(files ...*result.File) (titles []string) {
	for _, g := range Groups(files) {
		titles = append(titles, g.Title())
	}
	return titles
}

func TestRunsThatDifferInQPsAreAGroupAlongThem(t *testing.T) {
	sizes := testresult.File(t, "write", option.KindBandwidth, []int{2, 64, 512}, "data", "poll")
	files := []*result.File{testresult.WithQPs(t, 256), sizes, testresult.WithQPs(t, 16), testresult.WithQPs(t, 1)}
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
	files := []*result.File{testresult.WithGap(t, 0), testresult.WithGap(t, time.Millisecond), testresult.WithGap(t, 10*time.Microsecond)}
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
		files = append(files, testresult.Changed(t, option.KindLatency, func(f *result.File) { f.Parameters.QPs = n }))
	}
	files = append(files, testresult.WithGap(t, 0), testresult.WithGap(t, time.Microsecond), testresult.WithGap(t, time.Millisecond))
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
	depth := testresult.WithQPs(t, 16)
	depth.Parameters.TxDepth = 7
	for name, files := range map[string][]*result.File{
		"two values":             {testresult.WithQPs(t, 1), testresult.WithQPs(t, 16)},
		"something else differs": {testresult.WithQPs(t, 1), depth, testresult.WithQPs(t, 256)},
	} {
		if got := groupTitles(files...); !slices.Equal(got, []string{"RDMA_Write BW Test"}) {
			t.Errorf("%s: groups %q", name, got)
		}
	}
}

func TestTheLastRunAtAPlaceIsOfTheSweep(t *testing.T) {
	first, last := testresult.WithQPs(t, 16), testresult.WithQPs(t, 16)
	groups := Groups([]*result.File{testresult.WithQPs(t, 1), first, testresult.WithQPs(t, 256), last})
	if len(groups) != 2 || !slices.Equal(groups[0].Runs, []*result.File{first}) || len(groups[1].Runs) != 3 || groups[1].Runs[1] != last {
		t.Errorf("%d groups, the first of %d runs", len(groups), len(groups[0].Runs))
	}
}

func TestCheckedRunsAreApart(t *testing.T) {
	checked := testresult.WithQPs(t, 1)
	checked.Parameters.Verify = true
	want := []string{"RDMA_Write BW Test", "RDMA_Write BW Test with every byte checked"}
	if got := groupTitles(testresult.WithQPs(t, 1), checked); !slices.Equal(got, want) {
		t.Errorf("groups %q, want %q", got, want)
	}
}

func TestSweepsOfAComparisonAreOfTheRunsMadeForThem(t *testing.T) {
	files, qps, gaps := testresult.LatencySweeps(t, "first")
	again, laterQPs, laterGaps := testresult.LatencySweeps(t, "second")
	by := map[Axis][][]*result.File{}
	for _, g := range Groups(slices.Concat(files, again, []*result.File{testresult.WithGap(t, 0)})) {
		by[g.Along] = append(by[g.Along], g.Runs)
	}
	for along, want := range map[Axis][][]*result.File{AlongQPs: {qps, laterQPs}, AlongGap: {gaps, laterGaps}} {
		if !slices.EqualFunc(by[along], want, slices.Equal) {
			t.Errorf("along the %v: %d sweeps, or not of the runs made for them", along, len(by[along]))
		}
	}
	if len(by[NoAxis]) != 1 || len(by[NoAxis][0]) != 3 {
		t.Errorf("%d groups in addition to the sweeps", len(by[NoAxis]))
	}
}
