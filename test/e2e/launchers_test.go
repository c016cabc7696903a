package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A launcher starts the ranks of a cluster on this host.
type launcher struct {
	program, options string
	rank             string // environment variable that holds the rank of a process
}

func (l launcher) String() string { return strings.TrimSpace(l.program + " " + l.options) }

// The launchers of the tests.
var (
	srunPMI = launcher{"srun", "--mpi=pmi2", "SLURM_PROCID"}
	mpirun  = launcher{"mpirun.openmpi", "--oversubscribe", "OMPI_COMM_WORLD_RANK"}
)

// launch starts a number of ranks, up to eight, with options that are split at blanks. Without the launcher the test is
// skipped.
func (w *workspace) launch(l launcher, ranks int, options string) *process {
	w.t.Helper()
	t := w.t.(*testing.T)
	path, err := exec.LookPath(l.program)
	if err != nil {
		t.Skipf("%v: test/packages launchers installs it", err)
	}
	args := strings.Fields(l.options + fmt.Sprint(" -n ", ranks))
	switch {
	case l.program == srunPMI.program:
		args = append(args, fmt.Sprint("-N", ranks))
		w.env = append(w.env, "SLURM_CONF="+startSlurm(t))
	case l.program == mpirun.program && os.Getuid() == 0:
		args = append(args, "--allow-run-as-root")
	}
	args = append(args, filepath.Join(bin, "ib_cluster"), "-d", embedded, "--dir", filepath.Join(w.dir, "out"))
	return w.start(path, append(args, strings.Fields(options)...)...)
}

// TestClusterUnderSlurm: srun starts four ranks, which find rank 0 by PMI-1 and measure all pairs. Verdicts depend on what
// else this host does.
func TestClusterUnderSlurm(t *testing.T) {
	w := newWorkspace(t, "out")
	root := w.launch(srunPMI, 4, "--time-limit 1")
	root.wait(clusterLimit)
	r := w.readCluster()
	if measuredPairs(r.Tests) != 6 || len(r.Nodes) != 4 || len(r.states("lost"))+len(r.states("missing")) > 0 {
		t.Errorf("%d pairs of %d nodes, want 6 of 4\n%s", measuredPairs(r.Tests), len(r.Nodes), root.output())
	}
	root.wantStdout(fmt.Sprintf("; exit status %d\n", r.Status))
}
