package harness

import (
	"fmt"
	"math"
	"time"

	"github.com/ibperf/ibperf/reports/result"
)

// What UC and UD lose is gone, and nobody is told. So no wait is for a certain message:
//
//   - who receives a stream, or answers, ends when all has been sent and nothing comes any more;
//   - who leads a ping-pong gives an answer up after a while, and sends the next message;
//   - who spins on memory looks whether a later message is there;
//   - a sender that waits for its slots to be given back takes them after a while.
//
// How many were lost is the difference of what both sides have counted.

const (
	// lateAfter is how long a message may be on its way until it counts as lost, also for
	// who has to wait for another process of a busy host.
	lateAfter = 500 * time.Millisecond
	// quietAfter is how long nothing comes after all was sent until the rest counts as lost.
	quietAfter = 100 * time.Millisecond
	// reclaimAfter is how long a sender waits for slots that nobody gives back.
	reclaimAfter = 3 * time.Second
	// lookAfter is how long a message is waited for in memory until later ones are looked for.
	lookAfter = time.Millisecond
	// mostMissed is how many messages in a row may be lost.
	mostMissed = 20
)

// fewLooks is how many looks in vain it takes beside the time: a thread that had no CPU for
// long has seen nothing.
const fewLooks = 100

// idleFor is how long the worker has got nowhere.
func (w *worker) idleFor() time.Duration {
	i := &w.idling
	if i.looks++; w.allSent() {
		i.quiet++
	}
	if i.stalled == 0 || i.looks < fewLooks {
		return 0
	}
	return time.Duration(w.spare.Now() - i.stalled)
}

// isQuiet tells whether nothing has come for so long after all was sent.
func (w *worker) isQuiet(idle time.Duration) bool {
	return idle > quietAfter && w.idling.quiet > fewLooks
}

// allSent tells whether the peer has said how many messages it has sent.
func (w *worker) allSent() bool { return w.target.Load() != math.MaxUint64 }

// giveUp is called when a ping-pong's next message has not come. It tells whether to go on
// without it.
func (w *worker) giveUp() (bool, error) {
	idle := w.idleFor()
	if idle > lookAfter && w.scheme.memory {
		w.lookAhead()
	}
	switch {
	case !w.leads():
		w.turns.over = w.isQuiet(idle)
		return w.turns.over, nil
	case idle < lateAfter:
		return false, nil
	}
	w.idling = idling{}
	w.turns.missed = true
	if w.turns.inRow++; w.turns.inRow >= mostMissed {
		return false, fmt.Errorf("mode %s, %d bytes: %d messages in a row were not answered within %v each: what was sent over this transport is lost, and the peer not told",
			w.group.way, w.scheme.size, w.turns.inRow, lateAfter)
	}
	if w.scheme.memory {
		w.turns.asked.in.pass(1)
	}
	return true, nil
}

// takeMiss tells whether the message that was waited for is lost, once.
func (t *turns) takeMiss() bool {
	missed := t.missed
	t.missed = false
	return missed
}

// lookAhead goes on to the next message that is there, where those before it are lost.
func (w *worker) lookAhead() {
	for _, l := range w.lanes {
		i := &l.in
		if i.firstOf(uint64(i.ring.Slots())) > 0 {
			i.pass(i.firstOf(uint64(i.ring.Slots()))) // once more: some may have come meanwhile
		}
	}
}

// firstOf returns how many messages are missing before the first that is there, of the next
// n, 0 if none is.
func (i *receiver) firstOf(n uint64) uint64 {
	for ahead := range n {
		if i.marks.Arrived(i.arrived + ahead) {
			return ahead
		}
	}
	return 0
}

// skip leaves numbers out, so that an answer has the number of what it answers.
func (o *sender) skip(to uint64) {
	o.skipped += to - o.sent
	o.sent, o.slot, o.due = to, int(to%uint64(o.slots)), to+1
}

// answers makes the next answer of a lane ready that is of the number of what came.
func (w *worker) answers(l *lane) {
	if n := l.in.arrived - 1; l.out.sent != n {
		l.out.skip(n)
		w.ready(l)
	}
}

// endQuiet ends the wait of a stream's parts for what is lost.
func (w *worker) endQuiet(running []*part) {
	idle := w.idleFor()
	if idle > lookAfter && w.scheme.memory && w.scheme.in.has(w.rig.cfg.Role) {
		w.lookAhead()
	}
	for _, p := range running {
		switch {
		case p.sends && w.scheme.credits && idle > reclaimAfter:
			for _, l := range w.lanes {
				l.out.credited = l.out.sent
			}
		case !p.sends && w.isQuiet(idle):
			w.target.Store(p.got)
		}
	}
}

// traffic is what went in one direction.
type traffic struct{ sent, came uint64 }

func (x *traffic) add(sent, came uint64) {
	x.sent += sent
	x.came += came
}

// delivery is what became of it.
func (x *traffic) delivery() result.Delivery {
	return result.Delivery{Sent: x.sent, Lost: x.sent - min(x.came, x.sent)}
}

// deliver gives a row what was lost in both directions together, and each direction its own.
func (t *tally) deliver(r *result.Row) {
	mine, theirs := t.outward.delivery(), t.inward.delivery()
	r.Delivery = &result.Delivery{Sent: mine.Sent + theirs.Sent, Lost: mine.Lost + theirs.Lost}
	if r.FromClient == nil || r.FromServer == nil {
		return
	}
	r.FromClient.Delivery, r.FromServer.Delivery = &mine, &theirs
	if t.role == Server {
		r.FromClient.Delivery, r.FromServer.Delivery = &theirs, &mine
	}
}

// counts returns how many messages the worker has sent in the round, and how many came.
func (w *worker) counts() (sent, came uint64) {
	came = w.turns.came + w.turns.late
	for _, p := range w.parts {
		if !p.sends {
			came += p.got
		}
	}
	return w.sent() - w.before, came
}
