package shm

import (
	"errors"
	"syscall"
	"testing"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// TestDeregisterBesideAStoppedPeer: a peer that stays within a request for ever, as one
// whose process is stopped, is waited for some seconds, and MR.Close says that the memory
// is not safe from it. A LOCAL_INV that has to wait for it keeps no
// thread waiting.
func TestDeregisterBesideAStoppedPeer(t *testing.T) {
	t.Parallel()
	a, b := newVictim(t), newVictim(t)
	check(t, a.connect(b.endpoint()))
	check(t, b.connect(a.endpoint()))
	w := a.bound(t, a.qp)
	a.qp.attr.Timeout = 0 // for ever
	b.qp.lock()
	wr := verbs.SendWR{WRID: 9, Opcode: verbs.OpLocalInv, SendFlags: verbs.SendSignaled}
	wr.SetInvalidate(w)
	_, err := a.qp.PostSend(&wr)
	check(t, err)
	start := time.Now()
	if err := a.mr.Close(); !errors.Is(err, syscall.ETIMEDOUT) {
		t.Errorf("closing the region said %v, want ETIMEDOUT", err)
	}
	if took := time.Since(start); took < outTimeout || took > 2*outTimeout {
		t.Errorf("that took %v", took)
	}
	var none [1]verbs.WC
	if n, err := a.cq.Poll(none[:]); n != 0 || err != nil {
		t.Errorf("the LOCAL_INV ended with %s, %v", none[0].Status, err)
	}
	b.qp.unlock()
	if wc := a.next(t); wc.WRID != 9 || wc.Status != verbs.WCSuccess {
		t.Errorf("the LOCAL_INV ended with %s", wc.Status)
	}
	if err := a.mr.Close(); err != nil {
		t.Errorf("closing it again said %v", err)
	}
}

// TestAbandonedPeers: once peers are given up as lost, no call waits for one that stays within a
// request, and one that waits already returns.
func TestAbandonedPeers(t *testing.T) {
	t.Parallel()
	a, b := newVictim(t), newVictim(t)
	check(t, a.connect(b.endpoint()))
	check(t, b.connect(a.endpoint()))
	b.qp.lock()
	defer b.qp.unlock()
	start, closed := time.Now(), make(chan error, 1)
	go func() { closed <- a.mr.Close() }()
	a.ctx.AbandonPeers()
	if err := <-closed; !errors.Is(err, syscall.ETIMEDOUT) {
		t.Errorf("closing the region said %v, want ETIMEDOUT", err)
	}
	check(t, a.qp.Modify(&verbs.QPAttr{State: verbs.QPErr}, verbs.MaskState))
	check(t, a.qp.Close())
	check(t, a.ctx.Close())
	if took := time.Since(start); took >= outTimeout {
		t.Errorf("closing all took %v", took)
	}
}
