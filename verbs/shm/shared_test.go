package shm

import (
	"slices"
	"sync/atomic"
	"testing"

	"github.com/ibperf/ibperf/verbs"
)

// sharer is a victim with an SRQ of 8 receives and QPs on it, whose peers never send: the test
// asks in their place.
type sharer struct {
	*victim
	srq *srq
}

func newSharer(t *testing.T) *sharer {
	t.Helper()
	v := newVictim(t)
	made, err := v.qp.pd.CreateSRQ(&verbs.SRQInitAttr{Attr: verbs.SRQAttr{MaxWR: 8, MaxSGE: 1}})
	check(t, err)
	s := &sharer{v, made.(*srq)}
	for id := range uint64(8) {
		_, err = s.srq.PostRecv(&verbs.RecvWR{WRID: id})
		check(t, err)
	}
	return s
}

// join makes a QP on the SRQ and connects it.
func (s *sharer) join(t *testing.T) *qp {
	t.Helper()
	q, err := s.qp.pd.CreateQP(&verbs.QPInitAttr{SendCQ: s.cq, RecvCQ: s.cq, Type: verbs.QPTypeRC, SRQ: s.srq})
	check(t, err)
	check(t, verbs.Connect(q, verbs.Path{Port: 1}, remoteRights|verbs.AccessLocalWrite, s.endpoint(), newVictim(t).endpoint()))
	return q.(*qp)
}

// ask asks for receive i as the peer does.
func (q *qp) ask(i uint32) { atomic.StoreUint64(&q.recv.header.want, wantOf(i, 0)) }

// use uses up receive i as the peer does.
func (q *qp) use(i uint32) {
	q.take(i)
	q.recv.records[i] = record{0, uint64(verbs.WCRecv)<<recOpShift | uint64(i+1)<<recSeqAt}
}

// take takes the receives up to i as the peer does.
func (q *qp) take(i uint32) {
	h := q.recv.header
	h.lent = h.lent>>32<<32 | uint64(i+1)
}

func (s *sharer) poll(t *testing.T) (ids []uint64) {
	t.Helper()
	var wc [16]verbs.WC
	n, err := s.cq.Poll(wc[:])
	check(t, err)
	for _, c := range wc[:n] {
		ids = append(ids, c.WRID)
	}
	return ids
}

// holds checks which receives the SRQ has, and how many places are taken.
func (s *sharer) holds(t *testing.T, used int, ids ...uint64) {
	t.Helper()
	var got []uint64
	for w := s.srq.head; w != nil; w = w.next {
		got = append(got, w.wrid)
	}
	if !slices.Equal(got, ids) || s.srq.used() != used {
		t.Errorf("the SRQ holds %v with %d places taken, want %v and %d", got, s.srq.used(), ids, used)
	}
}

// TestLentMoreAndMore: a QP that asks alone is lent twice as much each time, and what it has
// not used goes back when another one asks, so that receives go out in order.
func TestLentMoreAndMore(t *testing.T) {
	s := newSharer(t)
	a, b := s.join(t), s.join(t)
	a.ask(0)
	s.poll(t)
	s.holds(t, 8, 1, 2, 3, 4, 5, 6, 7)
	s.poll(t) // to look again lends no more
	s.holds(t, 8, 1, 2, 3, 4, 5, 6, 7)
	a.use(0)
	a.ask(1)
	if ids := s.poll(t); !slices.Equal(ids, []uint64{0}) {
		t.Errorf("polled %v", ids)
	}
	s.holds(t, 7, 3, 4, 5, 6, 7)
	a.use(1)
	a.use(2)
	a.ask(3)
	s.poll(t)
	s.holds(t, 5, 7)
	a.use(3)
	b.ask(0)
	s.poll(t)
	s.holds(t, 4, 5, 6, 7) // a has used 3, b has 4
	if n := a.recv.posted.Load(); n != 4 {
		t.Errorf("the first QP has %d receives and had used 4", n)
	}
}

// TestLentAhead: a QP that is alone is lent all that there is, and what is posted, without asking.
func TestLentAhead(t *testing.T) {
	s := newSharer(t)
	a := s.join(t)
	a.ask(0)
	s.poll(t)
	a.use(0)
	s.srq.batch = lendMost
	s.poll(t)
	s.holds(t, 7)
	_, err := s.srq.PostRecv(&verbs.RecvWR{WRID: 9})
	check(t, err)
	s.holds(t, 8)
	if n := a.recv.posted.Load(); n != 9 {
		t.Errorf("it was lent %d receives, want 9", n)
	}
}

