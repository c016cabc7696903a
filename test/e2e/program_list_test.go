package e2e

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/option"
)

// TestEveryProgramIsCovered: each folder in cmd is in the list of tested programs, and each test has a
// program.
func TestEveryProgramIsCovered(t *testing.T) {
	covered := append([]string{"internal", "ibperf", "ib_caps", "ib_report", "ib_compare", "ib_conform", "ib_verify", "ib_cluster", "ib_atomic_lat", "ib_atomic_bw"}, programs...)
	folders, err := os.ReadDir(filepath.Join("..", "..", "cmd"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range folders {
		if !slices.Contains(covered, f.Name()) {
			t.Errorf("cmd/%s is not in the list of tested programs", f.Name())
		}
	}
	for _, test := range option.Tests() {
		if !slices.ContainsFunc(folders, func(f fs.DirEntry) bool { return f.Name() == test.Program() }) {
			t.Errorf("the test %s has no program: cmd/%s does not exist", test.Program(), test.Program())
		}
	}
}

// TestResultsDependOnTheSources reads all sources. So the go command, which records the files that a
// test reads, uses no cached result of these tests when a program has changed.
func TestResultsDependOnTheSources(t *testing.T) {
	n := 0
	err := filepath.WalkDir(filepath.Join("..", ".."), func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == ".git" || entry.Name() == "test"):
			return fs.SkipDir
		case entry.IsDir() || !strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, ".c"):
			return nil
		}
		n++
		_, err = os.ReadFile(path)
		return err
	})
	if err != nil || n < 100 {
		t.Errorf("read %d sources, error %v, want 100 or more", n, err)
	}
}
