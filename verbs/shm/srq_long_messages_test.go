package shm_test

import (
	"sync/atomic"
	"testing"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

// TestLongMessagesToSRQ covers that a message of several chunks keeps its receive to the end while
// regions are registered and deregistered.
func TestLongMessagesToSRQ(t *testing.T) {
	const size, messages = 4 << 20, 20
	c := conf()
	c.BufferSize, c.RNRRetry = size, 7
	a, b := newSide(t, c), newSide(t, c)
	srq := must(b.PD.CreateSRQ(&verbs.SRQInitAttr{Attr: verbs.SRQAttr{MaxWR: 4, MaxSGE: 1}}))(t)
	t.Cleanup(func() { noError(t, srq.Close()) })
	b.QP = must(b.PD.CreateQP(&verbs.QPInitAttr{SendCQ: b.SendCQ.CQ, RecvCQ: b.RecvCQ.CQ, Cap: c.Cap, Type: c.Type, SRQ: srq}))(t)
	t.Cleanup(func() { noError(t, b.QP.Close()) })
	fixture.Connect(a, b)
	requests := fixture.NewRequests(t)
	var done atomic.Bool
	runConcurrently(t, func() error {
		return b.registerRepeatedly(b.Mem[:pageSize], &done)
	}, func() error {
		defer done.Store(true)
		for id := range uint64(messages) {
			if _, err := srq.PostRecv(requests.RecvList([]recv{{ID: id, SGEs: []verbs.SGE{b.SGE(0, size)}}})); err != nil {
				return err
			}
			a.Post(send{ID: id, Op: verbs.OpSend, Flags: verbs.SendSignaled, SGEs: []verbs.SGE{a.SGE(0, size)}})
			a.SendCQ.Expect(id, verbs.WCSuccess)
			b.RecvCQ.Expect(id, verbs.WCSuccess)
		}
		return nil
	})
}
