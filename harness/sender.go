package harness

import (
	"fmt"
	"sync/atomic"

	"github.com/ibperf/ibperf/internal/message"
	"github.com/ibperf/ibperf/verbs"
)

// sender is the sending half of a QP, or the one that READs. Messages are counted from the
// beginning of their size on, through all rounds.
type sender struct {
	lane   *lane
	sends  []verbs.SendWR // one for each slot, linked in a circle
	sges   []verbs.SGE
	primed *verbs.SendWR // of sends, the next to fire

	// Of the size.
	ring    *message.Ring // that messages are sent from
	marks   *message.Markers
	into    *message.Ring // that READs fetch into
	found   *message.Markers
	check   *message.Checker // of what was READ, nil without --verify
	atomics atomics
	slots   int
	depth   uint64
	every   uint64 // a signaled request each so many messages
	list    uint64 // messages of one post; 0: as many as there is room for

	sent     uint64    // messages posted, and skipped
	skipped  uint64    // of them, numbers that were left out, see [sender.skip]
	due      uint64    // messages up to the next signaled one
	marked   uint64    // messages up to the last signaled request
	done     uint64    // messages known to have left the send queue
	came     *sequence // of their completions, where those overtake each other
	finished uint64    // messages whose end the loop has counted
	credited uint64    // messages that the peer has consumed, as it said last
	limit    uint64    // messages up to the end of the round
	slot     int       // of the next message
	sum      byte      // of what was touched
}

// lay prepares the sender for messages of a scheme.
func (o *sender) lay(s *scheme, tx, rx *message.Ring) {
	o.ring, o.into = tx, rx
	o.marks, o.found = message.NewMarkers(tx, s.order), message.NewMarkers(rx, s.order)
	o.check = nil
	if s.verify && s.fetch && !s.atomic {
		o.check = message.NewReadChecker(rx, markersOf(s, o.found))
	}
	o.slots, o.depth, o.every, o.list = s.slots, s.depth, s.every, s.list
	o.skipped = 0
	o.sent, o.due, o.marked, o.done, o.finished, o.credited, o.limit, o.slot = 0, s.every, 0, 0, 0, 0, 0, 0
	if s.anyOrder {
		o.came = newSequence(max(s.slots, int(s.depth)))
	}
	o.link(s)
}

// markersOf returns the markers if messages are known by them, else nil.
func markersOf(s *scheme, m *message.Markers) *message.Markers {
	if s.memory {
		return m
	}
	return nil
}

// link points each slot's request at its memory, here and at the peer.
func (o *sender) link(s *scheme) {
	r, l := o.lane.worker.rig, o.lane
	local, remote := r.layout.tx(l.index), r.layout.rx(l.index)
	if s.fetch {
		local, remote = remote, local
	}
	remote -= r.layout.tx(l.index) // the peer's address is that of the lane's memory
	lkey, rkey := r.of(l.index).lkey(s.relaxed), l.peer.RKey
	if s.relaxed {
		rkey = l.peer.RelaxedRKey
	}
	flags := verbs.SendFlags(0)
	if s.size <= r.inline && !s.fetch {
		flags = verbs.SendInline
	}
	for i := range s.slots {
		at := o.ring.SlotOffset(uint64(i % s.span))
		o.sges[i] = verbs.SGE{Addr: r.addr(local + at), Length: uint32(s.size), LKey: lkey}
		o.sends[i] = verbs.SendWR{SGList: &o.sges[i], NumSGE: 1, Opcode: s.opcode, SendFlags: flags}
		s.target(&o.sends[i], l.peer.Addr+uint64(remote+at), rkey)
		l.aim(&o.sends[i])
		o.sends[i].Next = &o.sends[(i+1)%s.slots]
	}
}

// prepareSource gives the ring that the peer fetches from its contents: what is READ never
// changes, and numbers begin at 0.
func (o *sender) prepareSource(s *scheme) {
	for i := range uint64(s.span) {
		if s.atomic {
			clear(o.ring.Slot(i))
			continue
		}
		if s.verify {
			o.ring.Fill(i)
		}
		if s.memory {
			o.marks.Write(i)
		}
	}
}

