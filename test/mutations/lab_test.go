package main

import (
	"fmt"
	"os/exec"
	"testing"
)

// A failing run names the innermost test that failed, or the last one that began.
func TestCaughtBy(t *testing.T) {
	const began = "=== RUN   TestA\n=== RUN   TestA/one\n"
	ended := error(&exec.ExitError{})
	for _, c := range []struct {
		out  string
		err  error
		want string
	}{
		{began + "--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/one (0.00s)\n", ended, "caught by TestA/one"},
		{began + "panic: no\n\ngoroutine 1 [running]:\n", ended, "crashes in TestA/one"},
		{began, fmt.Errorf("the tests: %w", errSilent), "hangs in TestA/one"},
	} {
		if got, err := caughtBy([]byte(c.out), c.err); got != c.want || err != nil {
			t.Errorf("%q is %q, not %q; %v", c.out, got, c.want, err)
		}
	}
	if _, err := caughtBy(nil, exec.ErrNotFound); err == nil {
		t.Error("tests that cannot be run catch nothing")
	}
}
