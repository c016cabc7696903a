package shm

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// many is a number of QPs of a CQ at which peers name those that have records.
const many = maxPolled + 4

// receiversNode returns a node whose CQ has n QPs, and those QPs with the nodes that they are connected to.
func receiversNode(t *testing.T, n int) (s *eventNode, own []*qp, peers []*node) {
	t.Helper()
	s = newEventNode(t)
	check(t, s.cq.Resize(64*n))
	for range n {
		own = append(own, s.addQP(t))
	}
	for _, q := range own {
		peer := newNode(t)
		s.qp = q
		check(t, s.connect(peer.endpoint()))
		check(t, peer.connect(s.endpoint()))
		peers = append(peers, peer)
	}
	s.awaitNames(t)
	return s, own, peers
}

// awaitNames polls until the CQ of many QPs relies on names.
func (s *eventNode) awaitNames(t *testing.T) {
	t.Helper()
	m := &s.cq.(*cq).receivers.names
	eventually(t, "the CQ relies on names", func() bool {
		pollAll(t, s.cq)
		return len(m.queues) == 0 || m.state == asked
	})
}

// TestPollSharesAreFair covers senders of equal speed: each gets its share of the polled
// completions, for any size of the polls, also where peers name the QPs that have records.
func TestPollSharesAreFair(t *testing.T) {
	const messages = 12
	for _, senders := range []int{3, many} {
		for _, size := range []int{1, 2, 5} {
			t.Run(fmt.Sprintf("%d_senders,_polls_of_%d", senders, size), func(t *testing.T) {
				s, own, peers := receiversNode(t, senders)
				for i := range own {
					s.postReceives(t, own[i], messages)
					for range messages {
						peers[i].postEmptySend(t)
					}
				}
				checkShares(t, s.cq, senders, messages, size)
			})
		}
	}
}

// checkShares polls all completions and checks after each poll that no sender is more than two polls ahead of another.
func checkShares(t *testing.T, cq verbs.CQ, senders, messages, size int) {
	t.Helper()
	received := map[uint32]int{}
	wc := make([]verbs.WC, size)
	for polled := 0; polled < senders*messages; {
		n, err := cq.Poll(wc)
		check(t, err)
		if n == 0 {
			t.Fatalf("no completion after the first %d", polled)
		}
		polled += n
		for _, c := range wc[:n] {
			received[c.QPNum]++
		}
		least, most := messages, 0
		for _, n := range received {
			least, most = min(least, n), max(most, n)
		}
		if len(received) < senders {
			least = 0
		}
		if most-least > 2*size {
			t.Fatalf("polls of %d: of the first %d completions one sender has %d and another %d", size, polled, most, least)
		}
	}
}

// pollAll polls until the CQ is empty, and returns the number of completions of each QP.
func pollAll(t *testing.T, cq verbs.CQ) map[uint32]int {
	t.Helper()
	received := map[uint32]int{}
	wc := make([]verbs.WC, 3)
	for {
		n, err := cq.Poll(wc)
		check(t, err)
		if n == 0 {
			return received
		}
		for _, c := range wc[:n] {
			received[c.QPNum]++
		}
	}
}

// TestNamesAreOverwritten covers more records than a ring has entries: the CQ finds all of them.
func TestNamesAreOverwritten(t *testing.T) {
	const messages = 64
	s, peer := newEventNode(t), newNode(t)
	check(t, s.cq.Resize(messages*many))
	var own []*qp
	var from []node
	want := map[uint32]int{}
	for range many {
		own = append(own, s.addQP(t))
	}
	for _, q := range own {
		sender := *peer
		sender.qp, s.qp = peer.addQP(t), q
		check(t, s.connect(sender.endpoint()))
		check(t, sender.connect(s.endpoint()))
		from = append(from, sender)
	}
	s.awaitNames(t)
	for i, q := range own {
		want[q.num] = messages
		s.postReceives(t, q, messages)
		for range messages {
			from[i].postEmptySend(t)
		}
		if i == many/3 {
			if got := pollAll(t, s.cq); !maps.Equal(got, want) {
				t.Fatalf("completions of the first QPs: %v, want %v", got, want)
			}
			clear(want)
			s.awaitNames(t)
		}
	}
	if names := peer.ctx.arrivals[own[0].entry.arrivals-1].next; names < 4*arrivalSlots {
		t.Fatalf("%d names do not overwrite others", names)
	}
	if got := pollAll(t, s.cq); !maps.Equal(got, want) {
		t.Errorf("completions: %v, want %v", got, want)
	}
}

