package harness

import (
	"fmt"

	"github.com/ibperf/ibperf/verbs"
)

// post posts n messages from the ring, at most one of each slot, in one list. The
// requests are linked already: only the list's end and the signals differ from one
// lap to the next, so that a message more costs nothing here.
func (l *lane) post(n uint64) error {
	first, due, end := l.sendSlot, l.due, l.sent+n
	for ; l.due <= end; l.due += l.every {
		l.signal(l.due)
	}
	if end == l.limit {
		l.signal(end)
	}
	last := l.slotAfter(n - 1)
	l.sends[last].Next = nil
	_, err := l.qp.PostSend(&l.sends[first])
	l.sends[last].Next = &l.sends[l.slotAfter(n)]
	for ; due <= end; due += l.every {
		l.sends[l.slotOf(due)].SendFlags &^= verbs.SendSignaled
	}
	l.sends[last].SendFlags &^= verbs.SendSignaled
	l.sendSlot = l.slotAfter(n)
	l.sent = end
	l.posted += n
	if err != nil {
		return fmt.Errorf("post message %d: %w", l.sent, err)
	}
	return nil
}

// prime makes the request of the next message ready, and fire posts it: post(1) in
// two steps, of which only the second is between a message and its answer.
func (l *lane) prime() {
	wr := &l.sends[l.sendSlot]
	wr.Next = nil
	wr.SendFlags &^= verbs.SendSignaled
	if l.sent+1 == l.due || l.sent+1 == l.limit {
		wr.SendFlags |= verbs.SendSignaled
		wr.WRID = uint64(l.index)<<laneShift | l.posted + 1
	}
	l.primed = wr
}

func (l *lane) fire() error {
	if _, err := l.qp.PostSend(l.primed); err != nil {
		return fmt.Errorf("post message %d: %w", l.sent+1, err)
	}
	l.sent++
	l.posted++
	l.sendSlot = l.slotAfter(1)
	if l.primed.SendFlags&verbs.SendSignaled != 0 {
		l.marked = l.posted
	}
	if l.sent == l.due {
		l.due += l.every
	}
	return nil
}

// signal asks for the completion of the message that ends the first count ones.
func (l *lane) signal(count uint64) {
	l.marked = l.posted + count - l.sent
	wr := &l.sends[l.slotOf(count)]
	wr.SendFlags |= verbs.SendSignaled
	wr.WRID = uint64(l.index)<<laneShift | l.marked
}

// slotOf returns the slot of the message that ends the first count ones.
func (l *lane) slotOf(count uint64) int { return l.slotAfter(count - l.sent - 1) }

// slotAfter returns the slot n places after that of the next message to send.
func (l *lane) slotAfter(n uint64) int {
	slot := l.sendSlot + int(n)
	if slot >= l.slots {
		slot -= l.slots
	}
	return slot
}

// postRecvs posts n receives in one list, for the slots that follow the last one's.
// They are linked already, as sends are.
func (l *lane) postRecvs(n uint64) error {
	first := l.recvSlot
	next := first + int(n)
	if next >= l.ring {
		next -= l.ring
	}
	last := next - 1
	if last < 0 {
		last = l.ring - 1
	}
	l.recvs[last].Next = nil
	_, err := l.qp.PostRecv(&l.recvs[first])
	l.recvs[last].Next = &l.recvs[next]
	if err != nil {
		return fmt.Errorf("post receive: %w", err)
	}
	l.recvSlot = next
	l.owed += n
	return nil
}

// postEmpty posts a zero-length request of the opcode; signaled, it tells when
// everything before it is complete.
func (l *lane) postEmpty(op verbs.Opcode, signaled bool) error {
	l.posted++
	wr := &l.extra[0]
	*wr = verbs.SendWR{Opcode: op}
	if signaled {
		wr.SendFlags, wr.WRID = verbs.SendSignaled, uint64(l.index)<<laneShift|l.posted
		l.marked = l.posted
	}
	_, err := l.qp.PostSend(wr)
	return err
}
