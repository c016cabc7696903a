//go:build trials

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// eight are the ranks of the trials.
var eight = []int{0, 1, 2, 3, 4, 5, 6, 7}

// Launchers of the trials alone.
var (
	srun  = launcher{"srun", "", "SLURM_PROCID"}
	hydra = launcher{"mpiexec.hydra", "", "PMI_RANK"}
)

// TestTrialOfClusterLaunchers: each launcher starts eight ranks, which measure all pairs within two minutes.
func TestTrialOfClusterLaunchers(t *testing.T) {
	for _, l := range []launcher{srun, srunPMI, mpirun, hydra} {
		t.Run(l.String(), func(t *testing.T) {
			w := newWorkspace(t, "out", "ompi.*")
			begun := time.Now()
			w.launch(l, 8, "").wait(clusterLimit) // verdicts depend on what else this host does
			r := w.readCluster()
			all := timeOfPairs(r.Tests, 28).Sub(begun)
			t.Logf("28 pairs after %v, %d tests in %v, good %v", all.Round(time.Second), len(r.Tests), time.Since(begun).Round(time.Second), r.states("good"))
			if n := measuredPairs(r.Tests); n != 28 || all > 2*time.Minute {
				t.Errorf("%d pairs after %v, want 28 within two minutes", n, all)
			}
		})
	}
}

// timeOfPairs returns when a number of pairs had been measured.
func timeOfPairs(tests []clusterTest, n int) time.Time {
	for i := range tests {
		if measuredPairs(tests[:i+1]) == n {
			return tests[i].Time
		}
	}
	return time.Time{}
}

// TestTrialOfClusterFaults: one of eight ranks has a fault: that rank is named, and no other.
func TestTrialOfClusterFaults(t *testing.T) {
	t.Run("wrong data", func(t *testing.T) {
		w := newWorkspace(t, "out")
		endCluster(w.startCluster(8, eight, "--verify", map[int]string{3: "-d shm_liar"}), statusLimit)
		w.readCluster().wantFault(t, 3, "bad", "wrong")
	})
	t.Run("dead", func(t *testing.T) {
		w := newWorkspace(t, "out")
		endCluster(w.startCluster(8, []int{0, 1, 2, 3, 4, 6, 7}, "--connect-timeout 20", nil), statusPeer)
		w.readCluster().wantFault(t, 5, "missing", "did not appear")
	})
	t.Run("no device", func(t *testing.T) {
		w := newWorkspace(t, "out")
		endCluster(w.startCluster(8, eight, "", map[int]string{2: "-d mlx5_77"}), statusLimit)
		w.readCluster().wantFault(t, 2, "bad", "no usable device")
	})
	for _, c := range []struct {
		name, why string
		signal    syscall.Signal
	}{{"killed", "is gone", unix.SIGKILL}, {"stopped", "silent", unix.SIGSTOP}} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorkspace(t, "out")
			ranks := w.startCluster(8, eight, "", nil)
			w.awaitTests(ranks[0], 5)
			ranks[6].signal(c.signal)
			lost := ranks[6]
			delete(ranks, 6)
			endCluster(ranks, statusPeer)
			lost.stop()
			w.readCluster().wantFault(t, 6, "lost", c.why)
		})
	}
}

// TestTrialOfClusterResume kills rank 0: all processes end within five seconds, no line of the journal is lost, and
// --resume measures what is missing.
func TestTrialOfClusterResume(t *testing.T) {
	w := newWorkspace(t, "out")
	ranks := w.startCluster(8, eight, "", nil)
	w.awaitTests(ranks[0], 9)
	ranks[0].signal(unix.SIGKILL)
	for _, rank := range eight[1:] {
		ranks[rank].exits(statusDone, 5*time.Second)
	}
	before := w.readClusterJournal()
	endCluster(w.startCluster(8, eight, "--resume", nil), statusDone)
	r := w.readCluster()
	if n := measuredPairs(r.Tests); n != 28 || len(r.Tests) <= len(before) {
		t.Errorf("%d pairs in %d tests after %d", n, len(r.Tests), len(before))
	}
	for i, test := range before {
		if r.Tests[i] != test {
			t.Errorf("test %d was %+v, is %+v", i, test, r.Tests[i])
		}
	}
}

// awaitTests waits until the journal has a number of tests.
func (w *workspace) awaitTests(root *process, n int) {
	w.t.Helper()
	root.await("tests in the journal", func() bool {
		data, _ := os.ReadFile(filepath.Join(w.dir, "out", "journal.jsonl"))
		return strings.Count(string(data), "\n") > n
	})
}