// TestRecordOfALostPeer covers a peer that ends after it has published a record and before it has named the QP.
func TestRecordOfALostPeer(t *testing.T) {
	s, own, peers := receiversNode(t, many)
	last := len(own) - 1
	s.postReceives(t, own[last], 2)
	peers[last].postEmptySend(t)
	if got := pollAll(t, s.cq); got[own[last].num] != 1 {
		t.Fatalf("first message: %v", got)
	}
	p := peers[last].qp.peer
	p.arrivals = nil
	check(t, s.cq.ReqNotify(false))
	p.notifier = nil
	peers[last].postEmptySend(t)
	if got := pollAll(t, s.cq); len(got) != 0 {
		t.Fatalf("a record whose QP is not named was polled: %v", got)
	}
	check(t, peers[last].ctx.Close())
	s.wantEvent(t)
	if got := pollAll(t, s.cq); got[own[last].num] != 1 {
		t.Errorf("after the peer's end: %v", got)
	}
}

// stopAsking makes the CQ ask again at the next poll.
func (s *eventNode) stopAsking() {
	q := s.cq.(*cq)
	q.mu.Lock()
	defer q.mu.Unlock()
	q.receivers.names.stopAsking()
	q.receivers.names.credit = -1
}

// TestConnectAfterRequestersWereAwaited covers a CQ that awaits more requesters than it has QPs, since some were closed meanwhile, when
// another QP is connected.
func TestConnectAfterRequestersWereAwaited(t *testing.T) {
	s, own, peers := receiversNode(t, many)
	m := &s.cq.(*cq).receivers.names
	s.stopAsking()
	for _, p := range peers {
		p.qp.lock()
	}
	pollAll(t, s.cq)
	if m.state != justAsked || len(m.leaving) != many {
		t.Errorf("state %d, %d requesters are awaited", m.state, len(m.leaving))
	}
	for _, p := range peers {
		p.qp.unlock()
	}
	for _, q := range own[:3] {
		check(t, q.Close())
	}
	q, peer := s.connectPeer(t)
	s.awaitNames(t)
	s.postReceives(t, q, 1)
	peer.postEmptySend(t)
	if got := pollAll(t, s.cq); got[q.num] != 1 {
		t.Errorf("of the last QP: %v", got)
	}
}

// TestRequesterThatWasNotAsked covers a requester that executes while the CQ asks, and may not know it: polls look at all queues until
// it has left.
func TestRequesterThatWasNotAsked(t *testing.T) {
	s, own, peers := receiversNode(t, many)
	m := &s.cq.(*cq).receivers.names
	s.stopAsking()
	executing := peers[0].qp
	executing.lock()
	for i := 1; i < many; i++ {
		s.postReceives(t, own[i], 1)
		peers[i].postEmptySend(t)
		if got := pollAll(t, s.cq); got[own[i].num] != 1 || m.state == asked {
			t.Fatalf("QP %d: %v, state %d", i, got, m.state)
		}
	}
	if m.state != justAsked {
		t.Errorf("state %d after polls that find few records", m.state)
	}
	executing.unlock()
	s.awaitNames(t)
}

// TestNamesOfOthers covers entries that name QPs which do not exist, or belong to another CQ.
func TestNamesOfOthers(t *testing.T) {
	s, own, peers := receiversNode(t, many)
	last := len(own) - 1
	s.postReceives(t, own[last], 1)
	ring := &peers[last].ctx.arrivals[own[last].entry.arrivals-1]
	for _, num := range []uint32{0, 1 << 20, s.ctx.qps.last + 1, peers[0].qp.num, 1<<32 - 1} {
		ring.add(num)
	}
	if got := pollAll(t, s.cq); len(got) != 0 {
		t.Fatalf("completions: %v", got)
	}
	peers[last].postEmptySend(t)
	if got := pollAll(t, s.cq); got[own[last].num] != 1 {
		t.Errorf("completions: %v", got)
	}
}

