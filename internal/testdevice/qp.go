package testdevice

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// qp wraps a QP.
type qp struct {
	verbs.QP
	ctx            *context
	pd             *pd
	sendCQ, recvCQ verbs.CQ
	forwards       bool          // posts go to the inner QP unchanged
	posted         atomic.Uint64 // requests
	reads          *lateReads    // nil without a delay of READs
	scatter        *scatter      // nil without scatter to CQE
	posting        sync.Mutex    // held for a list, so that the lists of two threads do not mix
}

// begin adds the QP to its context.
func (q *qp) begin(init *verbs.QPInitAttr) error {
	o := &q.ctx.options
	q.forwards = o.OnPostSend == nil && o.PostDelay == nil && o.ReadDelay == nil && o.Clock == nil
	if o.ScatterStays && init.NoScatterToCQE {
		init.MaxScatterToCQE = o.ScatterToCQE
	}
	if o.NoInline {
		init.Cap.MaxInlineData = 0
	}
	if o.scatters(init) {
		var err error
		if q.scatter, err = newScatter(q.pd, init); err != nil {
			return err
		}
	}
	if o.ReadDelay != nil && (init.Type == verbs.QPTypeRC || init.Type == verbs.QPTypeXRCSend) {
		var err error
		if q.reads, err = newLateReads(q.QP, init.Cap); err != nil {
			q.scatter.close()
			return err
		}
	}
	q.ctx.mu.Lock()
	defer q.ctx.mu.Unlock()
	q.ctx.qps[q.QP] = q
	if q.scatter != nil {
		q.ctx.scatters[q.QPNum()] = q.scatter
	}
	return nil
}

func (q *qp) PostRecv(list *verbs.RecvWR) (bad *verbs.RecvWR, err error) {
	if on := q.ctx.options.OnPostRecv; on != nil {
		on(q, list)
	}
	if q.scatter == nil {
		return q.QP.PostRecv(list)
	}
	return q.scatter.post(q.QP, list)
}

// PostSend posts the requests of the list one by one, unless the QP forwards lists.
func (q *qp) PostSend(list *verbs.SendWR) (bad *verbs.SendWR, err error) {
	if q.forwards {
		return q.QP.PostSend(list)
	}
	q.posting.Lock()
	defer q.posting.Unlock()
	for wr := list; wr != nil; wr = wr.Next {
		q.delay(wr)
		if err := q.post(wr); err != nil {
			return wr, err
		}
	}
	return nil, nil
}

// delay waits for the delay of a request.
func (q *qp) delay(wr *verbs.SendWR) {
	o := &q.ctx.options
	begun, took := int64(0), time.Duration(0)
	if o.OnPostSend != nil {
		o.OnPostSend(q, wr)
	}
	if o.PostDelay != nil {
		begun = q.ctx.now()
		took = o.PostDelay(q.posted.Add(1)-1, wr)
	}
	switch {
	case o.Clock != nil:
		o.Clock.post(took)
	case took > 0:
		waitUntil(begun + int64(took))
	}
}

// post posts one request of a list.
func (q *qp) post(wr *verbs.SendWR) error {
	if q.reads != nil {
		if wr.Opcode == verbs.OpRDMARead && wr.SendFlags&verbs.SendInline == 0 {
			return q.reads.add(wr, q.ctx.options.ReadDelay)
		}
		if err := q.reads.drain(); err != nil {
			return err
		}
	}
	next := wr.Next
	wr.Next = nil
	_, err := q.QP.PostSend(wr)
	wr.Next = next
	return err
}

func (q *qp) Modify(attr *verbs.QPAttr, mask verbs.QPAttrMask) error {
	if hook := q.ctx.options.OnModify; hook != nil {
		hook(q, attr, mask)
	}
	reset := mask&verbs.MaskState != 0 && attr.State == verbs.QPReset
	if reset && q.reads != nil {
		q.reads.drop()
	}
	if err := q.QP.Modify(attr, mask); err != nil {
		return err
	}
	if reset {
		q.purge()
	}
	if reset && q.scatter != nil {
		q.scatter.drop()
	}
	return nil
}

// purge drops the delayed completions of the QP.
func (q *qp) purge() {
	for _, of := range []verbs.CQ{q.sendCQ, q.recvCQ} {
		if of, ok := of.(*cq); ok {
			of.purge(q.QPNum())
		}
	}
}

func (q *qp) Query(mask verbs.QPAttrMask) (verbs.QPAttr, verbs.QPInitAttr, error) {
	attr, init, err := q.QP.Query(mask)
	if err == nil {
		init.SendCQ, init.RecvCQ = q.sendCQ, q.recvCQ
	}
	return attr, init, err
}

// Close drops delayed READs.
func (q *qp) Close() error {
	if q.reads != nil {
		if err := q.reads.close(); err != nil {
			return err
		}
	}
	num := q.QPNum()
	if err := q.QP.Close(); err != nil {
		return err
	}
	q.purge()
	q.ctx.mu.Lock()
	defer q.ctx.mu.Unlock()
	delete(q.ctx.qps, q.QP)
	if q.scatter != nil && q.ctx.scatters[num] == q.scatter {
		delete(q.ctx.scatters, num)
		q.scatter.close()
	}
	return nil
}
