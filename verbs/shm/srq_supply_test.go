package shm

import (
	"slices"
	"sync/atomic"
	"testing"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/shm/internal/ring"
)

// srqNode is a node with an SRQ of 8 receives and QPs on it. Their peers never send; the test
// writes their requests.
type srqNode struct {
	*node
	srq *srq
}

func newSRQNode(t *testing.T) *srqNode {
	t.Helper()
	v := newNode(t)
	made, err := v.qp.pd.CreateSRQ(&verbs.SRQInitAttr{Attr: verbs.SRQAttr{MaxWR: 8, MaxSGE: 1}})
	check(t, err)
	s := &srqNode{v, made.(*srq)}
	for id := range uint64(8) {
		_, err = s.srq.PostRecv(&verbs.RecvWR{WRID: id})
		check(t, err)
	}
	return s
}

// connectQP creates a QP on the SRQ and connects it.
func (s *srqNode) connectQP(t *testing.T) *qp {
	t.Helper()
	return s.connectTo(t, newNode(t))
}

// connectTo creates a QP on the SRQ and connects it to a peer.
func (s *srqNode) connectTo(t *testing.T, peer *node) *qp {
	t.Helper()
	q, err := s.qp.pd.CreateQP(&verbs.QPInitAttr{SendCQ: s.cq, RecvCQ: s.cq, Type: verbs.QPTypeRC, SRQ: s.srq})
	check(t, err)
	check(t, verbs.Connect(q, verbs.Path{Port: 1}, remoteAccessFlags|verbs.AccessLocalWrite, s.endpoint(), peer.endpoint()))
	return q.(*qp)
}

// requestReceive asks for receive i, as a peer does.
func (q *qp) requestReceive(i uint32) {
	atomic.StoreUint64(&q.recv.header.srqRequest, srqRequestFor(i, 0))
}

// completeReceive consumes receive i, as a peer does. Peers do not have the pool's lock, under which the device of this side may
// take receives back at the end of a test.
func (q *qp) completeReceive(i uint32) {
	q.claimUpTo(i)
	q.pool.mu.Lock()
	defer q.pool.mu.Unlock()
	q.recv.records[i] = record{0, uint64(verbs.WCRecv)<<recOpShift | uint64(i+1)<<ring.NumberAt}
}

// claimUpTo claims the receives up to i, as a peer does.
func (q *qp) claimUpTo(i uint32) {
	q.pool.mu.Lock()
	defer q.pool.mu.Unlock()
	h := q.recv.header
	h.supplied = h.supplied>>32<<32 | uint64(i+1)
}

func (s *srqNode) pollIDs(t *testing.T) (ids []uint64) {
	t.Helper()
	var wc [16]verbs.WC
	n, err := s.cq.Poll(wc[:])
	check(t, err)
	for _, c := range wc[:n] {
		ids = append(ids, c.WRID)
	}
	return ids
}

// wantSRQ checks which receives the SRQ has, and the number of occupied slots.
func (s *srqNode) wantSRQ(t *testing.T, used int, ids ...uint64) {
	t.Helper()
	s.srq.mu.Lock()
	defer s.srq.mu.Unlock()
	var got []uint64
	for w := s.srq.head; w != nil; w = w.next {
		got = append(got, w.wrid)
	}
	if !slices.Equal(got, ids) || s.srq.used() != used {
		t.Errorf("the SRQ has receives %v and %d occupied slots, want %v and %d", got, s.srq.used(), ids, used)
	}
}

// TestSupplyBatchesDouble covers that a QP that asks alone gets twice as many receives each time,
// and that unused ones are reclaimed when another QP asks, so that receives are used in order.
func TestSupplyBatchesDouble(t *testing.T) {
	s := newSRQNode(t)
	a, b := s.connectQP(t), s.connectQP(t)
	a.requestReceive(0)
	s.pollIDs(t)
	s.wantSRQ(t, 8, 1, 2, 3, 4, 5, 6, 7)
	s.pollIDs(t) // another poll supplies no more
	s.wantSRQ(t, 8, 1, 2, 3, 4, 5, 6, 7)
	a.completeReceive(0)
	a.requestReceive(1)
	if ids := s.pollIDs(t); !slices.Equal(ids, []uint64{0}) {
		t.Errorf("unexpected completions %v", ids)
	}
	s.wantSRQ(t, 7, 3, 4, 5, 6, 7)
	a.completeReceive(1)
	a.completeReceive(2)
	a.requestReceive(3)
	s.pollIDs(t)
	s.wantSRQ(t, 5, 7)
	a.completeReceive(3)
	b.requestReceive(0)
	s.pollIDs(t)
	s.wantSRQ(t, 4, 5, 6, 7) // a has used 3, b has 4
	if n := a.recv.posted.Load(); n != 4 {
		t.Errorf("the first QP has %d receives, want the 4 that it has used", n)
	}
}

