package loop

import (
	"fmt"

	"github.com/ibperf/ibperf/harness/internal/message"
	"github.com/ibperf/ibperf/harness/internal/testcase"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/verbs"
)

// If messages take the receives of several QPs, may be lost or overtake each other, only the
// completion says which receive a message has taken. The wr_id of a receive holds the position of
// the flow that owns it, and its index in the receives of that flow.

const ownerBits = 32

// recvFromCQE holds a receiver's state of such receives.
type recvFromCQE struct {
	freed       []uint64      // indexes of receives to post again
	checked     *verbs.Buffer // memory that messages are copied to for checking; nil without --verify
	checkedRing *message.Ring // in checked
}

// wrid returns the wr_id of a receive.
func (i *receiver) wrid(index int) uint64 {
	if i.freed == nil {
		return uint64(i.flow.position)
	}
	return uint64(i.flow.position) | uint64(index)<<ownerBits
}

// prepareRecvFromCQE prepares for messages of a test case.
func (i *receiver) prepareRecvFromCQE(c *testcase.Case) (err error) {
	i.close()
	if i.freed = nil; !c.RecvFromCQE {
		return nil
	}
	i.freed = make([]uint64, 0, c.Recvs)
	if !c.Verify {
		return nil
	}
	if i.checked, err = verbs.NewBuffer(message.RingBytes(c.Size, c.Offset, c.Span)); err != nil {
		return err
	}
	if i.checkedRing, err = message.NewRing(i.checked.Bytes(), c.Size, c.Offset, c.Span); err != nil {
		return err
	}
	i.check = message.NewChecker(i.checkedRing, nil)
	return nil
}

func (i *receiver) close() {
	if i.checked != nil {
		i.checked.Close()
		i.checked = nil
	}
}

// postFreed posts again the n receives that were freed first. Messages free them in any order.
func (i *receiver) postFreed(n uint64) error {
	for k := range n - 1 {
		i.recvs[i.freed[k]].Next = &i.recvs[i.freed[k+1]]
	}
	i.recvs[i.freed[n-1]].Next = nil
	first := i.freed[0]
	i.freed = i.freed[:copy(i.freed, i.freed[n:])]
	i.outstanding += n
	_, err := i.queue.PostRecv(&i.recvs[first])
	return err
}

// matchRecv records which receive a completion has freed. It returns the flow that the message
// arrived on, the flow that owns the receive, and the index of the receive there.
func (w *Worker) matchRecv(c *verbs.WC) (f, owner *Flow, index uint64) {
	owner, index = w.flows[c.WRID&(1<<ownerBits-1)], c.WRID>>ownerBits
	owner.in.freed = append(owner.in.freed, index)
	owner.in.free++
	owner.in.outstanding--
	f = owner
	if w.queues.SRQ != nil && len(w.flows) > 1 {
		if arrivedOn := w.byQP[c.QPNum]; arrivedOn != nil {
			f = arrivedOn
		}
	}
	return f, owner, index
}

// matchRecvs records completions of messages that are not consumed.
func (w *Worker) matchRecvs(wcs []verbs.WC) error {
	for k := range wcs {
		if wcs[k].Status != verbs.WCSuccess {
			return w.failed(&wcs[k])
		}
		w.matchRecv(&wcs[k])
	}
	return nil
}

// consumedInOrder records that message n was consumed. A late message changes nothing.
func (i *receiver) consumedInOrder(n uint64) {
	i.arrived = max(i.arrived, n+1)
	i.reaped = i.arrived
}

// consumedFunc returns the function that records messages of a stream as consumed.
func consumedFunc(c *testcase.Case) func(i *receiver, n uint64) error {
	if c.Unordered && c.Numbered {
		return (*receiver).consumedUnordered
	}
	return func(i *receiver, n uint64) error { i.consumedInOrder(n); return nil }
}

