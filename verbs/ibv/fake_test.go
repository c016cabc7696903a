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

// fakeEnv tells a child that its libibverbs is testdata/fake.c.
const fakeEnv = "IBPERF_TEST_FAKE_LIBRARY"

// onFake runs the calling test, or of it what the pattern selects, once more in a process
// whose libibverbs is testdata/fake.c, and is true there. A process that hangs is killed.
func onFake(t *testing.T, pattern string) bool {
	t.Helper()
	if os.Getenv(fakeEnv) != "" {
		return true
	}
	dir := t.TempDir()
	gcc(t, "-shared", "-fPIC", "-Wall", "-Wextra", "-Wno-unused-parameter", "-o", filepath.Join(dir, "libibverbs.so.1"), "testdata/fake.c", "-lpthread")
	limit := 3**length + 2*patience
	ctx, cancel := stdcontext.WithTimeout(t.Context(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.v", "-test.run", pattern, "-length", length.String())
	cmd.Env = append(os.Environ(), fakeEnv+"=1", "LD_LIBRARY_PATH="+dir)
	cmd.WaitDelay = time.Second
	if out, err := cmd.CombinedOutput(); ctx.Err() != nil {
		t.Errorf("frozen: killed after %v\n%s", limit, out)
	} else if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	return false
}

// fakeContext opens the fake's device.
func fakeContext(t *testing.T) verbs.Context {
	t.Helper()
	d, err := backend{}.Lookup("fake0")
	if d == nil || err != nil {
		t.Fatalf("no device fake0: %v; libibverbs: %s", err, backend{}.Version())
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
