package coordinator

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ibperf/ibperf/cmd/internal/cluster/agent"
	"github.com/ibperf/ibperf/cmd/internal/cluster/results"
	"github.com/ibperf/ibperf/cmd/internal/cluster/schedule"
	"github.com/ibperf/ibperf/cmd/internal/cluster/topology"
	"github.com/ibperf/ibperf/oob"
)

func TestRunTestsAllPairs(t *testing.T) {
	b := newBench(t, 8, t.TempDir()+"/out", false)
	for rank := range 8 {
		b.join(rank, good(rank))
	}
	d, err := b.run()
	if err != nil || len(states(d, results.Good)) != 8 || pairs(d) != 28 || len(d.Pairs) > 0 {
		t.Errorf("%v: good %v, %d pairs, bad pairs %v", err, states(d, results.Good), pairs(d), d.Pairs)
	}
}

// TestRunNamesFaults: a rank with a fault is named, and no other one.
func TestRunNamesFaults(t *testing.T) {
	for _, c := range []struct {
		name, state, why string
		fault            func(oob.ClusterTask) oob.ClusterOutcome // of rank 2
	}{
		{"no device", results.Bad, "no usable device: cannot open", func(task oob.ClusterTask) oob.ClusterOutcome {
			return oob.ClusterOutcome{Error: "cannot open"}
		}},
		{"failing server and client", results.Bad, "tests failed", func(task oob.ClusterTask) oob.ClusterOutcome {
			if task.Kind == oob.TaskDescribe {
				return good(2)(task)
			}
			return oob.ClusterOutcome{Error: "no QP"}
		}},
		{"dies", results.Lost, "died", func(task oob.ClusterTask) oob.ClusterOutcome {
			if task.Kind == oob.TaskDescribe {
				return good(2)(task)
			}
			return oob.ClusterOutcome{Error: "die"}
		}},
		{"slow", results.Bad, "bandwidth 0.5 times the median", func(task oob.ClusterTask) oob.ClusterOutcome {
			return good(2)(task)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, 8, t.TempDir()+"/out", false)
			for rank := range 8 {
				do := good(rank)
				if rank == 2 {
					do = c.fault
				}
				if c.name == "slow" {
					do = halved(do, rank == 2, 4002)
				}
				b.join(rank, do)
			}
			d, err := b.run()
			if err != nil || !slices.Equal(states(d, c.state), []int{2}) || len(states(d, results.Good)) != 7 {
				t.Fatalf("%v: %s %v, good %v\n%v", err, c.state, states(d, c.state), states(d, results.Good), b.notes)
			}
			if why := d.Nodes[2].Why; !strings.Contains(why, c.why) {
				t.Errorf("rank 2 is %s: %s; want %s", c.state, why, c.why)
			}
		})
	}
}

// TestRunTestsTogether: the tests of a round overlap, and each node has one at a time. A journal of a part of a round is
// continued with the whole round.
func TestRunTestsTogether(t *testing.T) {
	b := newBench(t, 8, t.TempDir()+"/out", false)
	b.config.Together, b.config.Schedule = true, schedule.PatternBisection
	if err := b.config.Journal.Append(results.Test{Round: 1, A: 0, B: 4, Bandwidth: 1}); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	measuring, most := 0, 0
	all := make(chan struct{}) // closed when four tests overlap
	for rank := range 8 {
		do := good(rank)
		b.join(rank, func(task oob.ClusterTask) oob.ClusterOutcome {
			if task.Kind == oob.TaskMeasure {
				mu.Lock()
				if measuring++; measuring > most {
					if most = measuring; most == 4 {
						close(all)
					}
				}
				mu.Unlock()
				select {
				case <-all:
				case <-time.After(limit):
				}
				defer func() { mu.Lock(); measuring--; mu.Unlock() }()
			}
			if task.Kind != oob.TaskDescribe && task.Kind != oob.TaskAwait && task.Time != togetherTime {
				t.Errorf("a task of %v, want %v", task.Time, togetherTime)
			}
			return do(task)
		})
	}
	d, err := b.run()
	if err != nil || most != 4 || len(states(d, results.Good)) != 8 {
		t.Errorf("%v: %d at a time, want 4; good %v", err, most, states(d, results.Good))
	}
	for _, test := range d.Tests[:4] {
		if test.Round != 1 || test.B != test.A+4 || test.Bandwidth < 1e9 {
			t.Errorf("%+v in round 1", test)
		}
	}
}

