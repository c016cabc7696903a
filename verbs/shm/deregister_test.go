package shm_test

import (
	"fmt"
	"testing"

	"github.com/ibperf/ibperf/verbs"
)

// TestNothingComesAfterDeregistering: once MR.Close has returned, requesters leave the
// memory alone, although they post long lists all the time: those of the peer, which
// WRITE to it or SEND to receives in it, and those of this side, which READ to it.
func TestNothingComesAfterDeregistering(t *testing.T) {
	for _, op := range []verbs.Opcode{verbs.OpRDMAWrite, verbs.OpSend, verbs.OpRDMARead} {
		t.Run(op.String(), func(t *testing.T) {
			for range 3 {
				deregisterUnder(t, op)
			}
		})
	}
}

// deregisterUnder closes the region to which data comes while it comes.
func deregisterUnder(t *testing.T, op verbs.Opcode) {
	t.Helper()
	c := conf()
	c.size = 1 << 20
	a, b := pair(t, c)
	source, target, want := a, b, verbs.WCRemAccessErr
	switch op {
	case verbs.OpSend:
		want = verbs.WCRemOpErr
	case verbs.OpRDMARead:
		source, target, want = b, a, verbs.WCLocProtErr
	}
	fill(source.mem, 1)
	words := atomicWords(target.mem)
	crew(t, func() error { return a.postLists(op, b, want) }, func() error {
		eventually(t, "data comes", func() bool { return words[0].Load() != 0 })
		err := target.mr.Close()
		clear(target.mem)
		return err
	})
	for i := range words {
		if words[i].Load() != 0 {
			t.Fatalf("byte %d of the memory was written after it was deregistered", 8*i)
		}
	}
}

// postLists posts lists of requests that fill the peer's or its own buffer, one after
// the other, until one fails as it is to.
func (s *side) postLists(op verbs.Opcode, peer *side, want verbs.WCStatus) error {
	list := make([]send, s.conf.cap.MaxSendWR)
	for i := range list {
		list[i] = send{op: op, sges: []verbs.SGE{s.sge(0, s.conf.size)}}.toward(peer, 0)
	}
	list[len(list)-1].flags = verbs.SendSignaled
	receives := make([]recv, len(list))
	for i := range receives {
		receives[i].sges = []verbs.SGE{peer.sge(0, s.conf.size)}
	}
	status := verbs.WCSuccess
	for status == verbs.WCSuccess {
		if op == verbs.OpSend {
			if _, err := peer.postRecv(receives...); err != nil {
				return err
			}
		}
		if _, err := s.post(list...); err != nil {
			return err
		}
		err := repeat(1, func(int) (bool, error) {
			var wc [1]verbs.WC
			n, err := s.sendCQ.Poll(wc[:])
			status = wc[0].Status
			return n == 1, err
		})
		if err != nil {
			return err
		}
		if status == verbs.WCSuccess && op == verbs.OpSend {
			if err := peer.pollReceived(len(receives)); err != nil {
				return err
			}
		}
	}
	if status != want {
		return fmt.Errorf("%s, want %s", status, want)
	}
	return nil
}

// pollReceived polls the completions of n receives.
func (s *side) pollReceived(n int) error {
	return repeat(n, func(int) (bool, error) { return pollNext(s.recvCQ, 0) })
}
