//go:build linux && cgo

package ibv

import (
	"testing"

	"github.com/ibperf/ibperf/verbs"
)

// ways are the two ways of timed calls into C, as values of IBPERF_CGO.
var ways = map[string]string{"ccall": "", "cgo": "1"}

// TestEachWay runs the tests of the lane, once for each way.
func TestEachWay(t *testing.T) {
	for name, forced := range ways {
		t.Run(name, func(t *testing.T) { runOnStub(t, "^TestLoopback", "IBPERF_CGO="+forced) })
	}
}

// lane is a QP, connected with itself, that receives what it sends, with CQ and memory.
type lane struct {
	cq  verbs.CQ
	qp  verbs.QP
	srq verbs.SRQ // or nil
	mem *verbs.Buffer
	mr  verbs.MR
}

// depth is how many requests a test posts at once.
const depth = 16

func openLoopback(t *testing.T) verbs.Context {
	t.Helper()
	if *deviceName != stub {
		t.Skip("run by TestEachWay, with -device " + stub)
	}
	return stubContext(t)
}

func newLane(t *testing.T, ctx verbs.Context, shared bool) *lane {
	t.Helper()
	l := &lane{}
	pd, err := ctx.AllocPD()
	must := func(what string) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	must("pd")
	t.Cleanup(func() { pd.Close() })
	l.cq, err = ctx.CreateCQ(2*depth, nil, 0)
	must("cq")
	t.Cleanup(func() { l.cq.Close() })
	if shared {
		l.srq, err = pd.CreateSRQ(&verbs.SRQInitAttr{Attr: verbs.SRQAttr{MaxWR: depth, MaxSGE: 2}})
		must("srq")
		t.Cleanup(func() { l.srq.Close() })
	}
	l.qp, err = pd.CreateQP(&verbs.QPInitAttr{
		Type: verbs.QPTypeRC, SendCQ: l.cq, RecvCQ: l.cq, SRQ: l.srq, SigAll: true,
		Cap: verbs.QPCap{MaxSendWR: depth, MaxRecvWR: depth, MaxSendSGE: 2, MaxRecvSGE: 2},
	})
	must("qp")
	t.Cleanup(func() { l.qp.Close() })
	gid, err := ctx.QueryGID(1, 0)
	must("gid")
	itself := verbs.Endpoint{QPNum: l.qp.QPNum(), GID: gid.GID, MTU: verbs.MTU1024}
	err = verbs.Connect(l.qp, verbs.Path{Port: 1}, 0, itself, itself)
	must("connect")
	l.mem, err = verbs.NewBuffer(4096)
	must("buffer")
	t.Cleanup(func() { l.mem.Close() })
	l.mr, err = pd.RegMR(l.mem.Bytes(), verbs.AccessLocalWrite|verbs.AccessRemoteWrite)
	must("mr")
	t.Cleanup(func() { l.mr.Close() })
	return l
}

// postRecv posts to the queue that the QP receives from.
func (l *lane) postRecv(wr *verbs.RecvWR) (*verbs.RecvWR, error) {
	if l.srq != nil {
		return l.srq.PostRecv(wr)
	}
	return l.qp.PostRecv(wr)
}
