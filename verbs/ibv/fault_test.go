//go:build linux && cgo

package ibv

import (
	"flag"
	"regexp"
	"testing"

	"github.com/ibperf/ibperf/verbs"
)

// crash names the case of crashes that TestCrash makes.
var crash = flag.String("crash", "", "how TestCrash ends the process")

// crashes are requests that the loopback device cannot survive.
var crashes = map[string]struct {
	wr   verbs.SendWR
	want []string // in the output, as regular expressions
}{
	"fault": {writeTo(0x10), []string{`SIGSEGV`, `addr(ess |=)0x10\b`}},
	"abort": {verbs.SendWR{Opcode: verbs.OpSend, NumSGE: 100}, []string{`SIGABRT`}},
}

func writeTo(addr uint64) verbs.SendWR {
	wr := verbs.SendWR{Opcode: verbs.OpRDMAWrite}
	wr.SetRDMA(addr, 0)
	return wr
}

// TestCrashesAreReported: a crash in the library ends the process with its signal,
// address, program counter and Go caller.
func TestCrashesAreReported(t *testing.T) {
	library := loopbackLibrary(t)
	for way, forced := range ways {
		for name, c := range crashes {
			t.Run(way+", "+name, func(t *testing.T) {
				out, err := onLoopback(library, forced, "^TestCrash$", "-crash", name).CombinedOutput()
				if err == nil {
					t.Error("the process survived")
				}
				for _, want := range append(c.want, `PC[ =]0x[0-9a-f]+`, `ibv\.\(\*qp\)\.PostSend\(`, `ibv\.TestCrash\(`) {
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
	if *crash == "" {
		t.Skip("run by TestCrashesAreReported, with -crash")
	}
	l := newLane(t, openLoopback(t), false)
	defer func() { t.Log("caught", recover()) }()
	wr := crashes[*crash].wr
	_, _ = l.qp.PostSend(&wr)
}

// TestLoopbackPanic: a fault in Go remains a panic.
func TestLoopbackPanic(t *testing.T) {
	newLane(t, openLoopback(t), false)
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	var none *verbs.WC
	t.Log(none.WRID)
}
