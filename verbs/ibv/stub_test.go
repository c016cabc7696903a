//go:build linux && cgo

package ibv

import (
	stdcontext "context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

var length = flag.Duration("length", time.Second, "how long each test under load lasts")

// stubEnv tells a child that its libibverbs is testdata/stub.c.
const stubEnv = "IBPERF_TEST_STUB"

// onStub runs the calling test, or of it what the pattern selects, once more in a process
// whose libibverbs is testdata/stub.c, and is true there. A process that hangs is killed.
func onStub(t *testing.T, pattern string) bool {
	t.Helper()
	if os.Getenv(stubEnv) != "" {
		return true
	}
	dir := t.TempDir()
	gcc(t, "-shared", "-fPIC", "-Wall", "-Wextra", "-Wno-unused-parameter", "-o", filepath.Join(dir, "libibverbs.so.1"), "testdata/stub.c", "-lpthread")
	limit := 3**length + 2*patience
	ctx, cancel := stdcontext.WithTimeout(t.Context(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.v", "-test.run", pattern, "-length", length.String())
	cmd.Env = append(os.Environ(), stubEnv+"=1", "LD_LIBRARY_PATH="+dir)
	cmd.WaitDelay = time.Second
	if out, err := cmd.CombinedOutput(); ctx.Err() != nil {
		t.Errorf("frozen: killed after %v\n%s", limit, out)
	} else if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	return false
}

// stubContext opens the stub's device.
func stubContext(t *testing.T) verbs.Context {
	t.Helper()
	d, err := backend{}.Lookup("stub0")
	if d == nil || err != nil {
		t.Fatalf("no device stub0: %v; libibverbs: %s", err, backend{}.Version())
	}
	c := made(d.Open())(t)
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
