package e2e

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// stubFolder is the folder of the compiled library with the device stub0, empty until it is compiled.
var stubFolder string

// stubLibrary compiles the library, once, and returns its path.
var stubLibrary = sync.OnceValues(func() (library string, err error) {
	if stubFolder, err = os.MkdirTemp("", "ibperf-stub-"); err != nil {
		return "", err
	}
	library = filepath.Join(stubFolder, "stub.so")
	sources, _ := filepath.Glob("../../verbs/ibv/testdata/libibverbs/*.c")
	args := append([]string{"-O2", "-shared", "-fPIC", "-pthread", "-o", library}, sources...)
	if out, err := exec.Command("gcc", args...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("gcc: %w\n%s", err, out)
	}
	return library, nil
})

// stub returns the environment variables with which a program loads the stub in place of libibverbs.
func stub(t *testing.T) []string {
	t.Helper()
	library, err := stubLibrary()
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
	return []string{"LD_PRELOAD=" + library, "STUB_SHARED=" + filepath.Join(dir, "shared")}
}

// efa holds variables that make stub0 an EFA device with READ and WRITE. It promises the order of
// blocks, and one in every three requests is overtaken.
var efa = []string{"STUB_EFA=10", "STUB_ORDER=2", "STUB_OVERTAKE=3"}
