package loop

import (
	"fmt"

	"github.com/ibperf/ibperf/harness/internal/message"
	"github.com/ibperf/ibperf/harness/internal/testcase"
	"github.com/ibperf/ibperf/verbs"
)

// sender is the sending or requesting half of a flow. It counts messages from the beginning of their
// size, over all rounds.
type sender struct {
	flow   *Flow
	qp     verbs.QP
	sends  []verbs.SendWR // one for each slot, linked in a ring
	sges   []verbs.SGE
	ends   []verbs.SendWR // the last request of each slot: that of sends, or the second behind it
	primed *verbs.SendWR  // the request of sends that fire posts

	seconds  []verbs.SendWR // second requests of messages, see flag.go and pair.go
	flagSGEs []verbs.SGE

	creditsIn []byte // memory that the peer's credits arrive in

	// Constant for a size.
	ring    *message.Ring // outgoing messages
	marks   *message.Markers
	into    *message.Ring    // destination of READs
	found   *message.Markers // in into
	check   *message.Checker // checks READ data; nil without --verify
	atomics atomics
	slots   int
	depth   uint64
	every   uint64 // distance of signaled messages
	list    uint64 // messages in one post; 0: as many as there is room for

	sent      uint64    // messages posted, and skipped
	skipped   uint64    // numbers that were skipped, see [sender.skip]
	due       uint64    // number of the next signaled message
	marked    uint64    // number of the last signaled message
	done      uint64    // messages that have completed
	completed *sequence // completions, if they overtake each other; else nil
	finished  uint64    // messages that the loop has counted as done
	credited  uint64    // messages that the peer has consumed, according to its last credit
	limit     uint64    // number of the last message in the round
	slot      int       // of the next message
	sum       byte      // sum of touched bytes, so that the loads are not optimized away
}

// setCase prepares the sender for messages of a test case.
func (o *sender) setCase(c *testcase.Case, tx, rx *message.Ring) (err error) {
	o.ring, o.into, o.found = tx, rx, message.NewMarkers(rx, c.Order)
	if o.marks, err = o.flow.markersAt(c, tx, o.flow.worker.set.Layout.Tx(o.flow.conn.Index)); err != nil {
		return err
	}
	o.check = nil
	if c.Verify && c.Fetches && !c.Atomic {
		o.check = message.NewReadChecker(rx, markersOf(c, o.found))
	}
	o.slots, o.depth, o.every, o.list = c.Slots, c.Depth, c.SignalEvery, c.PostList
	o.skipped = 0
	o.sent, o.due, o.marked, o.done, o.finished, o.credited, o.limit, o.slot = 0, c.SignalEvery, 0, 0, 0, 0, 0, 0
	if c.Unordered {
		o.completed = newSequence(max(c.Slots, int(c.Depth)))
	}
	if c.UsesCredits {
		o.creditsIn = o.flow.creditsIn()
	}
	o.link(c)
	return nil
}

// markersOf returns the markers if they are in messages that are detected by them, else nil.
func markersOf(c *testcase.Case, m *message.Markers) *message.Markers {
	if c.PollsMemory && !c.ByFlag {
		return m
	}
	return nil
}

// link sets the local and remote addresses of each slot's request, and links the requests in a ring.
func (o *sender) link(c *testcase.Case) {
	f, layout := o.flow, &o.flow.worker.set.Layout
	index, peer := f.conn.Index, &f.conn.Peer
	local, remote := layout.Tx(index), layout.Rx(index)
	if c.Fetches {
		local, remote = remote, local
	}
	remote -= layout.Known(index)
	lkey, rkey := f.conn.Region().LKey(c.Relaxed), peer.RKey
	if c.Relaxed {
		rkey = peer.RelaxedRKey
	}
	flags := verbs.SendFlags(0)
	if c.Size <= f.conn.Resources.Inline && !c.Fetches {
		flags = verbs.SendInline
	}
	for i := range c.Slots {
		at, there := o.ring.SlotOffset(uint64(i%c.Span)), o.into.SlotOffset(uint64(i%c.SpanIn))
		o.sges[i] = verbs.SGE{Addr: f.addr(local + at), Length: uint32(c.Size), LKey: lkey}
		o.sends[i] = verbs.SendWR{SGList: &o.sges[i], NumSGE: 1, Opcode: c.Opcode, SendFlags: flags}
		setRemote(c, &o.sends[i], peer.Addr+uint64(remote+there), rkey)
		f.conn.SetDestination(&o.sends[i])
		o.sends[i].Next = &o.sends[(i+1)%c.Slots]
	}
	o.ends = o.sends
	switch {
	case c.ByFlag:
		o.linkFlags(c, local, remote, lkey, rkey)
	case c.Paired:
		o.linkImmediates(c)
	}
}