// TestGarbageInARing covers a peer that stores anything in its ring: polls end, and find the records of others.
func TestGarbageInARing(t *testing.T) {
	s, own, peers := receiversNode(t, many)
	ring, random := &peers[0].ctx.arrivals[own[0].entry.arrivals-1], rand.New(rand.NewPCG(1, 2))
	for i := 1; i < len(peers); i++ {
		for slot := range ring.ring {
			atomic.StoreUint64(&ring.ring[slot], random.Uint64()>>(random.Uint32()%64)&^(1<<uint(i)-1))
		}
		s.postReceives(t, own[i], 1)
		peers[i].postEmptySend(t)
		if got := pollAll(t, s.cq); len(got) != 1 || got[own[i].num] != 1 {
			t.Fatalf("completions: %v, want one of QP %#x", got, own[i].num)
		}
	}
}

// TestArrivalReader covers a ring of any age: each entry that is not overwritten is read once, in order, and the loss of others is
// reported.
func TestArrivalReader(t *testing.T) {
	for _, before := range []uint32{0, 1, arrivalSlots - 1, arrivalSlots, arrivalSlots + 1, 1<<31 - 3, 1 << 31, 1<<32 - arrivalSlots - 2, 1<<32 - 1} {
		var d directory
		w := arrivals{ring: &d.arrivals[0], next: before - 2*arrivalSlots}
		if before < 2*arrivalSlots {
			w.next = 0
		}
		for w.next != before {
			w.add(7)
		}
		r := newArrivalReader(&peerContext{dir: &d}, 1)
		for _, burst := range []int{0, 1, 3, arrivalSlots - 1, arrivalSlots, arrivalSlots + 1, 5*arrivalSlots + 9, 1} {
			for _, found, lost := r.read(); found || lost; _, found, lost = r.read() {
			}
			for i := range burst {
				w.add(uint32(i))
			}
			first, lost := uint32(0), false
			if burst > arrivalSlots {
				_, _, lost = r.read()
			}
			num, found, again := r.read()
			if first = num; lost != (burst > arrivalSlots) || again || found != (burst > 0) {
				t.Fatalf("after %d, burst of %d: found %v, lost %v and %v", before, burst, found, lost, again)
			}
			for n := first; found; n++ {
				if num != n {
					t.Fatalf("after %d, burst of %d: entry %d, want %d", before, burst, num, n)
				}
				if num, found, lost = r.read(); lost {
					t.Fatalf("after %d, burst of %d: entry %d is lost", before, burst, n+1)
				}
				if !found && n+1 != uint32(burst) {
					t.Fatalf("after %d, burst of %d: the last entry is %d", before, burst, n)
				}
			}
		}
	}
}

// TestClosedQPsAreNotListed covers a QP that is closed while it has records.
func TestClosedQPsAreNotListed(t *testing.T) {
	s, own, peers := receiversNode(t, many)
	for i := range own {
		s.postReceives(t, own[i], 2)
		peers[i].postEmptySend(t)
		peers[i].postEmptySend(t)
	}
	var wc [1]verbs.WC
	_, err := s.cq.Poll(wc[:]) // lists all
	check(t, err)
	for _, q := range own {
		check(t, q.Close())
	}
	r := &s.cq.(*cq).receivers
	if m := &r.names; m.list.first != nil || m.list.last != nil || len(m.readers)+len(m.queues) > 0 || m.state != notAsked || r.others.Load() != 0 || len(r.all.all()) != 1 {
		t.Errorf("after all QPs were closed: %+v, %d QPs", m, len(r.all.all()))
	}
	if asks := atomic.LoadUint64(s.cq.(*cq).askWord()); asks != 0 {
		t.Errorf("%d asks", asks)
	}
	if got := pollAll(t, s.cq); len(got) != 0 {
		t.Errorf("completions: %v", got)
	}
}

// TestEventOfNamedQP covers a message that arrives while the owner waits for an event.
func TestEventOfNamedQP(t *testing.T) {
	s, own, peers := receiversNode(t, many)
	for round := range 100 {
		i := round % len(own)
		s.postReceives(t, own[i], 1)
		check(t, s.cq.ReqNotify(false))
		if got := pollAll(t, s.cq); len(got) != 0 {
			t.Fatalf("round %d: %v before the message", round, got)
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			time.Sleep(time.Duration(round%3) * 20 * time.Microsecond)
			peers[i].postEmptySend(t)
		}()
		s.wantEvent(t)
		if got := pollAll(t, s.cq); got[own[i].num] != 1 {
			t.Fatalf("round %d: %v after the event", round, got)
		}
		<-done
	}
}
