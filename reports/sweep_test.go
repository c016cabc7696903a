package reports

import (
	"slices"
	"strings"
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

// ofComparison marks a run as one of ib_compare's.
func ofComparison(f *result.File, id, sweep string) *result.File {
	f.Comparison = &result.Comparison{ID: id, Sweep: sweep}
	return f
}

// latencySweeps are the runs of both latency sweeps of a comparison, and one of every size that
// is as the first of each.
func latencySweeps(t *testing.T, id string) (files, qps, gaps []*result.File) {
	for _, n := range []int{1, 16, 256} {
		f := changed(t, result.KindLatency, func(f *result.File) { f.Parameters.QPs = n })
		qps = append(qps, ofComparison(f, id, result.SweepQPs))
	}
	for _, gap := range []time.Duration{0, time.Microsecond, time.Millisecond} {
		gaps = append(gaps, ofComparison(withGap(t, gap), id, result.SweepGap))
	}
	return append(slices.Concat(qps, gaps), ofComparison(withGap(t, 0), id, "")), qps, gaps
}

func TestSweepsOfAComparisonAreOfTheRunsMadeForThem(t *testing.T) {
	files, qps, gaps := latencySweeps(t, "first")
	again, laterQPs, laterGaps := latencySweeps(t, "second")
	by := map[Axis][][]*result.File{}
	for _, g := range Groups(slices.Concat(files, again, []*result.File{withGap(t, 0)})) {
		by[g.Along] = append(by[g.Along], g.Runs)
	}
	for along, want := range map[Axis][][]*result.File{AlongQPs: {qps, laterQPs}, AlongGap: {gaps, laterGaps}} {
		if !slices.EqualFunc(by[along], want, slices.Equal) {
			t.Errorf("along the %v: %d sweeps, or not of the runs made for them", along, len(by[along]))
		}
	}
	if len(by[NoAxis]) != 1 || len(by[NoAxis][0]) != 3 {
		t.Errorf("beside the sweeps there are %d groups", len(by[NoAxis]))
	}
}

// What the tables say at pause 0 is of the rounds of the pause sweep's own run.
func TestValueAtPauseZeroIsOfThePauseSweepsRounds(t *testing.T) {
	files, qps, gaps := latencySweeps(t, "first")
	for f, ns := range map[*result.File]float64{qps[0]: 111_000, gaps[0]: 222_000} {
		for i := range f.Rows {
			for j := range f.Rows[i].Rounds {
				f.Rows[i].Rounds[j].P50Ns = ns
			}
		}
	}
	text := sideBySide(t, files...)
	for along, values := range map[Axis][2]string{AlongQPs: {"111.0", "222.0"}, AlongGap: {"222.0", "111.0"}} {
		_, own, _ := strings.Cut(text, " by "+along.String())
		own, _, _ = strings.Cut(own, " Latency Test by ") // where the next sweep begins
		if !strings.Contains(own, values[0]) || strings.Contains(own, values[1]) {
			t.Errorf("along the %v, want %s and not %s:%s", along, values[0], values[1], own)
		}
	}
}
