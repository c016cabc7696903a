package loop

import (
	"fmt"

	"github.com/ibperf/ibperf/harness/internal/message"
	"github.com/ibperf/ibperf/harness/internal/setup"
	"github.com/ibperf/ibperf/harness/internal/testcase"
	"github.com/ibperf/ibperf/verbs"
)

// Flow is a connection in use: its sender and its receiver.
type Flow struct {
	conn     *setup.Conn
	qp       verbs.QP // of the connection
	worker   *Worker
	position int            // among the flows of its worker
	extra    []verbs.SendWR // one request outside the ring, for credits and empty messages
	single   []verbs.SGE    // one entry, for a message of one byte instead of an empty one over SRD
	out      sender
	in       receiver
}

// The wr_id of a send holds the position of its flow, a bit that is set for credits, and the number
// of messages or credits of the flow up to this one. The wr_id of a receive is the position of its
// flow.
const (
	positionShift = 48
	creditBit     = 1 << 47
	countMask     = creditBit - 1
)

func (f *Flow) wrid(count uint64) uint64 { return uint64(f.position)<<positionShift | count }

func newFlow(w *Worker, c *setup.Conn, memory *requests) *Flow {
	sizes := &w.set.Queues
	f := &Flow{worker: w, conn: c, qp: c.QP, position: len(w.flows), extra: cut(&memory.sendsLeft, 1), single: cut(&memory.sgesLeft, 1)}
	f.out = sender{flow: f, qp: c.QP, sends: cut(&memory.sendsLeft, sizes.Slots), sges: cut(&memory.sgesLeft, sizes.Slots),
		seconds: cut(&memory.sendsLeft, sizes.Seconds), flagSGEs: cut(&memory.sgesLeft, sizes.Seconds)}
	f.in = receiver{
		flow: f, queue: c.RecvQueue(), writes: newWriteCount(c), recvs: cut(&memory.recvsLeft, sizes.Recvs), into: cut(&memory.sgesLeft, sizes.Recvs),
		credits: newCredits(w.set.Unordered(), c.OutOfOrder(), cut(&memory.sgesLeft, sizes.Credits)),
	}
	return f
}

// memory returns this side's registered memory from an offset of the layout on.
func (f *Flow) memory(offset int) []byte { return f.conn.Resources.Buffer.Bytes()[offset:] }

// addr returns the address of an offset of the layout, for requests of this side.
func (f *Flow) addr(offset int) uint64 { return f.conn.Resources.Addr(offset) }

// role returns the role of this side.
func (f *Flow) role() testcase.Role { return f.worker.cfg.Role }

// setCase prepares the flow for messages of a test case and posts its receives.
func (f *Flow) setCase(c *testcase.Case) error {
	layout := &f.worker.set.Layout
	own := f.memory(layout.Tx(f.conn.Index))
	tx, err := message.NewRing(own, c.Size, c.Offset, c.Span)
	if err != nil {
		return err
	}
	rx, err := message.NewRing(f.memory(layout.Rx(f.conn.Index)), c.Size, c.Offset, c.SpanIn)
	if err != nil {
		return err
	}
	fill(own[:layout.Ring], f.worker.cfg.Payload)
	if c.UsesCredits {
		clear(f.creditsIn()[:verbs.BlockSize])
	}
	if err := f.out.setCase(c, tx, rx); err != nil {
		return err
	}
	if err := f.in.setCase(c, rx); err != nil {
		return err
	}
	if c.Receivers.Has(f.role()) && c.UsesReceives {
		return f.in.postRecvs(uint64(c.Recvs))
	}
	return nil
}

// fill repeats a pattern up to the end of memory.
func fill(memory, pattern []byte) {
	for at := 0; len(pattern) > 0 && at < len(memory); {
		at += copy(memory[at:], pattern)
	}
}

// beginRound prepares the rings for a round. Another mode may have used them before.
func (f *Flow) beginRound(c *testcase.Case) {
	if !c.Consumed || c.Exact { // a perftest peer may have sent its first message already
		return
	}
	f.out.credited, f.in.credits.announced = f.out.sent, f.in.arrived
	f.out.atomics.base = f.out.sent
	role := f.role()
	if c.Fetches && c.Senders.Has(role.Other()) {
		f.out.prepareSource(c)
	}
	if c.Fetches && c.Senders.Has(role) {
		f.out.found.Init(0)
	}
	if !c.Receivers.Has(role) {
		return
	}
	if c.Verify && !c.RecvFromCQE { // with RecvFromCQE late messages may already be in memory
		f.in.ring.Prefill(f.in.arrived)
	}
	f.in.marks.Init(f.in.arrived)
}

// completed records a completion of the flow's send queue, which completes all earlier requests too.
func (f *Flow) completed(wrid uint64) {
	if wrid&creditBit != 0 {
		f.in.credits.done = wrid & countMask
		return
	}
	f.out.done = wrid & countMask
}

// completedAlone records a completion of a send queue whose completions overtake each other.
func (f *Flow) completedAlone(wrid uint64) error {
	completions, done := f.out.completed, &f.out.done
	if wrid&creditBit != 0 {
		completions, done = f.in.credits.completed, &f.in.credits.done
	}
	if n := wrid&countMask - 1; !completions.take(n) {
		return fmt.Errorf("unexpected completion of request %d: duplicate, or beyond the window after request %d, the first without a completion", n, completions.firstMissing)
	}
	*done = completions.firstMissing
	return nil
}

// postEmpty posts an empty message. With SendSignaled its completion has the wr_id, and tells that all
// requests before it are complete too.
func (f *Flow) postEmpty(op verbs.Opcode, flags verbs.SendFlags, wrid uint64) error {
	wr := &f.extra[0]
	*wr = verbs.SendWR{Opcode: op, SendFlags: flags, WRID: wrid}
	if f.worker.set.Unordered() { // no manual says that a message of SRD may be empty
		f.single[0] = verbs.SGE{Addr: f.addr(f.worker.set.Layout.Tx(f.conn.Index)), Length: 1, LKey: f.conn.Region().Plain.LKey()}
		wr.SGList, wr.NumSGE = &f.single[0], 1
	}
	f.conn.SetDestination(wr)
	_, err := f.qp.PostSend(wr)
	return err
}
