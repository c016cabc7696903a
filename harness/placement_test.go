package harness

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/ibperf/ibperf/harness/internal/affinity"
	"github.com/ibperf/ibperf/harness/internal/testcase"
	"github.com/ibperf/ibperf/internal/topology"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

const sameCPURow = "event+same-cpu"

// countCompared returns the number of rows and of reasons for missing ones, without those of event on one
// CPU, which are measured only on a host with two CPUs.
func countCompared(f *result.File) (n int) {
	for _, r := range f.Rows {
		if r.Name() != sameCPURow {
			n++
		}
	}
	for _, m := range f.NotMeasured {
		if m.Mode != sameCPURow {
			n++
		}
	}
	return n
}

// A comparison of two sides on one host measures event on different CPUs and on one, in all runs, and
// rows tell the CPUs of their threads and the distance.
func TestEventIsMeasuredInTwoPlacements(t *testing.T) {
	own := affinity.Free(nil)
	if len(own) < 2 {
		t.Skip("needs two CPUs")
	}
	client, server := own[len(own)-1], own[0]
	apart := topology.Distance(os.DirFS("/"), client, server)
	p := testPlan(option.OpSend, option.KindLatency, 0, 300)
	p.Sizes, p.Compare, p.Rounds, p.Runs, p.Verify = []int{8, 4096}, true, 3, 2, true
	files, errs := pair{device: "shm_whole", plan: p}.run(t)
	if errs != [2]error{} {
		t.Fatal(errs)
	}
	for side, f := range files {
		here, there := client, server
		if side == 1 {
			here, there = there, here
		}
		found := 0
		for _, r := range f.Rows {
			wantHere, wantThere, distance := here, there, apart
			if r.Name() == sameCPURow {
				found++
				wantHere, wantThere, distance = client, client, topology.SameCPU
			}
			if !slices.Equal(r.Local.CPUs, []int{wantHere}) || !slices.Equal(r.Peer.CPUs, []int{wantThere}) {
				t.Errorf("side %d, %d bytes, %s: CPUs %v and %v, want %d and %d", side, r.Size, r.Name(), r.Local.CPUs, r.Peer.CPUs, wantHere, wantThere)
			}
			if distance != "" && !slices.Equal(r.Distances, []string{distance}) {
				t.Errorf("side %d, %d bytes, %s: distances %q, want %q", side, r.Size, r.Name(), r.Distances, distance)
			}
			if r.Local.Sleeps == 0 && r.Mode == option.ModeEvent {
				t.Errorf("side %d, %d bytes, %s: no sleeps", side, r.Size, r.Name())
			}
		}
		if found != len(p.Sizes) {
			t.Errorf("side %d: %d rows of %s", side, found, sameCPURow)
		}
		if f.Local.Idle == nil || f.Local.Idle.Driver == "" || f.Peer.Idle == nil || f.Peer.Idle.Driver == "" {
			t.Errorf("side %d: idle states %+v, %+v", side, f.Local.Idle, f.Peer.Idle)
		}
	}
}

// Both sides choose the same CPU for the rows in which they share one, and none where a thread may not
// move: to other hosts, or to CPUs that the user did not name.
func TestSharedCPU(t *testing.T) {
	for _, c := range []struct {
		what           string
		client, server []int
		chosen         [2]int
		want           int
	}{
		{"two CPUs", []int{0, 1}, []int{0, 1}, [2]int{1, 0}, 1},
		{"threads on one CPU anyway", []int{1, 0}, []int{1, 0}, [2]int{1, 1}, affinity.NoCPU},
		{"one CPU", []int{0}, []int{0}, [2]int{affinity.NoCPU, affinity.NoCPU}, affinity.NoCPU},
		{"each pinned to a CPU of its own", []int{1}, []int{0}, [2]int{1, 0}, affinity.NoCPU},
		{"the server's CPUs have the client's", []int{1}, []int{0, 1}, [2]int{1, 0}, 1},
	} {
		if got := sharedCPU(oob.Promise{CPUs: c.client}, oob.Promise{CPUs: c.server}, c.chosen[0], c.chosen[1]); got != c.want {
			t.Errorf("%s: %d, want %d", c.what, got, c.want)
		}
	}
}

// Threads prefer the last CPUs, which are of different cores.
func TestCoresLast(t *testing.T) {
	siblings := fstest.MapFS{}
	for cpu, list := range []string{"0,4", "1,5", "2,6", "3,7", "0,4", "1,5", "2,6", "3,7"} {
		siblings[fmt.Sprintf("sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu)] = &fstest.MapFile{Data: []byte(list + "\n")}
	}
	for _, c := range []struct{ cpus, want []int }{
		{[]int{0, 1, 2, 3, 4, 5, 6, 7}, []int{4, 5, 6, 7, 0, 1, 2, 3}},
		{[]int{1, 2, 5, 6, 7}, []int{5, 6, 1, 2, 7}},
		{nil, nil},
	} {
		if got := coresLast(siblings, c.cpus); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.cpus, got, c.want)
		}
	}
	if got := coresLast(fstest.MapFS{}, []int{2, 3}); !slices.Equal(got, []int{2, 3}) {
		t.Errorf("without sysfs: %v", got)
	}
}

// Only ping-pongs of a comparison have event on one CPU, with the QPs of event.
func TestWhichTestsHaveEventOnOneCPU(t *testing.T) {
	for _, test := range option.Tests() {
		for _, compare := range []bool{true, false} {
			p := option.Defaults(test)
			p.Compare, p.Completion = compare, option.ModeEvent
			if compare {
				p.Completion = option.ModeAuto
			}
			set := testcase.NewSet(resolvedPlan(t, p).Plan())
			var d decision
			d.addModes(set, func(testcase.Mode) bool { return true })
			before := len(d.modes)
			d.addOnOneCPU(set)
			want := compare && test.Kind == option.KindLatency && !test.Op.Fetches()
			if got := len(d.modes) > before; got != want {
				t.Errorf("%s, comparison %v: event on one CPU %v, want %v", test.Program(), compare, got, want)
			}
			for i, m := range d.modes {
				if m.mode.OneCPU() != d.sharesQPs(i) || d.modes[i].mode.Completion != set.Modes[m.group].Completion {
					t.Errorf("%s, comparison %v: mode %s has the QPs of %s", test.Program(), compare, m.mode, set.Modes[m.group])
				}
			}
		}
	}
}

// A run without pinned CPUs has the distance of those that its threads were on; sides on two hosts have
// none.
func TestDistancesOfARow(t *testing.T) {
	s := &session{plan: &option.Plan{Threads: 1}}
	pairs := [][2]int{{1, 1}, {0, 0}}
	if got := s.distances(pairs); got != nil {
		t.Errorf("sides on two hosts have the distances %q", got)
	}
	s.oneHost = true
	if got := s.distances(pairs); !slices.Equal(got, []string{topology.SameCPU}) {
		t.Errorf("threads on one CPU at a time have the distances %q", got)
	}
	var rb rowBuilder
	for range 2 {
		rb.addPlacement(oob.Round{CPU: 1, WallNs: 1}, oob.Round{CPU: 1, WallNs: 1})
	}
	rb.addPlacement(oob.Round{CPU: 1, WallNs: 1}, oob.Round{CPU: affinity.NoCPU, WallNs: 1})
	rb.addPlacement(oob.Round{CPU: 1, WallNs: 1}, oob.Round{CPU: 0})
	if !slices.Equal(rb.placements, pairs[:1]) {
		t.Errorf("placements %v", rb.placements)
	}
}