// TestRunOfOneNode: it is tested with itself.
func TestRunOfOneNode(t *testing.T) {
	for state, want := range map[string]string{results.Good: "", results.Bad: "all 3 tests of its device with itself failed or missed a limit, the first one: no QP"} {
		b := newBench(t, 1, t.TempDir()+"/out", false)
		b.join(0, func(task oob.ClusterTask) oob.ClusterOutcome {
			if task.Kind == oob.TaskMeasure && state == results.Bad {
				return oob.ClusterOutcome{Error: "no QP"}
			}
			return good(0)(task)
		})
		d, err := b.run()
		if err != nil || len(d.Tests) != 3 || d.Nodes[0].State != state || d.Nodes[0].Why != want {
			t.Errorf("%v: %d tests, node %+v", err, len(d.Tests), d.Nodes[0])
		}
	}
}

// TestRunKeepsFiles: the result files of failed and low tests, or of all.
func TestRunKeepsFiles(t *testing.T) {
	for keep, want := range map[results.Keep]int{results.KeepLow: 1, results.KeepAll: 28} {
		dir := t.TempDir() + "/out"
		b := newBench(t, 8, dir, false)
		b.config.Keep = keep
		for rank := range 8 {
			do, served := good(rank), 0
			b.join(rank, func(task oob.ClusterTask) oob.ClusterOutcome {
				switch task.Kind {
				case oob.TaskMeasure:
					if served = task.Port; rank == 2 && served == 4005 || rank == 5 && served == 4002 {
						return oob.ClusterOutcome{Error: "no QP"}
					}
				case oob.TaskFiles:
					return oob.ClusterOutcome{Files: [][]byte{fmt.Appendf(nil, `{"server":%d,"client":%d}`, served-4000, rank)}}
				}
				return do(task)
			})
		}
		d, err := b.run()
		files, _ := filepath.Glob(filepath.Join(dir, results.KeepFolder, "*.json"))
		if err != nil || len(files) < want || keep == results.KeepAll && len(files) != len(d.Tests) {
			t.Fatalf("%v: %s: files %v, want %d or more", err, keep, files, want)
		}
		for _, path := range files {
			var round, a, c, n int
			fmt.Sscanf(filepath.Base(path), "round%d_%d-%d_%d.json", &round, &a, &c, &n)
			data, err := os.ReadFile(path)
			if text := fmt.Sprintf(`{"server":%d,"client":%d}`, a, c); err != nil || string(data) != text {
				t.Errorf("%s: %s, %v", path, data, err)
			}
			if keep == results.KeepLow && (a != 2 || c != 5) && (a != 5 || c != 2) {
				t.Errorf("%s is kept", path)
			}
		}
	}
}

// TestRunOfAStar: rank 0 is tested with all others in the first round, one after another.
func TestRunOfAStar(t *testing.T) {
	b := newBench(t, 6, t.TempDir()+"/out", false)
	b.config.Schedule = schedule.PatternOneToAll
	for rank := range 6 {
		b.join(rank, good(rank))
	}
	d, err := b.run()
	if err != nil || len(states(d, results.Good)) != 6 {
		t.Fatalf("%v: good %v", err, states(d, results.Good))
	}
	for i, test := range d.Tests[:5] {
		if test.Round != 1 || test.B != 0 || test.A != i+1 {
			t.Errorf("%+v in round 1", test)
		}
	}
}

