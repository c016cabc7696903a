package shm

import (
	"testing"

	"github.com/ibperf/ibperf/verbs"
)

// sharer is a victim whose QP is on an SRQ, connected to a peer that never sends:
// the test asks in its place.
type sharer struct {
	*victim
	srq *srq
	qp  *qp
}

func newSharer(t *testing.T) *sharer {
	t.Helper()
	v, peer := newVictim(t), newVictim(t)
	pd := v.qp.pd
	made, err := pd.CreateSRQ(&verbs.SRQInitAttr{Attr: verbs.SRQAttr{MaxWR: 8, MaxSGE: 1}})
	check(t, err)
	q, err := pd.CreateQP(&verbs.QPInitAttr{SendCQ: v.cq, RecvCQ: v.cq, Type: verbs.QPTypeRC, SRQ: made})
	check(t, err)
	s := &sharer{v, made.(*srq), q.(*qp)}
	to := peer.endpoint()
	check(t, verbs.Connect(s.qp, verbs.Path{Port: 1}, remoteRights|verbs.AccessLocalWrite, v.endpoint(), to))
	for id := range uint64(3) {
		_, err = s.srq.PostRecv(&verbs.RecvWR{WRID: id})
		check(t, err)
	}
	return s
}

// ask does what a peer asks for and returns its note.
func (s *sharer) ask(op askOp) uint32 {
	note, _ := s.ctx.attend(request{op: op, arg: s.qp.num, epoch: s.qp.entry.epoch})
	return note.note
}

// holds checks which receives the SRQ has, and how many places are taken.
func (s *sharer) holds(t *testing.T, used uint32, ids ...uint64) {
	t.Helper()
	var got []uint64
	for _, w := range s.srq.queue {
		got = append(got, w.WRID)
	}
	same := len(got) == len(ids)
	for i := range ids {
		same = same && got[i] == ids[i]
	}
	if !same || s.srq.used.Load() != used {
		t.Errorf("the SRQ holds %v with %d places taken, want %v and %d", got, s.srq.used.Load(), ids, used)
	}
}

// TestUnusedReceives: a receive that a peer asked for and did not take goes back
// to the head of the SRQ, however the connection ends.
func TestUnusedReceives(t *testing.T) {
	ends := map[string]func(t *testing.T, s *sharer){
		"returned": func(t *testing.T, s *sharer) { s.ask(askReturn) },
		"ERR": func(t *testing.T, s *sharer) {
			check(t, s.qp.Modify(&verbs.QPAttr{State: verbs.QPErr}, verbs.MaskState))
		},
		"RESET": func(t *testing.T, s *sharer) {
			check(t, s.qp.Modify(&verbs.QPAttr{State: verbs.QPReset}, verbs.MaskState))
		},
		"closed": func(t *testing.T, s *sharer) { check(t, s.qp.Close()) },
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			s := newSharer(t)
			for range 2 { // asking twice gives no second one
				if got := s.ask(askReceive); got != noteFed {
					t.Errorf("note %d", got)
				}
				s.holds(t, 3, 1, 2)
			}
			end(t, s)
			s.holds(t, 3, 0, 1, 2)
			if name != "returned" && s.ask(askReceive) == noteFed {
				t.Error("a QP that does not receive was fed")
			}
			s.holds(t, 3, 0, 1, 2)
		})
	}
}

// TestFedWhenPosted: who waits gets the next receive that is posted, and who has
// given up does not.
func TestFedWhenPosted(t *testing.T) {
	for _, waits := range []bool{true, false} {
		s := newSharer(t)
		for range 3 {
			s.srq.take()
		}
		if got := s.ask(askReceive); got != noteEmpty {
			t.Errorf("note %d of an empty SRQ", got)
		}
		left := []uint64{9}
		if waits {
			left = nil
		} else {
			s.ask(askReturn)
		}
		_, err := s.srq.PostRecv(&verbs.RecvWR{WRID: 9})
		check(t, err)
		s.holds(t, 4, left...)
	}
}

// TestAskedOutOfTurn: words about other connections, QPs and queues change nothing.
func TestAskedOutOfTurn(t *testing.T) {
	s := newSharer(t)
	for _, req := range []request{
		{op: askReceive, arg: s.qp.num, epoch: s.qp.entry.epoch + 1},
		{op: askReceive, arg: s.qp.num ^ 1<<20, epoch: s.qp.entry.epoch},
		{op: askReceive, arg: s.victim.qp.num, epoch: s.victim.qp.entry.epoch},
		{op: askReturn, arg: s.qp.num, epoch: s.qp.entry.epoch},
		{op: askCollect, arg: s.qp.num, epoch: s.qp.entry.epoch},
	} {
		if note, ok := s.ctx.attend(req); ok {
			t.Errorf("%+v was answered with %+v", req, note)
		}
		s.holds(t, 3, 0, 1, 2)
	}
}
