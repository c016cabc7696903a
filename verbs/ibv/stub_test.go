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

var (
	length  = flag.Duration("length", time.Second, "duration of each test under load")
	program = flag.String("program", "", "program that runs these tests on the stub in place of this one, with a libibverbs of its own: an emulator of another CPU")
)

// stub is the name of the device of the libibverbs in testdata/libibverbs. A process that
// tests it has that library in LD_LIBRARY_PATH.
const stub = "stub0"

// stubLibrary is the folder in which buildStub has built the library.
var stubLibrary string

// buildStub compiles the library, and links it under the names of libmlx5 and libefa too.
var buildStub = sync.OnceValue(func() error {
	if _, err := exec.LookPath("gcc"); err != nil {
		return err
	}
	var err error
	if stubLibrary, err = os.MkdirTemp("", "ibperf-stub."); err != nil {
		return err
	}
	sources, _ := filepath.Glob("testdata/libibverbs/*.c")
	args := []string{"-O0", "-shared", "-fPIC", "-pthread", "-o", filepath.Join(stubLibrary, "libibverbs.so.1")}
	if out, err := exec.Command("gcc", append(args, sources...)...).CombinedOutput(); err != nil {
		return fmt.Errorf("gcc: %w\n%s", err, out)
	}
	return errors.Join(
		os.Symlink("libibverbs.so.1", filepath.Join(stubLibrary, "libmlx5.so.1")),
		os.Symlink("libibverbs.so.1", filepath.Join(stubLibrary, "libefa.so.1")),
	)
})

// stubCommand returns a command that runs tests of this binary, by their pattern, on the stub.
// A process that hangs gets SIGQUIT, on which it prints its goroutines, and then SIGKILL.
func stubCommand(t *testing.T, tests string, env ...string) *exec.Cmd {
	t.Helper()
	if *deviceName != "" {
		t.Skip("it runs other tests on the stub: run it without -device")
	}
	switch err := buildStub(); {
	case errors.Is(err, exec.ErrNotFound):
		t.Skip("gcc is not installed")
	case err != nil:
		t.Fatal(err)
	}
	limit, binary, args := 3**length+4*patience, os.Args[0], []string{"-test.v", "-test.run", tests, "-device", stub, "-length", length.String()}
	if *program != "" {
		limit, binary = 3*limit, *program
	}
	ctx, cancel := stdcontext.WithTimeout(t.Context(), limit)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, binary, args...)
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

// runOnStub runs tests on the stub, all of which must pass, and returns their output. A
// skipped test is an error.
func runOnStub(t *testing.T, tests string, env ...string) string {
	t.Helper()
	out, err := stubCommand(t, tests, env...).CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("--- PASS")) || bytes.Contains(out, []byte("--- SKIP")) {
		t.Fatalf("%v: %v\n%s", env, err, out)
	}
	return string(out)
}

// onStub reports whether this process tests the stub. If not, it runs the calling test in a
// child process that does, in parallel with other tests.
func onStub(t *testing.T) bool {
	t.Helper()
	if *deviceName == stub {
		return true
	}
	t.Parallel()
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

// stubChannel creates a completion channel, which is closed after the test.
func stubChannel(t *testing.T, c verbs.Context) verbs.CompChannel {
	t.Helper()
	ch := made(c.CreateCompChannel())(t)
	t.Cleanup(func() {
		if err := ch.Close(); err != nil {
			t.Error(err)
		}
	})
	return ch
}

// made returns the object of a call, or ends the test with its error.
func made[T any](object T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return object
	}
}
