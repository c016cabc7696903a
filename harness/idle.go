package harness

import (
	"errors"
	"fmt"
	"time"

	"github.com/ibperf/ibperf/internal/clock"
	"github.com/ibperf/ibperf/internal/sched"
	"github.com/ibperf/ibperf/verbs"
)

// errOver ends a loop that waits for a message that will not come: the peer has
// said how many there are, or the run is to halt.
var errOver = errors.New("over")

const (
	spins      = 64 // polls of an empty CQ between two looks at the halt word
	memorySpin = 64 // looks at memory between two looks at it
	ackBatch   = 64 // events acknowledged at a time

	// eventSlice is the time of sleep between two looks at it. It is longer than a tick of the
	// kernel's clock is on most hosts: a nearer end of a sleep has to be set in the CPU's
	// timer and taken back, which in a virtual machine takes 2 us of each wake-up.
	eventSlice = verbs.LongestRawWait
)

// patience is how long a loop spins in vain, the same in every mode, until it gives other
// threads of an overloaded machine a chance.
const patience = int64(20 * time.Microsecond)

// spinRounds is how many rounds of a loop get nowhere before it looks at the time.
const spinRounds = 4

// idling is how long a loop has got nowhere.
type idling struct {
	rounds  int
	since   int64 // when that was first looked at, or when the CPU was last given away
	stalled int64 // when it was first noted to get nowhere
	looks   int   // in vain since then, where messages may be lost
	quiet   int   // and since all had been sent
	began   spent // what the worker had used when it began, once that lasts; see [worker.endMeter]
}

// yield is called in each round of a loop that gets nowhere.
func (w *worker) yield() {
	i := &w.idling
	if i.rounds++; i.rounds < spinRounds {
		return
	}
	now := w.spare.Now()
	switch {
	case i.since == 0:
		i.since = now
	case now-i.since > patience:
		w.noteIdle(now - i.since)
		sched.Yield()
		i.since = now
	}
}

// noteIdle remembers what the worker had used when it last got on, so many nanoseconds ago.
// Whether that was the end of the round is not known before the peer has said so.
func (w *worker) noteIdle(ago int64) {
	w.noteStall()
	if w.idling.began.wall != 0 || !w.meter.running {
		return
	}
	lost, _ := sched.Switches()
	w.idling.began = spent{wall: w.clock.Now() - ago, cpu: clock.ThreadCPU(), preempted: lost}
	if !w.scheme.sleeps { // but for what other threads had of that time, which is not known
		w.idling.began.cpu -= ago
	}
	// A sleep may end before its time, and what it began with is before the meter's begin then.
	w.idling.began.wall = max(w.idling.began.wall, -w.meter.wall)
	w.idling.began.cpu = max(w.idling.began.cpu, -w.meter.cpu)
}

// stallLimit is how long a loop may get nowhere although the peer is there, beside what its
// messages and pauses take.
var stallLimit = 15 * time.Second

// noteStall ends a run in which nothing comes any more. A peer that is gone ends it sooner.
func (w *worker) noteStall() {
	i, now := &w.idling, w.spare.Now()
	if i.stalled == 0 {
		i.stalled = now
	}
	if w.stall == 0 || time.Duration(now-i.stalled) < w.stall {
		return
	}
	w.halt.set(fmt.Errorf("mode %s, %d bytes: no message was seen for %v, although the peer is there%s",
		w.group.way, w.scheme.size, w.stall.Round(time.Second), w.scheme.unseen()))
}

// unseen says why messages that have arrived may not be seen.
func (s *scheme) unseen() string {
	if !s.memory || !s.receives {
		return ""
	}
	return ": the device may keep short SENDs in the CQE until it is polled, although it was asked not to"
}

// sleeper lets a worker sleep until one of its queues has a completion.
type sleeper struct {
	channel verbs.CompChannel
	queues  []armable // whose completions end a sleep
	idle    func(ns int64)
	events  uint64 // that ended a sleep, or came before it began
}

// armable is a CQ, and whether it will raise an event.
type armable struct {
	cq      verbs.CQ
	armed   bool
	unacked int
}

// nap arms the queues, so that its caller looks at them once more: or a completion
// between the look and the arm would wake nobody. If they are armed it sleeps, for a
// while at most, in a raw system call: the wake-up is what mode event measures, and the
// collector is off.
func (s *sleeper) nap() error {
	fresh := false
	for i := range s.queues {
		q := &s.queues[i]
		if q.armed {
			continue
		}
		if err := q.cq.ReqNotify(false); err != nil {
			return err
		}
		q.armed, fresh = true, true
	}
	if fresh {
		return nil
	}
	cq, err := s.channel.GetEventRaw(eventSlice)
	if err == verbs.ErrTimeout {
		s.idle(int64(eventSlice))
		return nil
	}
	if err != nil {
		return err
	}
	s.events++
	s.woken(cq)
	return nil
}

// woken notes an event. Events are acknowledged in batches, as it takes a lock each time.
func (s *sleeper) woken(cq verbs.CQ) {
	for i := range s.queues {
		q := &s.queues[i]
		if q.cq != cq {
			continue
		}
		q.armed = false
		if q.unacked++; q.unacked == ackBatch {
			q.cq.AckEvents(q.unacked)
			q.unacked = 0
		}
	}
}

// begin takes events out of the channel that are older than the round.
func (s *sleeper) begin() error {
	s.events = 0
	for s.channel != nil {
		cq, err := s.channel.GetEvent(0)
		if err == verbs.ErrTimeout {
			return nil
		}
		if err != nil {
			return err
		}
		s.woken(cq)
	}
	return nil
}

// rest acknowledges all events: a CQ with others cannot be destroyed.
func (s *sleeper) rest() {
	if s.channel == nil {
		return
	}
	_ = s.begin() // a channel that fails here has failed the run already
	for i := range s.queues {
		s.queues[i].cq.AckEvents(s.queues[i].unacked)
		s.queues[i].unacked = 0
	}
}

// watch makes the completions that the worker waits for in a round those that end a sleep.
func (s *sleeper) watch(w *worker) {
	if w.channel == nil || s.channel != nil {
		return
	}
	s.channel, s.idle = w.channel, w.noteIdle
	role := w.rig.cfg.Role
	if w.scheme.out.has(role) && (w.scheme.fetch || !w.scheme.exchange) {
		s.queues = append(s.queues, armable{cq: w.sendCQ})
	}
	if w.scheme.in.has(role) && w.scheme.receives {
		s.queues = append(s.queues, armable{cq: w.recvCQ})
	}
}

// rest ends the use of events in a round.
func (g *group) rest() {
	for _, w := range g.workers {
		w.sleep.rest()
	}
}