// prepareSource writes the contents of the ring that the peer fetches from: READ data never
// changes, and the numbers of atomic operations begin at 0.
func (o *sender) prepareSource(c *testcase.Case) {
	for i := range uint64(c.Span) {
		if c.Atomic {
			clear(o.ring.Slot(i))
			continue
		}
		if c.Verify {
			o.ring.Fill(i)
		}
		if c.PollsMemory {
			o.marks.Write(i)
		}
	}
}

// post posts n messages in one list, at most one of each slot. The requests are linked already.
// Only the end of the list and the signaled requests differ between passes over the ring, so the cost
// of post does not depend on n.
func (o *sender) post(n uint64) error {
	first, due, end := o.slot, o.due, o.sent+n
	for ; o.due <= end; o.due += o.every {
		o.signal(o.due)
	}
	if end == o.limit {
		o.signal(end)
	}
	last := o.slotAfter(n - 1)
	o.ends[last].Next = nil
	_, err := o.qp.PostSend(&o.sends[first])
	o.ends[last].Next = &o.sends[o.slotAfter(n)]
	for ; due <= end; due += o.every {
		o.ends[o.slotAfter(due-o.sent-1)].SendFlags &^= verbs.SendSignaled
	}
	o.ends[last].SendFlags &^= verbs.SendSignaled
	o.slot = o.slotAfter(n)
	o.sent = end
	if err != nil {
		return fmt.Errorf("post message %d: %w", o.sent, err)
	}
	return nil
}

// prime prepares the request of the next message, and [sender.fire] posts it. They are post(1) in two
// parts: only fire is executed between the arrival of a message and its answer.
func (o *sender) prime() {
	wr := &o.ends[o.slot]
	wr.Next = nil
	wr.SendFlags &^= verbs.SendSignaled
	if o.sent+1 == o.due {
		wr.SendFlags |= verbs.SendSignaled
		wr.WRID = o.flow.wrid(o.sent + 1)
	}
	o.primed = &o.sends[o.slot]
}

// fire posts the primed request.
func (o *sender) fire() error {
	o.slow()
	if _, err := o.qp.PostSend(o.primed); err != nil {
		return fmt.Errorf("post message %d: %w", o.sent+1, err)
	}
	o.fired()
	return nil
}

// fired counts the primed request as posted.
func (o *sender) fired() {
	o.sent++
	o.flow.worker.rotation.postedOn = o.flow
	o.slot = o.slotAfter(1)
	if o.sent == o.due {
		o.marked = o.sent
		o.due += o.every
	}
}

// signal makes the count-th message signaled.
func (o *sender) signal(count uint64) {
	o.marked = count
	wr := &o.ends[o.slotAfter(count-o.sent-1)]
	wr.SendFlags |= verbs.SendSignaled
	wr.WRID = o.flow.wrid(count)
}

// slotAfter returns the slot n slots after that of the next message to send.
func (o *sender) slotAfter(n uint64) int {
	slot := o.slot + int(n)
	if slot >= o.slots {
		slot -= o.slots
	}
	return slot
}

// takeCredits reads the credits that the peer has written.
func (o *sender) takeCredits() {
	for slot := range o.flow.in.credits.slots {
		n := message.ReadCredit(o.creditsIn[slot*message.CreditBytes:])
		if n > o.credited && n <= o.sent {
			o.credited = n
		}
	}
}

// roomInQueue returns the number of messages that the sender may post: up to the end of the round, the
// depth and the number of requests.
func (o *sender) roomInQueue() uint64 {
	return min(o.limit-o.sent, o.depth-(o.sent-o.done), uint64(o.slots))
}

// roomInRing is roomInQueue, limited to the slots that the receiver has consumed.
func (o *sender) roomInRing() uint64 {
	o.takeCredits()
	return min(o.roomInQueue(), uint64(o.slots)-(o.sent-o.credited))
}

// roomToFetch is roomInQueue, limited to the slots whose last message was consumed.
func (o *sender) roomToFetch() uint64 {
	return min(o.roomInQueue(), uint64(o.slots)-(o.sent-o.finished))
}

// wholeLists rounds room down to a whole number of lists. The last list of a round may be shorter.
func (o *sender) wholeLists(room uint64) uint64 {
	if room == o.limit-o.sent {
		return room
	}
	return room - room%o.list
}

// endRound ends a timed round. No more messages are posted, except one that requests the completion of
// all outstanding ones. It takes the entry of a completed message in the send queue.
func (o *sender) endRound() error {
	o.limit = o.sent
	if o.marked == o.sent {
		return nil
	}
	if !o.flow.worker.set.EmptyWrites() { // one more message is sent for the last completion
		o.limit++
		return nil
	}
	for o.sent-o.done >= o.depth {
		if _, err := o.flow.worker.reapSends(); err != nil {
			return err
		}
		if o.flow.worker.halt.On() {
			return errOver
		}
	}
	o.marked = o.sent
	return o.flow.postEmpty(lastOpcode(o.flow.worker.group.Mode), verbs.SendSignaled, o.flow.wrid(o.sent))
}