// TestSupplyWithoutRequest covers that a QP that is alone gets all receives, and newly posted ones,
// without asking.
func TestSupplyWithoutRequest(t *testing.T) {
	s := newSRQNode(t)
	a := s.connectQP(t)
	a.requestReceive(0)
	s.pollIDs(t)
	a.completeReceive(0)
	s.srq.batch = maxSupplied
	s.pollIDs(t)
	s.wantSRQ(t, 7)
	_, err := s.srq.PostRecv(&verbs.RecvWR{WRID: 9})
	check(t, err)
	s.wantSRQ(t, 8)
	if n := a.recv.posted.Load(); n != 9 {
		t.Errorf("%d receives were supplied, want 9", n)
	}
}

// TestSRQCompletionsFillPollsInOrder covers that a poll returns as many completions as it has room
// for, and the next poll continues. A CQ smaller than the SRQ overruns.
func TestSRQCompletionsFillPollsInOrder(t *testing.T) {
	for _, cqe := range []int{8, 2} {
		s := newSRQNode(t)
		check(t, s.cq.Resize(cqe))
		a := s.connectQP(t)
		a.requestReceive(0)
		s.pollIDs(t)
		s.srq.batch = maxSupplied
		s.srq.supplyWaiting()
		for i := range uint32(3) {
			a.completeReceive(i)
		}
		var wc [2]verbs.WC
		for _, want := range [][]uint64{{0, 1}, {2}, {}} {
			n, err := s.cq.Poll(wc[:])
			if cqe < 3 {
				if n != 0 || err == nil {
					t.Errorf("a CQ of %d entries has %d completions", cqe, n)
				}
				break
			}
			check(t, err)
			if n != len(want) || n > 0 && wc[0].WRID != want[0] || n > 1 && wc[1].WRID != want[1] {
				t.Errorf("polled %d: %d, %d; want %v", n, wc[0].WRID, wc[1].WRID, want)
			}
		}
	}
}

// TestSRQCompletionsFollowRing covers that completions in the ring are polled first.
func TestSRQCompletionsFollowRing(t *testing.T) {
	s := newSRQNode(t)
	a := s.connectQP(t)
	a.requestReceive(0)
	s.pollIDs(t)
	s.srq.batch = maxSupplied
	s.srq.supplyWaiting()
	a.completeReceive(0)
	a.servicePeer() // as the device does without polling
	a.completeReceive(1)
	var wc [4]verbs.WC
	if n := s.cq.(*cq).doPendingWork(wc[:]); n != 0 {
		t.Errorf("%d completions overtook one in the ring", n)
	}
	if ids := s.pollIDs(t); !slices.Equal(ids, []uint64{0, 1}) {
		t.Errorf("unexpected completions %v", ids)
	}
}

// TestReleasedClaimGoesToWaitingQP covers that receives that a peer has claimed and releases are
// supplied to a QP that has asked meanwhile.
func TestReleasedClaimGoesToWaitingQP(t *testing.T) {
	s := newSRQNode(t)
	a, b, c := s.connectQP(t), s.connectQP(t), s.connectQP(t)
	for _, i := range []uint32{0, 1, 3} {
		a.requestReceive(i)
		s.pollIDs(t)
		a.completeReceive(i)
		if i == 1 {
			a.completeReceive(2)
		}
	}
	a.claimUpTo(6)
	b.requestReceive(0)
	c.requestReceive(0)
	s.pollIDs(t)
	s.wantSRQ(t, 4)
	if b, c := b.recv.posted.Load(), c.recv.posted.Load(); b != 1 || c != 0 {
		t.Fatalf("%d and %d receives were supplied, want the last one, and no claimed one", b, c)
	}
	a.recv.header.supplied = 7<<32 | 4
	s.pollIDs(t)
	if n := c.recv.posted.Load(); n == 0 {
		t.Error("the released receive was not supplied")
	}
}

