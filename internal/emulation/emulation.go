// Package emulation tells tests whether an emulator of another CPU runs them, as test/arm64 does.
package emulation

import (
	"os"
	"testing"
)

// On reports whether an emulator runs this process. QEMU hides from a process that it is emulated, so that
// test/arm64 says so by a variable of the environment.
func On() bool { return os.Getenv("IBPERF_TEST_EMULATED") != "" }

// SkipFork skips a test that starts processes. os.StartProcess may hang in an emulated process (go.dev/issue/68976, with QEMU
// 7.2), and the kernel starts no programs of the emulated CPU.
func SkipFork(t testing.TB) {
	t.Helper()
	if On() {
		t.Skip("emulation: an emulated process that starts another one may hang (go.dev/issue/68976)")
	}
}

// SkipTimes skips a test that bounds times by a few microseconds: an emulated call takes as long, and not always the same time.
func SkipTimes(t testing.TB) {
	t.Helper()
	if On() {
		t.Skip("emulation: the times would be the emulator's")
	}
}