// TestRunEndsIfAllMissALimit: it does not test on for a verdict that no test can bring.
func TestRunEndsIfAllMissALimit(t *testing.T) {
	b := newBench(t, 8, t.TempDir()+"/out", false)
	b.config.Limits.MinBandwidth = 1e12
	for rank := range 8 {
		b.join(rank, good(rank))
	}
	d, err := b.run()
	d.Settings.Limits = b.config.Limits
	if err != nil || d.Rounds > 10 || !d.LimitsMissed() || len(states(d, results.Bad)) > 0 {
		t.Errorf("%v: %d rounds, limits missed: %v, bad %v", err, d.Rounds, d.LimitsMissed(), states(d, results.Bad))
	}
}

// TestRunJudgesGroups: of the file, or as the agents say.
func TestRunJudgesGroups(t *testing.T) {
	for name, groups := range map[string]topology.Groups{"agents": nil, "file": {"n0": "a", "n1": "a", "n2": "b"}} {
		b := newBench(t, 4, t.TempDir()+"/out", false)
		b.config.Groups = groups
		for rank := range 4 {
			b.join(rank, good(rank))
		}
		d, err := b.run()
		if err != nil || len(d.Groups) != 2 || d.Groups[0].State != results.Good {
			t.Fatalf("%s: %v, groups %+v", name, err, d.Groups)
		}
		want := map[bool][]string{true: {"leaf0", "leaf1", "leaf0", "leaf1"}, false: {"a", "a", "b", ""}}[groups == nil]
		for i, n := range d.Nodes {
			if n.Group != want[i] {
				t.Errorf("%s: node %d is in %q, want %q", name, i, n.Group, want[i])
			}
		}
	}
}

// halved halves the bandwidth of a client that is slow, or whose server is the slow one at a port.
func halved(do func(oob.ClusterTask) oob.ClusterOutcome, slow bool, port int) func(oob.ClusterTask) oob.ClusterOutcome {
	return func(task oob.ClusterTask) oob.ClusterOutcome {
		o := do(task)
		if slow || task.Port == port {
			o.Bandwidth /= 2
		}
		return o
	}
}

// TestRunLeavesOut: a rank that does not appear is named, and the rest is tested. An agent of another job is refused.
func TestRunLeavesOut(t *testing.T) {
	b := newBench(t, 6, t.TempDir()+"/out", false)
	b.config.Wait = 3 * time.Second
	for rank := range 5 {
		b.join(rank, good(rank))
	}
	b.agents.Go(func() {
		hello := &oob.ClusterHello{Release: "v1", Job: "8.0", Rank: 5, Ranks: 6, Rails: 1, Node: "n5"}
		_, err := agent.Join(t.Context(), []string{b.socket.Addr().String()}, nil, hello, time.Second)
		if err == nil || !strings.Contains(err.Error(), `this is rank 0 of job "7.0", and the agent is of job "8.0"`) {
			t.Errorf("an agent of another job: %v", err)
		}
	})
	d, err := b.run()
	if err != nil || !slices.Equal(states(d, results.Missing), []int{5}) || len(states(d, results.Good)) != 5 {
		t.Errorf("%v: missing %v, good %v", err, states(d, results.Missing), states(d, results.Good))
	}
}

// TestRunRefusesSeveralHosts: embedded devices of several hosts are refused.
func TestRunRefusesSeveralHosts(t *testing.T) {
	b := newBench(t, 4, t.TempDir()+"/out", false)
	for rank := range 4 {
		b.join(rank, func(oob.ClusterTask) oob.ClusterOutcome {
			return oob.ClusterOutcome{Device: &oob.DeviceID{Name: "shm_whole", Backend: "shm", Boot: fmt.Sprint(rank)}}
		})
	}
	if _, err := b.run(); !errors.As(err, new(*DeviceError)) || !strings.Contains(err.Error(), "several hosts") {
		t.Errorf("error %v", err)
	}
}