// TestUnusedReceivesAreReclaimed covers that supplied and unused receives go back to the head of
// the SRQ, however the connection ends.
func TestUnusedReceivesAreReclaimed(t *testing.T) {
	ends := map[string]func(t *testing.T, q *qp){
		"ERR": func(t *testing.T, q *qp) {
			check(t, q.Modify(&verbs.QPAttr{State: verbs.QPErr}, verbs.MaskState))
		},
		"RESET": func(t *testing.T, q *qp) {
			check(t, q.Modify(&verbs.QPAttr{State: verbs.QPReset}, verbs.MaskState))
		},
		"closed": func(t *testing.T, q *qp) { check(t, q.Close()) },
	}
	for name, end := range ends {
		for _, taken := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				s := newSRQNode(t)
				q := s.connectQP(t)
				q.requestReceive(0)
				s.pollIDs(t)
				if taken { // by a peer that dies before it uses the receive
					q.claimUpTo(0)
				}
				end(t, q)
				s.wantSRQ(t, 8, 0, 1, 2, 3, 4, 5, 6, 7)
				q.requestReceive(0)
				q.serviceSRQIfNeeded(nil, nil)
				s.wantSRQ(t, 8, 0, 1, 2, 3, 4, 5, 6, 7)
			})
		}
	}
}

// TestReceivesOfALostPeerGoBack covers that receives which a peer has claimed go back to the SRQ when its context is gone, as if
// its process was killed, although the QP stays open. Those that it has used complete.
func TestReceivesOfALostPeerGoBack(t *testing.T) {
	s := newSRQNode(t)
	peer := newNode(t)
	q, waiting := s.connectTo(t, peer), s.connectQP(t)
	q.requestReceive(0)
	s.pollIDs(t)
	q.completeReceive(0)
	q.requestReceive(1)
	s.pollIDs(t)
	q.completeReceive(1)
	q.claimUpTo(2)
	check(t, peer.ctx.Close())
	var ids []uint64
	eventually(t, "the receives of the lost peer go back", func() bool {
		ids = append(ids, s.pollIDs(t)...)
		return len(ids) > 0 && q.recv.posted.Load() == q.recv.next.Load()
	})
	if !slices.Equal(ids, []uint64{1}) {
		t.Errorf("completions %v", ids)
	}
	s.wantSRQ(t, 6, 2, 3, 4, 5, 6, 7)
	waiting.requestReceive(0)
	s.pollIDs(t)
	s.wantSRQ(t, 6, 3, 4, 5, 6, 7)
	q.requestReceive(2)
	s.pollIDs(t)
	check(t, q.Modify(&verbs.QPAttr{State: verbs.QPErr}, verbs.MaskState))
	s.wantSRQ(t, 6, 3, 4, 5, 6, 7)
}

// TestWaitingQPIsSuppliedOnPost covers that a QP that asks an empty SRQ gets the answer, and the
// next receive that is posted.
func TestWaitingQPIsSuppliedOnPost(t *testing.T) {
	s := newSRQNode(t)
	for range 8 {
		s.srq.take(nil)
	}
	q := s.connectQP(t)
	q.requestReceive(0)
	s.pollIDs(t)
	if h := q.recv.header; h.srqEmpty != h.srqRequest {
		t.Errorf("srqEmpty is %#x, want %#x", h.srqEmpty, h.srqRequest)
	}
	s.srq.completionsPolled.Store(s.srq.completionsAdded)
	_, err := s.srq.PostRecv(&verbs.RecvWR{WRID: 9})
	check(t, err)
	s.wantSRQ(t, 1)
	if q.recv.posted.Load() != 1 {
		t.Error("the receive was not supplied")
	}
}

// TestInvalidSRQRequests covers that requests that no honest peer makes change nothing.
func TestInvalidSRQRequests(t *testing.T) {
	s := newSRQNode(t)
	q := s.connectQP(t)
	for _, i := range []uint32{1, 2, 64, 1 << 31, ^uint32(0) - 1} {
		q.requestReceive(i)
		s.pollIDs(t)
		s.wantSRQ(t, 8, 0, 1, 2, 3, 4, 5, 6, 7)
	}
	q.recv.header.srqRequest = 0
	s.pollIDs(t)
	s.wantSRQ(t, 8, 0, 1, 2, 3, 4, 5, 6, 7)
}

// TestReclaimedReceivePrecedesNewOnes covers that a receive reclaimed to an empty SRQ precedes
// receives posted later.
func TestReclaimedReceivePrecedesNewOnes(t *testing.T) {
	s := newSRQNode(t)
	q := s.connectQP(t)
	q.requestReceive(0)
	s.pollIDs(t)
	for range 7 {
		s.srq.take(nil)
	}
	s.srq.completionsPolled.Store(s.srq.completionsAdded)
	check(t, q.Close())
	_, err := s.srq.PostRecv(&verbs.RecvWR{WRID: 9})
	check(t, err)
	s.wantSRQ(t, 2, 0, 9)
}
