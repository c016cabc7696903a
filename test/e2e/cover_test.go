package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	// The programs are built by the go command, which therefore does not know
	// that a cached result of these tests depends on them: so it is told.
	_ "github.com/ibperf/ibperf/internal/cli"
)

// TestEveryProgramIsCovered by these tests. Reading the programs' sources makes
// results depend on them.
func TestEveryProgramIsCovered(t *testing.T) {
	covered := append([]string{"ib_caps", "ib_report", "ib_compare", "ib_conform", "ib_atomic_lat", "ib_atomic_bw"}, programs...)
	folders, err := os.ReadDir(filepath.Join("..", "..", "cmd"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range folders {
		if !slices.Contains(covered, f.Name()) {
			t.Errorf("%s is not covered", f.Name())
		}
		sources, err := filepath.Glob(filepath.Join("..", "..", "cmd", f.Name(), "*.go"))
		if err != nil || len(sources) == 0 {
			t.Errorf("%s: %d source files, %v", f.Name(), len(sources), err)
		}
		for _, s := range sources {
			if _, err := os.ReadFile(s); err != nil {
				t.Error(err)
			}
		}
	}
}
