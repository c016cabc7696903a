//go:build linux && cgo

package ibv

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/ibperf/ibperf/verbs"
)

// faultAddress is where the library stores a byte in TestLoopbackFault.
const faultAddress = 0x10

// TestFaultsAreReported: a crash in the library ends the process with its signal,
// address, program counter and Go caller.
func TestFaultsAreReported(t *testing.T) {
	library := loopbackLibrary(t)
	for name, forced := range ways {
		t.Run(name, func(t *testing.T) {
			out, err := onLoopback(library, forced, "^TestFault$").CombinedOutput()
			if err == nil {
				t.Fatal("it lives")
			}
			for _, want := range []string{`SIGSEGV`, fmt.Sprintf(`addr(ess |=)%#x\b`, faultAddress), `(PC |PC=|pc=)0x[0-9a-f]+`, `ibv\.\(\*qp\)\.PostSend\(`, `ibv\.TestFault\(`} {
				if !regexp.MustCompile(want).Match(out) {
					t.Errorf("nothing like %s in", want)
				}
			}
			if regexp.MustCompile(`panic during panic|caught`).Match(out) {
				t.Error("the runtime lost its way, or went on, in")
			}
			t.Logf("%s", out)
		})
	}
}

// TestFault crashes, when it is run by TestFaultsAreReported.
func TestFault(t *testing.T) {
	l := newLane(t, openLoopback(t), false)
	defer func() { t.Log("caught", recover()) }()
	wr := verbs.SendWR{Opcode: verbs.OpRDMAWrite}
	wr.SetRDMA(faultAddress, 0)
	_, _ = l.qp.PostSend(&wr)
}