// TestRunResumes: a run that was interrupted continues with the tests that are missing.
func TestRunResumes(t *testing.T) {
	dir, measured := t.TempDir()+"/out", 0
	counted := func(rank int, after func()) func(oob.ClusterTask) oob.ClusterOutcome {
		do := good(rank)
		return func(task oob.ClusterTask) oob.ClusterOutcome {
			if task.Kind == oob.TaskMeasure {
				measured++ // one test at a time
				after()
			}
			return do(task)
		}
	}
	b := newBench(t, 8, dir, false)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for rank := range 8 {
		b.join(rank, counted(rank, func() {
			if measured == 11 {
				cancel()
			}
		}))
	}
	l, err := oob.ListenOn(b.socket, oob.ListenOptions{Program: oob.Cluster})
	if err != nil {
		t.Fatal(err)
	}
	if err := Run(ctx, l, b.config, &results.Document{}); !errors.Is(err, context.Canceled) {
		t.Fatalf("the first run: %v", err)
	}
	l.Close()
	b.agents.Wait()
	b.config.Journal.Close()
	measured = 0
	b = newBench(t, 8, dir, true)
	for rank := range 8 {
		b.join(rank, counted(rank, func() {}))
	}
	d, err := b.run()
	if err != nil || pairs(d) != 28 || measured != len(d.Tests)-10 {
		t.Errorf("%v: %d pairs, %d of %d tests measured, want all but 10", err, pairs(d), measured, len(d.Tests))
	}
}

// TestRunOfRails: devices of a rail are tested with each other; a device that fails is named, and its rank's other one is
// good. With AllRails both devices of a pair of ranks measure at the same time.
func TestRunOfRails(t *testing.T) {
	for _, together := range []bool{false, true} {
		b := newBench(t, 4, t.TempDir()+"/out", false)
		b.config.Rails, b.config.AllRails = 2, together
		var mu sync.Mutex
		measuring, most := 0, 0
		both := make(chan struct{}) // closed when two tests overlap
		for node := range 8 {
			do := good(node)
			b.joinRail(node/2, node%2, func(task oob.ClusterTask) oob.ClusterOutcome {
				if task.Kind == oob.TaskMeasure {
					if server := task.Port - 4000; server%2 != node%2 {
						t.Errorf("%d is tested with %d, of the other rail", node, server)
					}
					mu.Lock()
					if measuring++; measuring == 2 && most < 2 {
						close(both)
					}
					most = max(most, measuring)
					mu.Unlock()
					if together {
						select {
						case <-both:
						case <-time.After(limit):
						}
					}
					defer func() { mu.Lock(); measuring--; mu.Unlock() }()
				}
				if node == 5 && (task.Kind == oob.TaskMeasure || task.Kind == oob.TaskAwait) {
					return oob.ClusterOutcome{Error: "no QP"}
				}
				return do(task)
			})
		}
		d, err := b.run()
		if err != nil || !slices.Equal(nodes(d, results.Bad), []int{5}) {
			t.Errorf("together %v: %v: bad %v", together, err, nodes(d, results.Bad))
		}
		if want := map[bool]int{false: 1, true: 2}[together]; most != want {
			t.Errorf("together %v: %d tests at the same time, want %d", together, most, want)
		}
	}
}

// TestRunRefusesOtherRails: an agent of a rank with another number of devices cannot join.
func TestRunRefusesOtherRails(t *testing.T) {
	b := newBench(t, 2, t.TempDir()+"/out", false)
	l, err := oob.ListenOn(b.socket, oob.ListenOptions{Program: oob.Cluster, Clients: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { _ = Run(ctx, l, b.config, &results.Document{Settings: b.config.Settings}) }()
	hello := &oob.ClusterHello{Release: "v1", Job: "7.0", Rank: 1, Ranks: 2, Rail: 1, Rails: 2, Node: "n1"}
	_, err = agent.Join(t.Context(), []string{b.address}, nil, hello, time.Second)
	if err == nil || !strings.Contains(err.Error(), "-d of rank 0 names 1 of its devices, and that of rank 1 2: give all ranks the same number") {
		t.Errorf("error %v", err)
	}
}
