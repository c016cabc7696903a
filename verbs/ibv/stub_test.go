//go:build linux && cgo

package ibv

import (
	"bytes"
	stdcontext "context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

var length = flag.Duration("length", time.Second, "how long each test under load lasts")

// stub is the device of the libibverbs in testdata/libibverbs. A process that tests it has
// found that library.
const stub = "stub0"

// stubLibrary is where buildStub has left the library.
var stubLibrary string

// buildStub compiles the library, and gives it the names of libmlx5 and libefa too.
var buildStub = sync.OnceValue(func() error {
	if _, err := exec.LookPath("gcc"); err != nil {
		return err
	}
	var err error
	if stubLibrary, err = os.MkdirTemp("", "ibperf-stub."); err != nil {
		return err
	}
	sources, _ := filepath.Glob("testdata/libibverbs/*.c")
	args := []string{"-O2", "-shared", "-fPIC", "-pthread", "-o", filepath.Join(stubLibrary, "libibverbs.so.1")}
	if out, err := exec.Command("gcc", append(args, sources...)...).CombinedOutput(); err != nil {
		return fmt.Errorf("gcc: %w\n%s", err, out)
	}
	return errors.Join(
		os.Symlink("libibverbs.so.1", filepath.Join(stubLibrary, "libmlx5.so.1")),
		os.Symlink("libibverbs.so.1", filepath.Join(stubLibrary, "libefa.so.1")),
	)
})

// stubCommand is a run of this program's tests, by their pattern, on the stub. A process
// that hangs is told to quit, which prints its goroutines, and then killed.
func stubCommand(t *testing.T, tests string, env ...string) *exec.Cmd {
	t.Helper()
	if *deviceName != "" {
		t.Skip("it runs others on the stub: run without -device")
	}
	switch err := buildStub(); {
	case errors.Is(err, exec.ErrNotFound):
		t.Skip("gcc is not installed")
	case err != nil:
		t.Fatal(err)
	}
	ctx, cancel := stdcontext.WithTimeout(t.Context(), 3**length+4*patience)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.v", "-test.run", tests, "-device", stub, "-length", length.String())
	cmd.Env = slices.Concat(os.Environ(), []string{"LD_LIBRARY_PATH=" + stubLibrary}, env)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGQUIT) }
	cmd.WaitDelay = time.Second
	return cmd
}

// sharedFile is the variable that lets processes on the stub reach each other.
func sharedFile(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if memory, err := os.MkdirTemp("/dev/shm", "verbs-stub."); err == nil {
		t.Cleanup(func() { os.RemoveAll(memory) })
		dir = memory
	}
	return "STUB_SHARED=" + filepath.Join(dir, "shared")
}

// runOnStub runs tests on the stub, where all must pass and none be skipped. It returns
// what they print.
func runOnStub(t *testing.T, tests string, env ...string) string {
	t.Helper()
	out, err := stubCommand(t, tests, env...).CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("--- PASS")) || bytes.Contains(out, []byte("--- SKIP")) {
		t.Fatalf("%v: %v\n%s", env, err, out)
	}
	return string(out)
}

// onStub runs the calling test once more in a process that tests the stub, and is true there.
func onStub(t *testing.T) bool {
	t.Helper()
	if *deviceName == stub {
		return true
	}
	runOnStub(t, "^"+t.Name()+"$")
	return false
}

// stubContext opens the stub.
func stubContext(t *testing.T) verbs.Context {
	t.Helper()
	c := made(testDevice(t).Open())(t)
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// made returns what a call made, or fails.
func made[T any](object T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return object
	}
}
