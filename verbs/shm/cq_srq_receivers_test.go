package shm

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/ibperf/ibperf/verbs"
)

// srqReceiversNode has QPs on one SRQ, each connected to a peer of its own, on a CQ that relies on names if there are many of them.
type srqReceiversNode struct {
	*node
	srq   *srq
	own   []*qp
	peers []*node
	names *names
}

func newSRQReceiversNode(t *testing.T, n, receives int) *srqReceiversNode {
	t.Helper()
	v := newNode(t)
	check(t, v.cq.Resize(64*n))
	made, err := v.qp.pd.CreateSRQ(&verbs.SRQInitAttr{Attr: verbs.SRQAttr{MaxWR: receives, MaxSGE: 1}})
	check(t, err)
	s := &srqReceiversNode{node: v, srq: made.(*srq), names: &v.cq.(*cq).srqReceivers.names}
	s.postReceives(t, receives)
	for range n {
		q, err := v.qp.pd.CreateQP(&verbs.QPInitAttr{SendCQ: v.cq, RecvCQ: v.cq, Type: verbs.QPTypeRC, SRQ: made})
		check(t, err)
		s.own = append(s.own, q.(*qp))
	}
	for _, q := range s.own {
		s.peers = append(s.peers, s.connectPeerOf(t, q))
	}
	s.awaitNames(t)
	return s
}

func (s *srqReceiversNode) postReceives(t *testing.T, n int) {
	t.Helper()
	for range n {
		_, err := s.srq.PostRecv(&verbs.RecvWR{})
		check(t, err)
	}
}

// connectPeerOf connects a QP to a new node.
func (s *srqReceiversNode) connectPeerOf(t *testing.T, q *qp) *node {
	t.Helper()
	peer := newNode(t)
	s.qp = q
	check(t, s.connect(peer.endpoint()))
	check(t, peer.connect(s.endpoint()))
	return peer
}

// awaitNames polls until the CQ relies on names.
func (s *srqReceiversNode) awaitNames(t *testing.T) {
	t.Helper()
	eventually(t, "the CQ relies on names", func() bool {
		pollAll(t, s.cq)
		return len(s.names.queues) == 0 || s.names.state == asked
	})
}

// receiveAll polls and posts a receive for each completion, until each of the QPs has received a number of messages.
func (s *srqReceiversNode) receiveAll(t *testing.T, own []*qp, messages int) {
	t.Helper()
	received, all := map[uint32]int{}, 0
	eventually(t, fmt.Sprintf("%d messages of each of %d QPs", messages, len(own)), func() bool {
		for num, n := range pollAll(t, s.cq) {
			received[num] += n
			all += n
			s.postReceives(t, n)
		}
		for _, p := range s.peers {
			pollAll(t, p.cq) // continues what waits for a receive
		}
		return all >= messages*len(own)
	})
	for _, q := range own {
		if received[q.num] != messages {
			t.Errorf("QP %#x received %d messages, want %d", q.num, received[q.num], messages)
		}
	}
}

// TestManyQPsOnAnSRQ covers that a CQ of many QPs on an SRQ finds all records and all requests for receives, with few receives and
// with many.
func TestManyQPsOnAnSRQ(t *testing.T) {
	for _, receives := range []int{1, 2, 40, 1000} {
		t.Run(fmt.Sprintf("%d_receives", receives), func(t *testing.T) {
			const messages = 5
			s := newSRQReceiversNode(t, many, receives)
			if len(s.names.queues) != many {
				t.Fatalf("peers name %d of %d QPs", len(s.names.queues), many)
			}
			for _, p := range s.peers {
				for range messages {
					p.postEmptySend(t)
				}
			}
			s.receiveAll(t, s.own, messages)
			s.awaitNames(t)
			last := many - 1
			s.peers[last].postEmptySend(t)
			s.receiveAll(t, s.own[last:], 1)
		})
	}
}

// TestSRQRequesterThatWasNotAsked covers a requester that executes while the CQ asks: polls look at all QPs until it has left.
func TestSRQRequesterThatWasNotAsked(t *testing.T) {
	s := newSRQReceiversNode(t, many, 100)
	q := s.cq.(*cq)
	q.mu.Lock()
	s.names.stopAsking()
	s.names.credit = -1
	q.mu.Unlock()
	executing := s.peers[0].qp
	executing.lock()
	for i := 1; i < many; i++ {
		s.peers[i].postEmptySend(t)
		s.receiveAllOf(t, i)
		if s.names.state == asked {
			t.Fatalf("QP %d: the CQ relies on names", i)
		}
	}
	executing.unlock()
	s.awaitNames(t)
}

// receiveAllOf receives one message of a peer, while the lock of another one may be held.
func (s *srqReceiversNode) receiveAllOf(t *testing.T, i int) {
	t.Helper()
	eventually(t, "the message", func() bool {
		n := pollAll(t, s.cq)[s.own[i].num]
		s.postReceives(t, n)
		pollAll(t, s.peers[i].cq)
		return n == 1
	})
}

// TestClosedQPsOnAnSRQAreNotListed covers QPs that are closed, or reset and connected again, while they have work.
func TestClosedQPsOnAnSRQAreNotListed(t *testing.T) {
	s := newSRQReceiversNode(t, many, 1000)
	for _, p := range s.peers {
		p.postEmptySend(t)
	}
	var wc [1]verbs.WC
	eventually(t, "a completion", func() bool {
		n, err := s.cq.Poll(wc[:])
		check(t, err)
		return n == 1
	})
	again := s.own[0]
	check(t, again.Modify(&verbs.QPAttr{State: verbs.QPReset}, verbs.MaskState))
	for _, q := range s.own[1:] {
		check(t, q.Close())
	}
	r := &s.cq.(*cq).srqReceivers
	if m := s.names; m.list.first != nil || m.list.last != nil || len(m.readers)+len(m.queues) > 0 || m.state != notAsked || r.others.Load() != 0 || len(r.polled.all()) != 1 {
		t.Errorf("after all QPs but one were closed: %+v, %d QPs", m, len(r.polled.all()))
	}
	if asks := atomic.LoadUint64(s.cq.(*cq).askWord()); asks != 0 {
		t.Errorf("%d asks", asks)
	}
	pollAll(t, s.cq)
	peer := s.connectPeerOf(t, again)
	s.peers = []*node{peer}
	peer.postEmptySend(t)
	s.receiveAll(t, []*qp{again}, 1)
}

// TestLostPeerOfAnSRQ covers a peer that ends after it has published a record and before it has named the QP.
func TestLostPeerOfAnSRQ(t *testing.T) {
	s := newSRQReceiversNode(t, many, 1000)
	const i = 3
	for range 5 { // so that it is supplied with more than it asks for
		s.peers[i].postEmptySend(t)
		s.receiveAll(t, s.own[i:i+1], 1)
	}
	s.awaitNames(t)
	if r := &s.own[i].recv; r.posted.Load() == r.next.Load() {
		t.Fatal("no receive is supplied")
	}
	s.peers[i].qp.peer.arrivals = nil
	s.peers[i].postEmptySend(t)
	if got := pollAll(t, s.cq); len(got) != 0 {
		t.Fatalf("a record whose QP is not named was polled: %v", got)
	}
	check(t, s.peers[i].ctx.Close())
	eventually(t, "the completion", func() bool { return pollAll(t, s.cq)[s.own[i].num] == 1 })
}
