package shm_test

import (
	"fmt"
	"testing"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

// TestNoStoreAfterDeregister covers that after MR.Close no requester uses the memory, although they
// post long lists continuously: those of the peer, which WRITE to it or SEND to receives in it, and
// those of this side, which READ to it.
func TestNoStoreAfterDeregister(t *testing.T) {
	for _, op := range []verbs.Opcode{verbs.OpRDMAWrite, verbs.OpSend, verbs.OpRDMARead} {
		t.Run(op.String(), func(t *testing.T) {
			for range 3 {
				deregisterDuringLists(t, op)
			}
		})
	}
}

// deregisterDuringLists closes the destination region while data arrives.
func deregisterDuringLists(t *testing.T, op verbs.Opcode) {
	t.Helper()
	c := conf()
	c.BufferSize = 1 << 20
	a, b := pair(t, c)
	source, target, want := a, b, verbs.WCRemAccessErr
	switch op {
	case verbs.OpSend:
		want = verbs.WCRemOpErr
	case verbs.OpRDMARead:
		source, target, want = b, a, verbs.WCLocProtErr
	}
	fixture.Fill(source.Mem, 1)
	words := atomicWords(target.Mem)
	runConcurrently(t, func() error { return a.postLists(op, b, want) }, func() error {
		fixture.Eventually(t, "data arrives", func() bool { return words[0].Load() != 0 })
		err := target.MR.Close()
		clear(target.Mem)
		return err
	})
	for i := range words {
		if words[i].Load() != 0 {
			t.Fatalf("byte %d of the memory was written after it was deregistered", 8*i)
		}
	}
}

// postLists posts lists of requests that fill the peer's or its own buffer, one after another,
// until one fails with the wanted status.
func (s *side) postLists(op verbs.Opcode, peer *side, want verbs.WCStatus) error {
	list := make([]send, s.Config.Cap.MaxSendWR)
	for i := range list {
		list[i] = send{Op: op, SGEs: []verbs.SGE{s.SGE(0, s.Config.BufferSize)}}.Toward(peer, 0)
	}
	list[len(list)-1].Flags = verbs.SendSignaled
	receives := make([]recv, len(list))
	for i := range receives {
		receives[i].SGEs = []verbs.SGE{peer.SGE(0, s.Config.BufferSize)}
	}
	status := verbs.WCSuccess
	for status == verbs.WCSuccess {
		if op == verbs.OpSend {
			if _, err := peer.TryPostRecv(receives...); err != nil {
				return err
			}
		}
		if _, err := s.TryPost(list...); err != nil {
			return err
		}
		err := repeat(1, func(int) (bool, error) {
			var wc [1]verbs.WC
			n, err := s.SendCQ.Poll(wc[:])
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
		return fmt.Errorf("status %s, want %s", status, want)
	}
	return nil
}

// pollReceived polls the completions of n receives.
func (s *side) pollReceived(n int) error {
	return repeat(n, func(int) (bool, error) { return pollNext(s.RecvCQ.CQ, 0) })
}
