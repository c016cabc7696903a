package loop

import (
	"fmt"
	"math"
	"time"
)

// UC and UD do not report losses, so no loop may wait for a particular message:
//
//   - the receiver of a stream, and the server of a ping-pong, end once the peer has sent all its
//     messages and no more arrive;
//   - the client of a ping-pong gives an answer up after lateAfter, and sends the next message;
//   - a poller of memory also polls for later messages;
//   - a sender reclaims slots that the receiver has not returned for reclaimAfter.
//
// The number of lost messages is the difference between the counts of both sides.

const (
	// lateAfter is the time after which a message counts as lost. It allows for a busy host, where a
	// process may wait hundreds of milliseconds for its CPU.
	lateAfter = 500 * time.Millisecond
	// quietAfter is the time without a message, once the peer has sent all of them, after which the
	// missing ones count as lost.
	quietAfter = 100 * time.Millisecond
	// reclaimAfter is the time that a sender waits for slots before it reclaims them.
	reclaimAfter = 3 * time.Second
	// lookAheadAfter is the time without a message in memory after which a poller also polls for later
	// messages.
	lookAheadAfter = time.Millisecond
	// maxMissed is the number of lost messages in a row that ends the run.
	maxMissed = 20
)

// minPolls is the number of empty polls that are required in addition to the time: a thread that waits
// for its CPU does not poll.
const minPolls = 100

// idleFor returns the time since the worker last made progress.
func (w *Worker) idleFor() time.Duration {
	i := &w.idling
	if i.emptyPolls++; w.allSent() {
		i.quietPolls++
	}
	if i.firstYield == 0 || i.emptyPolls < minPolls {
		return 0
	}
	return time.Duration(w.spare.Now() - i.firstYield)
}

// isQuiet reports whether no message has arrived for quietAfter since the peer has sent all of them.
func (w *Worker) isQuiet(idle time.Duration) bool {
	return idle > quietAfter && w.idling.quietPolls > minPolls
}

// allSent reports whether the peer has sent all messages of the round: it has reported their number.
func (w *Worker) allSent() bool { return w.expected.Load() != math.MaxUint64 }

// giveUp is called if the next message of a ping-pong has not arrived. It reports whether to
// continue without it.
func (w *Worker) giveUp() (bool, error) {
	idle := w.idleFor()
	if idle > lookAheadAfter && w.test.PollsMemory {
		w.lookAhead()
	}
	switch {
	case !w.isClient():
		w.rotation.ended = w.isQuiet(idle)
		return w.rotation.ended, nil
	case idle < lateAfter:
		return false, nil
	}
	w.progressed()
	w.rotation.missed = true
	if w.rotation.missedInRow++; w.rotation.missedInRow >= maxMissed {
		return false, fmt.Errorf("mode %s, %d bytes: %d messages in a row were not answered within %v each: this transport does not report losses, so check the path and the receives of the peer",
			w.group.Mode, w.test.Size, w.rotation.missedInRow, lateAfter)
	}
	if w.test.PollsMemory {
		w.rotation.postedOn.in.giveUp(1)
	}
	return true, nil
}

// takeMiss reports whether the last message was given up, and resets missed.
func (t *rotation) takeMiss() bool {
	missed := t.missed
	t.missed = false
	return missed
}

// lookAhead gives up missing messages if a later one has arrived.
func (w *Worker) lookAhead() {
	for _, f := range w.flows {
		i := &f.in
		if i.missingAmong(uint64(i.ring.Slots())) > 0 {
			i.giveUp(i.missingAmong(uint64(i.ring.Slots()))) // once more: some may have arrived meanwhile
		}
	}
}

// missingAmong returns how many of the next n messages are missing before the first one that has arrived;
// 0 if none has arrived.
func (i *receiver) missingAmong(n uint64) uint64 {
	for ahead := range n {
		if i.marks.Arrived(i.arrived + ahead) {
			return ahead
		}
	}
	return 0
}

// skip makes the next message have a given number. An answer has the number of the message that it
// answers.
func (o *sender) skip(to uint64) {
	o.skipped += to - o.sent
	o.sent, o.slot, o.due = to, int(to%uint64(o.slots)), to+1
}

// renumberAnswer prepares the answer of a flow again if its number differs from that of the message
// that arrived.
func (w *Worker) renumberAnswer(f *Flow) {
	if n := f.in.arrived - 1; f.out.sent != n {
		f.out.skip(n)
		w.prepareNext(f)
	}
}

// endIfQuiet ends the waits of a stream's parts for lost messages and for slots that are not returned.
func (w *Worker) endIfQuiet(running []*part) {
	idle := w.idleFor()
	if idle > lookAheadAfter && w.test.PollsMemory && w.test.Receivers.Has(w.cfg.Role) {
		w.lookAhead()
	}
	for _, p := range running {
		switch {
		case p.sends && w.test.UsesCredits && idle > reclaimAfter:
			for _, f := range w.flows {
				f.out.credited = f.out.sent
			}
		case !p.sends && w.isQuiet(idle):
			w.expected.Store(p.done)
		}
	}
}

// Counts returns the numbers of messages that the worker has sent and received in the round.
func (w *Worker) Counts() (sent, arrived uint64) {
	arrived = w.rotation.arrived + w.rotation.late
	for _, p := range w.parts {
		if !p.sends {
			arrived += p.done
		}
	}
	return w.posted() - w.postedBefore, arrived
}
