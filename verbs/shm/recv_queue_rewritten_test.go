package shm

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// TestReceiveRewrittenDuringMessage covers a peer that changes the SGEs of a receive during a long
// message to it, and counts changes, so that its memory is looked up again. Only the peer may
// suffer.
func TestReceiveRewrittenDuringMessage(t *testing.T) {
	const size, short = 8 << 20, 64
	a, b := newNode(t), newNode(t)
	buffer := func() *verbs.Buffer {
		buf, err := verbs.NewBuffer(size)
		check(t, err)
		t.Cleanup(func() { buf.Close() })
		return buf
	}
	from, to := a.registerBuffer(t, buffer()), b.registerBuffer(t, buffer())
	q, err := b.qp.pd.CreateQP(&verbs.QPInitAttr{SendCQ: b.cq, RecvCQ: b.cq, Type: verbs.QPTypeRC,
		Cap: verbs.QPCap{MaxSendWR: 16, MaxRecvWR: 16, MaxSendSGE: 1, MaxRecvSGE: 2}})
	check(t, err)
	b.qp = q.(*qp)
	check(t, a.connect(b.endpoint()))
	check(t, b.connect(a.endpoint()))
	var stop atomic.Bool
	var number atomic.Uint32
	var wg sync.WaitGroup
	wg.Go(func() {
		r := &b.qp.recv
		for one := true; !stop.Load(); one = !one {
			i, length, pieces := number.Load(), uint32(short), uint32(2)
			if one {
				length, pieces = size, 1
			}
			atomic.StoreUint32(&view[verbs.SGE](r.file.Bytes(), r.layout.firstAt(i)).Length, length)
			atomic.StoreUint32(&r.wqe(i).numSGE, pieces)
			b.ctx.dir.change()
			time.Sleep(20 * time.Microsecond)
		}
	})
	defer wg.Wait()
	defer stop.Store(true)
	for end := time.Now().Add(300 * time.Millisecond); time.Now().Before(end); number.Add(1) {
		sges := []verbs.SGE{{Addr: to.Addr(), Length: short, LKey: to.LKey()}, {Addr: to.Addr() + short, Length: size - short, LKey: to.LKey()}}
		_, err := b.qp.PostRecv(&verbs.RecvWR{SGList: &sges[0], NumSGE: 2})
		check(t, err)
		sge := verbs.SGE{Addr: from.Addr(), Length: size, LKey: from.LKey()}
		posted := make(chan error)
		go func() { // a panic ends the tests at once here
			_, err := a.qp.PostSend(&verbs.SendWR{Opcode: verbs.OpSend, SendFlags: verbs.SendSignaled, SGList: &sge, NumSGE: 1})
			posted <- err
		}()
		check(t, <-posted)
		if a.nextCompletion(t).Status != verbs.WCSuccess {
			return // the changed receive was too short
		}
		b.nextCompletion(t)
	}
}
