//go:build trials

package e2e

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Launchers that do not end a job when a rank is killed.
var (
	srunKeeps   = launcher{"srun", "-K0", "SLURM_PROCID"}
	mpirunKeeps = launcher{"mpirun.openmpi", "--oversubscribe --enable-recovery", "OMPI_COMM_WORLD_RANK"}
)

// TestTrialOfClusterKilledRank kills any rank but 0 after some tests: the others are measured, and the rank is named.
func TestTrialOfClusterKilledRank(t *testing.T) {
	for _, l := range []launcher{srunKeeps, mpirunKeeps} {
		t.Run(l.String(), func(t *testing.T) {
			for seed := range *seeds {
				w := newWorkspace(t, "out", "ompi.*")
				root, rank := w.launch(l, 8, "--time-limit 1 --connect-timeout 20"), 1+seed%7
				w.awaitTests(root, 1+seed*5%20)
				w.killRank(root, l, rank)
				root.wait(clusterLimit)
				root.wantStdout("; exit status 4\n")
				r := w.readCluster()
				want := fmt.Sprintf("rank %d lost", rank)
				if named := r.named(); named != want || measuredPairsWithout(r.Tests, rank) != 21 {
					t.Fatalf("seed %d: named %q, want %q; %d pairs of the others, want 21\n%s", seed, named, want, measuredPairsWithout(r.Tests, rank), root.output())
				}
			}
			t.Logf("%d of %[1]d", *seeds)
		})
	}
}

// TestTrialOfClusterKilledRoot kills rank 0 after some tests: all processes end within five seconds, no line of the journal is
// lost, and --resume measures what is missing.
func TestTrialOfClusterKilledRoot(t *testing.T) {
	for _, l := range []launcher{srunKeeps, mpirunKeeps, mpirun, hydra} {
		t.Run(l.String(), func(t *testing.T) {
			longest := time.Duration(0)
			for seed := range *seeds {
				w := newWorkspace(t, "out", "ompi.*")
				root := w.launch(l, 8, "")
				w.awaitTests(root, 1+seed*5%20)
				w.killRank(root, l, 0)
				before, _ := os.ReadFile(w.journal())
				killed := time.Now()
				if err := waitUntil(10*time.Second, func() bool { return len(w.rankProcesses()) == 0 }); err != nil {
					t.Fatalf("seed %d: left %v", seed, w.rankProcesses())
				}
				longest = max(longest, time.Since(killed))
				root.wait(clusterLimit)
				w.launch(l, 8, "--resume --time-limit 1").wait(clusterLimit)
				after, _ := os.ReadFile(w.journal())
				whole := before[:bytes.LastIndexByte(before, '\n')+1]
				if r := w.readCluster(); !bytes.HasPrefix(after, whole) || measuredPairs(r.Tests) != 28 {
					t.Fatalf("seed %d: %d pairs, want 28; the journal begins as before: %v", seed, measuredPairs(r.Tests), bytes.HasPrefix(after, whole))
				}
			}
			t.Logf("%d of %[1]d, all processes were gone after at most %v", *seeds, longest)
			if longest > 5*time.Second {
				t.Errorf("want five seconds")
			}
		})
	}
}

// measuredPairsWithout returns the number of measured pairs without a rank.
func measuredPairsWithout(tests []clusterTest, rank int) int {
	var others []clusterTest
	for _, t := range tests {
		if t.A != rank && t.B != rank {
			others = append(others, t)
		}
	}
	return measuredPairs(others)
}

func (w *workspace) journal() string { return filepath.Join(w.dir, "out", "journal.jsonl") }

// killRank kills the process of a rank that a launcher has started.
func (w *workspace) killRank(root *process, l launcher, rank int) {
	w.t.Helper()
	want := fmt.Sprintf("\x00%s=%d\x00", l.rank, rank)
	killed := false
	for _, pid := range w.rankProcesses() {
		environ, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid)) // empty if it has ended
		if text := "\x00" + string(environ); strings.Contains(text, want) && !strings.Contains(text, "IBPERF_CLUSTER_TASK=") {
			killed = unix.Kill(pid, unix.SIGKILL) == nil || killed
		}
	}
	if !killed {
		w.t.Fatalf("no process of rank %d\n%s", rank, root.output())
	}
}

// rankProcesses returns the processes of ib_cluster in this workspace, by their command lines.
func (w *workspace) rankProcesses() (pids []int) {
	begin, folder := filepath.Join(bin, "ib_cluster")+"\x00", "\x00"+filepath.Join(w.dir, "out")+"\x00"
	all, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range all {
		command, _ := os.ReadFile(dir + "/cmdline") // empty if it has ended
		if strings.HasPrefix(string(command), begin) && strings.Contains(string(command), folder) {
			pid, _ := strconv.Atoi(filepath.Base(dir)) // the pattern has only numbers
			pids = append(pids, pid)
		}
	}
	return pids
}
