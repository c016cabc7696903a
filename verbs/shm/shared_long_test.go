package shm_test

import (
	"sync/atomic"
	"testing"

	"github.com/ibperf/ibperf/verbs"
)

// TestLongSharedMessages: a message of several chunks keeps its receive of a shared queue to the
// end, whatever regions come and go meanwhile.
func TestLongSharedMessages(t *testing.T) {
	const size, messages = 4 << 20, 20
	c := conf()
	c.size, c.rnrRetry = size, 7
	a, b := newSide(t, c), newSide(t, c)
	srq := must(b.pd.CreateSRQ(&verbs.SRQInitAttr{Attr: verbs.SRQAttr{MaxWR: 4, MaxSGE: 1}}))(t)
	t.Cleanup(func() { noError(t, srq.Close()) })
	b.qp = must(b.pd.CreateQP(&verbs.QPInitAttr{SendCQ: b.sendCQ, RecvCQ: b.recvCQ, Cap: c.cap, Type: c.typ, SRQ: srq}))(t)
	t.Cleanup(func() { noError(t, b.qp.Close()) })
	connect(t, a, b)
	var done atomic.Bool
	crew(t, func() error {
		return b.comeAndGo(b.mem[:pageSize], &done)
	}, func() error {
		defer done.Store(true)
		for id := range uint64(messages) {
			if _, err := srq.PostRecv(b.requests.recvList([]recv{{id: id, sges: []verbs.SGE{b.sge(0, size)}}})); err != nil {
				return err
			}
			a.mustPost(t, send{id: id, op: verbs.OpSend, flags: verbs.SendSignaled, sges: []verbs.SGE{a.sge(0, size)}})
			pollOne(t, a.sendCQ, id, verbs.WCSuccess)
			pollOne(t, b.recvCQ, id, verbs.WCSuccess)
		}
		return nil
	})
}
