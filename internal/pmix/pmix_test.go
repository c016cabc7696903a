package pmix

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ibperf/ibperf/internal/emulation"
	"github.com/ibperf/ibperf/internal/leak"
)

// variable is the environment variable of the ranks that the tests start.
const variable = "IBPERF_TEST_PMIX"

// limit is the time for what takes a moment.
const limit = time.Minute

// TestMain is a rank of a job if a test has started it.
func TestMain(m *testing.M) {
	what := os.Getenv(variable)
	if what == "" {
		leak.Main(m) // it exits
	}
	rank, _ := strconv.Atoi(os.Getenv("PMIX_RANK"))
	wait := limit
	if what == "absent" {
		if wait = 2 * time.Second; rank == 2 {
			time.Sleep(limit) // the others end the job
		}
	}
	value, err := Share(rank, fmt.Sprint("value of rank ", rank), wait)
	fmt.Printf("rank %d: %q %v\n", rank, value, err)
	if err != nil {
		os.Exit(3)
	}
	os.Exit(0)
}

// ranks starts three ranks by mpirun and returns what they print.
func ranks(t *testing.T, what string) (string, error) {
	t.Helper()
	emulation.SkipFork(t)
	if _, err := exec.LookPath("mpirun"); err != nil {
		t.Skipf("no mpirun (openmpi-bin): %v", err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "3", self)
	cmd.Env = append(os.Environ(), variable+"="+what)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func TestShare(t *testing.T) {
	out, err := ranks(t, "all")
	for rank := range 3 {
		if want := fmt.Sprintf("rank %d: \"value of rank 0\" <nil>", rank); err != nil || !strings.Contains(out, want) {
			t.Errorf("%v, no %s in\n%s", err, want, out)
		}
	}
}

// TestShareEnds: without one of the ranks there is an error in time.
func TestShareEnds(t *testing.T) {
	out, err := ranks(t, "absent")
	if err == nil || !strings.Contains(out, "rank 0: \"\" PMIx: some ranks have not called PMIx_Fence within 2s") {
		t.Errorf("%v:\n%s", err, out)
	}
}

// TestShareWithoutLauncher fails with the name of the call, or of the library. It is another process, because the library
// keeps descriptors.
func TestShareWithoutLauncher(t *testing.T) {
	emulation.SkipFork(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), variable+"=alone", "PMIX_RANK=1")
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.HasPrefix(string(out), `rank 1: "" PMIx: `) {
		t.Errorf("%v:\n%s", err, out)
	}
	t.Logf("%s", out)
}