// TestSharedCompletionsInOrder: a poll takes as many completions as it has room for, the next one
// goes on behind them; and a CQ that has less room than the SRQ overruns all the same.
func TestSharedCompletionsInOrder(t *testing.T) {
	for _, cqe := range []int{8, 2} {
		s := newSharer(t)
		check(t, s.cq.Resize(cqe))
		a := s.join(t)
		a.ask(0)
		s.poll(t)
		s.srq.batch = lendMost
		s.srq.offer()
		for i := range uint32(3) {
			a.use(i)
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

// TestSharedCompletionsBehindOthers: what is in the CQ already is polled first.
func TestSharedCompletionsBehindOthers(t *testing.T) {
	s := newSharer(t)
	a := s.join(t)
	a.ask(0)
	s.poll(t)
	s.srq.batch = lendMost
	s.srq.offer()
	a.use(0)
	a.look() // as the device does where nobody polls
	a.use(1)
	var wc [4]verbs.WC
	if n := s.cq.(*cq).help(wc[:]); n != 0 {
		t.Errorf("%d completions overtake one in the CQ", n)
	}
	if ids := s.poll(t); !slices.Equal(ids, []uint64{0, 1}) {
		t.Errorf("polled %v", ids)
	}
}

// TestTakenReceiveComesBack: what a peer has taken ahead and gives back goes to the one that
// asks meanwhile.
func TestTakenReceiveComesBack(t *testing.T) {
	s := newSharer(t)
	a, b, c := s.join(t), s.join(t), s.join(t)
	for _, i := range []uint32{0, 1, 3} {
		a.ask(i)
		s.poll(t)
		a.use(i)
		if i == 1 {
			a.use(2)
		}
	}
	a.take(6)
	b.ask(0)
	c.ask(0)
	s.poll(t)
	s.holds(t, 4)
	if b, c := b.recv.posted.Load(), c.recv.posted.Load(); b != 1 || c != 0 {
		t.Fatalf("%d and %d receives are lent, want the last one, and none that is taken", b, c)
	}
	a.recv.header.lent = 7<<32 | 4
	s.poll(t)
	if n := c.recv.posted.Load(); n == 0 {
		t.Error("what came back is lent to nobody")
	}
}

// TestUnusedReceives: a receive that was lent and not used goes back
// to the head of the SRQ, however the connection ends.
func TestUnusedReceives(t *testing.T) {
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
				s := newSharer(t)
				q := s.join(t)
				q.ask(0)
				s.poll(t)
				if taken { // by a peer that dies before it has used it
					q.take(0)
				}
				end(t, q)
				s.holds(t, 8, 0, 1, 2, 3, 4, 5, 6, 7)
				q.ask(0)
				q.serve(nil, nil)
				s.holds(t, 8, 0, 1, 2, 3, 4, 5, 6, 7)
			})
		}
	}
}

// TestLentWhenPosted: who asked when there was none is told so, and gets the next receive that
// is posted.
func TestLentWhenPosted(t *testing.T) {
	s := newSharer(t)
	for range 8 {
		s.srq.take(nil)
	}
	q := s.join(t)
	q.ask(0)
	s.poll(t)
	if h := q.recv.header; h.none != h.want {
		t.Errorf("none is %#x, want %#x", h.none, h.want)
	}
	s.srq.polled.Store(s.srq.added)
	_, err := s.srq.PostRecv(&verbs.RecvWR{WRID: 9})
	check(t, err)
	s.holds(t, 1)
	if q.recv.posted.Load() != 1 {
		t.Error("it was not lent")
	}
}

// TestAskedOutOfTurn: words that no honest peer asks with change nothing.
func TestAskedOutOfTurn(t *testing.T) {
	s := newSharer(t)
	q := s.join(t)
	for _, i := range []uint32{1, 2, 64, 1 << 31, ^uint32(0) - 1} {
		q.ask(i)
		s.poll(t)
		s.holds(t, 8, 0, 1, 2, 3, 4, 5, 6, 7)
	}
	q.recv.header.want = 0
	s.poll(t)
	s.holds(t, 8, 0, 1, 2, 3, 4, 5, 6, 7)
}

// TestGivenBack: what comes back to an SRQ that is empty is before what is posted then.
func TestGivenBack(t *testing.T) {
	s := newSharer(t)
	q := s.join(t)
	q.ask(0)
	s.poll(t)
	for range 7 {
		s.srq.take(nil)
	}
	s.srq.polled.Store(s.srq.added)
	check(t, q.Close())
	_, err := s.srq.PostRecv(&verbs.RecvWR{WRID: 9})
	check(t, err)
	s.holds(t, 2, 0, 9)
}