// post posts n messages, at most one of each slot, in one list. The requests are linked
// already: only the list's end and the signals differ from one lap to the next, so that a
// message more costs nothing here.
func (o *sender) post(n uint64) error {
	first, due, end := o.slot, o.due, o.sent+n
	for ; o.due <= end; o.due += o.every {
		o.signal(o.due)
	}
	if end == o.limit {
		o.signal(end)
	}
	last := o.slotAfter(n - 1)
	o.sends[last].Next = nil
	_, err := o.lane.qp.PostSend(&o.sends[first])
	o.sends[last].Next = &o.sends[o.slotAfter(n)]
	for ; due <= end; due += o.every {
		o.sends[o.slotAfter(due-o.sent-1)].SendFlags &^= verbs.SendSignaled
	}
	o.sends[last].SendFlags &^= verbs.SendSignaled
	o.slot = o.slotAfter(n)
	o.sent = end
	if err != nil {
		return fmt.Errorf("post message %d: %w", o.sent, err)
	}
	return nil
}

// prime makes the request of the next message ready, and fire posts it: post(1) in
// two steps, of which only the second is between a message and its answer.
func (o *sender) prime() {
	wr := &o.sends[o.slot]
	wr.Next = nil
	wr.SendFlags &^= verbs.SendSignaled
	if o.sent+1 == o.due {
		wr.SendFlags |= verbs.SendSignaled
		wr.WRID = o.lane.wrid(o.sent + 1)
	}
	o.primed = wr
}

func (o *sender) fire() error {
	if _, err := o.lane.qp.PostSend(o.primed); err != nil {
		return fmt.Errorf("post message %d: %w", o.sent+1, err)
	}
	o.sent++
	o.lane.worker.turns.asked = o.lane
	o.slot = o.slotAfter(1)
	if o.sent == o.due {
		o.marked = o.sent
		o.due += o.every
	}
	return nil
}

// signal asks for the completion of the message that ends the first count ones.
func (o *sender) signal(count uint64) {
	o.marked = count
	wr := &o.sends[o.slotAfter(count-o.sent-1)]
	wr.SendFlags |= verbs.SendSignaled
	wr.WRID = o.lane.wrid(count)
}

// slotAfter returns the slot n places after that of the next message to send.
func (o *sender) slotAfter(n uint64) int {
	slot := o.slot + int(n)
	if slot >= o.slots {
		slot -= o.slots
	}
	return slot
}

// takeCredits looks at what the peer wrote last.
func (o *sender) takeCredits() {
	r := o.lane.worker.rig
	at := o.lane.creditsIn()
	for range o.lane.in.credits.places {
		w := words(r.buf.Bytes()[at:][:creditBytes])
		at += creditBytes
		n, check := atomic.LoadUint64(&w[0]), atomic.LoadUint64(&w[1])
		if n > o.credited && n <= o.sent && check == creditCheck(n) {
			o.credited = n
		}
	}
}

// The room of a sender is how many messages it may post now: within the round, the depth
// and the circle of requests.
func (o *sender) roomInQueue() uint64 {
	return min(o.limit-o.sent, o.depth-(o.sent-o.done), uint64(o.slots))
}

// roomInRing also leaves alone the slots that the receiver has not consumed.
func (o *sender) roomInRing() uint64 {
	o.takeCredits()
	return min(o.roomInQueue(), uint64(o.slots)-(o.sent-o.credited))
}

// roomToFetch also leaves alone the slots whose last message was not seen yet.
func (o *sender) roomToFetch() uint64 {
	return min(o.roomInQueue(), uint64(o.slots)-(o.sent-o.finished))
}

// whole is the part of room that lists of the length that they are to have fill. The last
// list of a round may be shorter.
func (o *sender) whole(room uint64) uint64 {
	if room == o.limit-o.sent {
		return room
	}
	return room - room%o.list
}

// curtail ends the round: nothing more is posted, and what is out is asked to tell of its
// completion.
func (o *sender) curtail() error {
	o.limit = o.sent
	if o.marked == o.sent {
		return nil
	}
	if o.lane.worker.rig.datagrams() { // UD has no empty WRITE: one message more tells
		o.limit++
		return nil
	}
	o.marked = o.sent
	return o.lane.postEmpty(verbs.OpRDMAWrite, verbs.SendSignaled, o.lane.wrid(o.sent))
}
