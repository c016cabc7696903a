//go:build linux && cgo

package ibv

import (
	"os"
	"regexp"
	"testing"

	"github.com/ibperf/ibperf/verbs"
)

// crashes are the stub's crashes, by values of STUB_CRASH, with regular expressions that
// match the output.
var crashes = map[string][]string{
	"fault": {`SIGSEGV`, `addr(ess |=)0x10\b`},
	"abort": {`SIGABRT`},
}

// TestCrashesAreReported: a crash in the library ends the process with its signal,
// address, program counter and Go caller.
func TestCrashesAreReported(t *testing.T) {
	t.Parallel()
	for mode, forced := range callModes {
		for name, wanted := range crashes {
			t.Run(mode+", "+name, func(t *testing.T) {
				out, err := stubCommand(t, "^TestCrash$", "IBPERF_CGO="+forced, "STUB_CRASH="+name).CombinedOutput()
				if err == nil {
					t.Error("the process survived")
				}
				for _, want := range append(wanted, `PC[ =]0x[0-9a-f]+`, `ibv\.\(\*qp\)\.PostSend\(`, `ibv\.TestCrash\(`) {
					if !regexp.MustCompile(want).Match(out) {
						t.Errorf("the output lacks %s", want)
					}
				}
				if regexp.MustCompile(`panic during panic|caught`).Match(out) {
					t.Error("the crash was not reported in order")
				}
				t.Logf("%s", out)
			})
		}
	}
}

// TestCrash is run by TestCrashesAreReported.
func TestCrash(t *testing.T) {
	if os.Getenv("STUB_CRASH") == "" {
		t.Skip("run by TestCrashesAreReported, with STUB_CRASH")
	}
	l := newLoopback(t, openLoopback(t), false)
	defer func() { t.Log("caught", recover()) }()
	_, _ = l.QP.PostSend(&verbs.SendWR{Opcode: verbs.OpSend})
}

// TestLoopbackPanic: a fault in Go remains a panic.
func TestLoopbackPanic(t *testing.T) {
	newLoopback(t, openLoopback(t), false)
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	var none *verbs.WC
	t.Log(none.WRID)
}
