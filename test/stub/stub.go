// Package stub compiles the libibverbs of tests, with the device stub0, which programs load in place of the real one.
package stub

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// folder has what was compiled. It is empty before.
var folder string

// library compiles the library, once, and returns its path.
var library = sync.OnceValues(func() (path string, err error) {
	if folder, err = os.MkdirTemp("", "ibperf-stub-"); err != nil {
		return "", err
	}
	path = filepath.Join(folder, "stub.so")
	sources, _ := filepath.Glob("../../verbs/ibv/testdata/libibverbs/*.c")
	args := append([]string{"-O2", "-shared", "-fPIC", "-pthread", "-o", path}, sources...)
	if out, err := exec.Command("gcc", args...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("gcc: %w\n%s", err, out)
	}
	return path, nil
})

// Env returns the variables with which both sides of a run load the library. The tests are in a folder below test.
func Env(t *testing.T) []string {
	t.Helper()
	path, err := library()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		t.Skip("gcc is not installed")
	case err != nil:
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("/dev/shm", "verbs-stub.")
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return []string{"LD_PRELOAD=" + path, "STUB_SHARED=" + filepath.Join(dir, "shared")}
}

// Folder returns the folder of what Env has compiled, for more of that kind.
func Folder() string { return folder }

// Remove removes the folder.
func Remove() { os.RemoveAll(folder) }
