//go:build linux && cgo

package ibv

import (
	"os"
	"testing"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

// callModes are the values of IBPERF_CGO, by the mode of timed calls that each selects.
var callModes = map[string]string{"ccall": "", "cgo": "1"}

// TestEachCallMode runs the loopback tests in each call mode.
func TestEachCallMode(t *testing.T) {
	t.Parallel()
	for name, forced := range callModes {
		t.Run(name, func(t *testing.T) { runOnStub(t, "^TestLoopback", "IBPERF_CGO="+forced) })
	}
}

// TestCallPath: a device tells how its timed calls go into C, which is what was asked for.
func TestCallPath(t *testing.T) {
	if *deviceName != stub {
		t.Parallel()
		for name, forced := range callModes {
			t.Run(name, func(t *testing.T) { runOnStub(t, "^TestCallPath$", "IBPERF_CGO="+forced) })
		}
		return
	}
	want := verbs.CallsDirect
	if os.Getenv("IBPERF_CGO") != "" {
		want = verbs.CallsCgo
	}
	if got := stubContext(t).(verbs.LibraryCaller).CallPath(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// depth is the number of requests that a test posts at once.
const depth = 16

// loopback is an RC QP that is connected with itself.
type loopback struct{ *fixture.Side }

func openLoopback(t *testing.T) verbs.Context {
	t.Helper()
	if *deviceName != stub {
		t.Skip("run by TestEachCallMode, with -device " + stub)
	}
	return stubContext(t)
}

// newLoopback makes a QP with one CQ, and with an SRQ if shared is set.
func newLoopback(t *testing.T, ctx verbs.Context, shared bool) loopback {
	t.Helper()
	c := fixture.Default()
	if shared {
		c = c.OnSRQ()
	}
	return connectLoopback(t, ctx, c)
}

func connectLoopback(t *testing.T, ctx verbs.Context, c fixture.Config) loopback {
	t.Helper()
	c.OneCQ, c.SigAll, c.BufferSize = true, true, 4096
	c.Cap.MaxSendSGE, c.Cap.MaxRecvSGE = 2, 2
	s := fixture.New(t, ctx, c)
	s.Enter(verbs.QPRTS, s)
	return loopback{s}
}

// postRecv posts to the queue that the QP receives from.
func (l loopback) postRecv(wr *verbs.RecvWR) (*verbs.RecvWR, error) {
	if l.SRQ != nil {
		return l.SRQ.PostRecv(wr)
	}
	return l.QP.PostRecv(wr)
}