// consumedUnordered records that message n was consumed. Messages count as arrived up to the first
// missing one.
func (i *receiver) consumedUnordered(n uint64) error {
	if !i.arrivedSet.take(n) {
		return fmt.Errorf("unexpected message %d: duplicate, or beyond the window after message %d, the first that is missing", n, i.arrivedSet.firstMissing)
	}
	i.arrived, i.reaped = i.arrivedSet.firstMissing, i.arrivedSet.firstMissing
	return nil
}

// recvConsumer returns the function that consumes message n of a flow, which has taken a receive of
// its owner.
func recvConsumer(c *testcase.Case) func(f, owner *Flow, index, n uint64) {
	touch, data := toucher(c), dataFinder(c)
	switch {
	case c.Verify:
		return func(f, owner *Flow, index, n uint64) {
			b, i := data(f, owner, index, n), &f.in
			i.sum += touch(b)
			copy(i.checkedRing.Slot(n), b)
			i.check.Check(n)
		}
	case c.Touch == option.TouchNone:
		return func(_, _ *Flow, _, _ uint64) {}
	}
	return func(f, owner *Flow, index, n uint64) { f.in.sum += touch(data(f, owner, index, n)) }
}

// dataFinder returns the function that returns the bytes of message n of a flow.
func dataFinder(c *testcase.Case) func(f, owner *Flow, index, n uint64) []byte {
	if c.DataInRecv {
		return func(_, owner *Flow, index, _ uint64) []byte { return owner.in.ring.Slot(index) }
	}
	return func(f, _ *Flow, _, n uint64) []byte { return f.in.ring.Slot(n) }
}

// takeRecvs returns the function that receives messages of a stream, each matched with its receive by
// the completion.
func (w *Worker) takeRecvs(limit *uint64) func() (uint64, error) {
	c, empty := w.test, emptyBytes(w.test)
	consume, reap, recordConsumed := recvConsumer(c), w.receivePoller(limit), consumedFunc(c)
	return func() (messages uint64, err error) {
		wcs, err := reap()
		for k := range wcs {
			f, owner, index := w.matchRecv(&wcs[k])
			i := &f.in
			if isEmpty(&wcs[k], empty) {
				if err := owner.in.repost(); err != nil {
					return 0, err
				}
				continue
			}
			messages++
			n := i.numberOf(c, &wcs[k])
			consume(f, owner, index, n)
			if err := recordConsumed(i, n); err != nil {
				return 0, err
			}
			if err := owner.in.repost(); err != nil {
				return 0, err
			}
			if c.UsesCredits {
				if err := i.giveCredit(i.arrived); err != nil {
					return 0, err
				}
			}
		}
		return messages, err
	}
}

// emptyBytes returns the byte_len of an empty message, which has used up a receive at the end of a size (see
// [Flow.UseUp]). Over a transport that loses messages one that counted as lost may arrive in the next size.
func emptyBytes(c *testcase.Case) uint32 { return uint32(c.GRH) }

// isEmpty reports whether a completion is one of an empty SEND, of the given byte_len.
func isEmpty(wc *verbs.WC, empty uint32) bool {
	return wc.ByteLen <= empty && wc.Opcode == verbs.WCRecv
}

// arriveByRecv returns the function that polls for a message of a ping-pong, matched with its receive
// by the completion. It ignores an answer to a message that was given up, and late empty messages.
func (w *Worker) arriveByRecv() func() (bool, error) {
	c, limit, empty := w.test, uint64(1), emptyBytes(w.test)
	consume, reap := recvConsumer(c), w.receivePoller(&limit)
	expectsAnswer := c.Lossy && w.isClient()
	return func() (bool, error) {
		wcs, err := reap()
		if len(wcs) == 0 {
			return false, err
		}
		f, owner, index := w.matchRecv(&wcs[0])
		if isEmpty(&wcs[0], empty) {
			return false, owner.in.repost()
		}
		i := &f.in
		n := i.numberOf(c, &wcs[0])
		consume(f, owner, index, n)
		i.consumedInOrder(n)
		if expectsAnswer && (f != w.rotation.postedOn || n+1 != f.out.sent) {
			w.rotation.late++
			return false, owner.in.repost()
		}
		w.rotation.receivedOn, w.rotation.recvOwner = f, owner
		return true, nil
	}
}
