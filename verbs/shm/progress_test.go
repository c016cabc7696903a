package shm

import (
	"testing"

	"github.com/ibperf/ibperf/verbs"
)

// newWaitingSend returns a QP with a SEND for which its peer has no receive, its CQ, which has a
// channel, and the peer. The context's engine is stopped, so that only the test makes progress. The
// RNR timer is 655 ms.
func newWaitingSend(t *testing.T) (q *qp, c *cq, peer *node) {
	t.Helper()
	v, peer := newNode(t), newNode(t)
	var err error
	v.cq, err = v.ctx.CreateCQ(16, v.newChannel(t), 0)
	check(t, err)
	made, err := v.qp.pd.CreateQP(&verbs.QPInitAttr{
		SendCQ: v.cq, RecvCQ: v.cq, Type: verbs.QPTypeRC, Cap: verbs.QPCap{MaxSendWR: 16, MaxRecvWR: 16, MaxSendSGE: 1},
	})
	check(t, err)
	v.qp = made.(*qp)
	check(t, v.connect(peer.endpoint()))
	check(t, peer.connect(v.endpoint()))
	check(t, peer.qp.Modify(&verbs.QPAttr{State: verbs.QPRTS}, verbs.MaskState|verbs.MaskMinRNRTimer))
	if s := v.postAndPoll(t, verbs.OpRDMAWrite, peer.mr.Addr(), peer.mr.RKey()); s != verbs.WCSuccess { // maps the peer's memory
		t.Fatalf("status %s, want SUCCESS", s)
	}
	v.ctx.engine.stop()
	t.Cleanup(func() { v.ctx.engine.init(false, false) }) // Close stops it
	_, err = v.qp.PostSend(&verbs.SendWR{WRID: 7, Opcode: verbs.OpSend, SendFlags: verbs.SendSignaled})
	check(t, err)
	return v.qp, v.cq.(*cq), peer
}

// TestPollExecutesPendingSend covers that the poll after a receive was posted executes the SEND
// that waits for it, without the engine, and long before the RNR timer ends.
func TestPollExecutesPendingSend(t *testing.T) {
	_, c, peer := newWaitingSend(t)
	var wc [1]verbs.WC
	if n, err := c.Poll(wc[:]); n != 0 || err != nil {
		t.Fatalf("before the receive: %d completions, %v", n, err)
	}
	_, err := peer.qp.PostRecv(&verbs.RecvWR{})
	check(t, err)
	if n, err := c.Poll(wc[:]); n != 1 || err != nil || wc[0].WRID != 7 || wc[0].Status != verbs.WCSuccess {
		t.Errorf("after the receive: %d completions, %v, the first %+v", n, err, wc[0])
	}
}

// TestArmingWakesEngine covers that arming the CQ makes the engine process pending work at once,
// since the thread may go to sleep.
func TestArmingWakesEngine(t *testing.T) {
	q, c, _ := newWaitingSend(t)
	e := &q.ctx.engine
	select {
	case <-e.wake: // from the request that began to wait
	default:
	}
	check(t, c.ReqNotify(false))
	select {
	case <-e.wake:
	default:
		t.Error("the engine was not woken")
	}
}
