package shm

import (
	"errors"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/ibperf/ibperf/internal/testclock"
	"github.com/ibperf/ibperf/verbs"
)

// TestDeregisterWithPeerWithinRequest covers a peer that stays within a request, like a stopped
// process: MR.Close waits some seconds and returns that the memory is not safe. A LOCAL_INV that
// waits for the peer blocks no thread.
func TestDeregisterWithPeerWithinRequest(t *testing.T) {
	t.Parallel()
	a, b := newNode(t), newNode(t)
	check(t, a.connect(b.endpoint()))
	check(t, b.connect(a.endpoint()))
	w := a.bindWindow(t, a.qp)
	a.qp.attr.Timeout = 0 // no timeout
	b.lockWithMapped(t, a.mr)
	wr := verbs.SendWR{WRID: 9, Opcode: verbs.OpLocalInv, SendFlags: verbs.SendSignaled}
	wr.SetInvalidate(w)
	_, err := a.qp.PostSend(&wr)
	check(t, err)
	start, watch := time.Now(), testclock.Start()
	if err := a.mr.Close(); !errors.Is(err, syscall.ETIMEDOUT) {
		t.Errorf("MR.Close: %v, want ETIMEDOUT", err)
	}
	if least, most := time.Since(start), watch.Took(); least < quiesceTimeout || most > 2*quiesceTimeout {
		t.Errorf("MR.Close took %v", least)
	}
	var none [1]verbs.WC
	if n, err := a.cq.Poll(none[:]); n != 0 || err != nil {
		t.Errorf("the LOCAL_INV completed early with %s, %v", none[0].Status, err)
	}
	b.qp.unlock()
	if wc := a.nextCompletion(t); wc.WRID != 9 || wc.Status != verbs.WCSuccess {
		t.Errorf("the LOCAL_INV ended with %s", wc.Status)
	}
	if err := a.mr.Close(); err != nil {
		t.Errorf("second MR.Close: %v", err)
	}
}

// newRegion registers memory of its own that peers may write.
func (v *node) newRegion(t *testing.T) verbs.MR {
	t.Helper()
	buf, err := verbs.NewBuffer(4096)
	check(t, err)
	t.Cleanup(func() { buf.Close() })
	mr, err := v.qp.pd.RegMR(buf.Bytes(), verbs.AccessLocalWrite|verbs.AccessRemoteWrite)
	check(t, err)
	return mr
}

// writeTo stores a byte in a region of the peer, whose memory this side then has mapped.
func (v *node) writeTo(t *testing.T, mr verbs.MR) {
	t.Helper()
	sge := verbs.SGE{Addr: v.mr.Addr(), Length: 1, LKey: v.mr.LKey()}
	wr := verbs.SendWR{Opcode: verbs.OpRDMAWrite, SendFlags: verbs.SendSignaled, SGList: &sge, NumSGE: 1}
	wr.SetRDMA(mr.Addr(), mr.RKey())
	_, err := v.qp.PostSend(&wr)
	check(t, err)
	if wc := v.nextCompletion(t); wc.Status != verbs.WCSuccess {
		t.Fatalf("WRITE: %s", wc.Status)
	}
}

// lockWithMapped keeps this side within a request, at a moment when it has mapped the peer's regions: it unmaps them for each unmap
// notice that is still on the way, and maps them at the next WRITE.
func (v *node) lockWithMapped(t *testing.T, regions ...verbs.MR) {
	t.Helper()
	for {
		for _, mr := range regions {
			v.writeTo(t, mr)
		}
		v.qp.lock()
		if !slices.ContainsFunc(regions, v.lacks) {
			return
		}
		v.qp.unlock()
	}
}

// lacks reports whether this side has not mapped a region of its peer.
func (v *node) lacks(region verbs.MR) bool {
	r := v.qp.peerCtx.Load()
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.mapped[region.(*mr).inode] == nil
}

// TestMemoryThatAPeerDoesNotKnow covers that MR.Close does not wait for a peer that stays within a request and has not mapped the
// memory, but for one that has.
func TestMemoryThatAPeerDoesNotKnow(t *testing.T) {
	t.Parallel()
	a, b := newNode(t), newNode(t)
	check(t, a.connect(b.endpoint()))
	check(t, b.connect(a.endpoint()))
	var regions []verbs.MR
	for range 100 {
		regions = append(regions, a.newRegion(t))
	}
	b.writeTo(t, regions[0])
	check(t, regions[0].Close())
	regions = regions[1:]
	b.lockWithMapped(t, a.mr)
	defer b.qp.unlock()
	watch := testclock.Start()
	for _, mr := range regions {
		check(t, mr.Close())
	}
	if took := watch.Took(); took > time.Second {
		t.Errorf("closing the other regions took %v", took)
	}
	if err := a.mr.Close(); !errors.Is(err, syscall.ETIMEDOUT) {
		t.Errorf("the region that the peer has used: %v, want ETIMEDOUT", err)
	}
}

// TestCallsAwaitAPeerTogether covers that calls beside a peer that stays within a request wait for it for 5 s together, and that
// its next request is awaited again.
func TestCallsAwaitAPeerTogether(t *testing.T) {
	t.Parallel()
	a, b := newNode(t), newNode(t)
	check(t, a.connect(b.endpoint()))
	check(t, b.connect(a.endpoint()))
	var regions []verbs.MR
	for range 3 {
		regions = append(regions, a.newRegion(t))
	}
	b.lockWithMapped(t, regions...)
	awaitTogether(t, func() {
		for _, mr := range regions {
			if err := mr.Close(); !errors.Is(err, syscall.ETIMEDOUT) {
				t.Errorf("MR.Close: %v, want ETIMEDOUT", err)
			}
		}
	})
	b.qp.unlock()
	check(t, regions[0].Close())
	b.lockWithMapped(t, a.mr)
	defer b.qp.unlock()
	awaitTogether(t, func() {
		if err := a.mr.Close(); !errors.Is(err, syscall.ETIMEDOUT) {
			t.Errorf("within another request: MR.Close: %v, want ETIMEDOUT", err)
		}
		check(t, a.qp.Modify(&verbs.QPAttr{State: verbs.QPErr}, verbs.MaskState))
	})
}

// awaitTogether checks that the calls wait as long as one.
func awaitTogether(t *testing.T, calls func()) {
	t.Helper()
	start, watch := time.Now(), testclock.Start()
	calls()
	if least, most := time.Since(start), watch.Took(); least < quiesceTimeout || most > 2*quiesceTimeout {
		t.Errorf("all calls took %v", least)
	}
}

// TestAbandonedPeersAreNotAwaited covers that after AbandonPeers no call waits for a peer that
// stays within a request, and a call that already waits returns.
func TestAbandonedPeersAreNotAwaited(t *testing.T) {
	t.Parallel()
	a, b := newNode(t), newNode(t)
	check(t, a.connect(b.endpoint()))
	check(t, b.connect(a.endpoint()))
	b.lockWithMapped(t, a.mr)
	defer b.qp.unlock()
	watch, closed := testclock.Start(), make(chan error, 1)
	go func() { closed <- a.mr.Close() }()
	a.ctx.AbandonPeers()
	if err := <-closed; !errors.Is(err, syscall.ETIMEDOUT) {
		t.Errorf("MR.Close: %v, want ETIMEDOUT", err)
	}
	check(t, a.qp.Modify(&verbs.QPAttr{State: verbs.QPErr}, verbs.MaskState))
	check(t, a.qp.Close())
	check(t, a.ctx.Close())
	if took := watch.Took(); took >= quiesceTimeout {
		t.Errorf("closing everything took %v", took)
	}
}
