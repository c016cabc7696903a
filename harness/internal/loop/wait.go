package loop

import (
	"errors"
	"fmt"
	"time"

	"github.com/ibperf/ibperf/harness/internal/clock"
	"github.com/ibperf/ibperf/harness/internal/testcase"
	"github.com/ibperf/ibperf/internal/sched"
	"github.com/ibperf/ibperf/verbs"
)

// errOver ends a loop that waits for a message that will not arrive, because the peer has sent all of
// its messages or the run halts.
var errOver = errors.New("over")

const (
	cqSpins    = 64 // polls of an empty CQ between two checks of the halt flag
	memorySpin = 64 // polls of memory between two checks of it
	ackBatch   = 64 // events acknowledged at a time

	// eventSlice is the longest sleep between two checks of the halt flag. It is longer than a tick
	// of the kernel's clock on most hosts. An earlier timeout would have to be set in the CPU's
	// timer and cancelled, which adds 2 us to each wake-up in a virtual machine.
	eventSlice = verbs.LongestRawWait
)

// spinBeforeYield is the time in ns for which a loop without progress spins before it yields the CPU to
// other threads. It is the same in all modes.
const spinBeforeYield = int64(20 * time.Microsecond)

// spinsBeforeClock is the number of passes of a loop without progress before it reads the clock.
const spinsBeforeClock = 4

// idling describes a loop that makes no progress. Progress resets it.
type idling struct {
	spins        int   // passes without progress
	since        int64 // first reading of the clock, or the last yield
	firstYield   int64
	emptyPolls   int   // polls since the last progress, over lossy transports
	quietPolls   int   // those of them after the peer has sent all messages
	polled       int   // empty polls since then, see [Worker.spinThenSleep]
	spinBegan    int64 // time of the first of them
	lastProgress Spent // CPU and wall time used up to the last progress, see [Worker.endMeter]
}

// yield is called in each pass of a loop that makes no progress. It yields the CPU every
// spinBeforeYield.
func (w *Worker) yield() {
	i := &w.idling
	if i.spins++; i.spins < spinsBeforeClock {
		return
	}
	now := w.spare.Now()
	switch {
	case i.since == 0:
		i.since = now
	case now-i.since > spinBeforeYield:
		w.noteIdle(now - i.since)
		sched.Yield()
		i.since = now
	}
}

// noteIdle records the CPU and wall time that the worker had used up to its last progress, ago ns
// before now. If that was the end of the round, which is known only once the peer has reported how
// many messages it sent, the time since then does not count.
func (w *Worker) noteIdle(ago int64) {
	w.checkStall()
	if w.idling.lastProgress.Wall != 0 || !w.meter.running {
		return
	}
	lost, _ := sched.Switches()
	w.idling.lastProgress = Spent{Wall: w.Clock.Now() - ago, CPU: clock.ThreadCPU(), Preempted: lost}
	if !w.test.Sleeps { // it has spun since then, unless other threads had the CPU, which is not known
		w.idling.lastProgress.CPU -= ago
	}
	// A sleep may have ended before ago had passed, so the results could precede the meter's start.
	w.idling.lastProgress.Wall = max(w.idling.lastProgress.Wall, -w.meter.Wall)
	w.idling.lastProgress.CPU = max(w.idling.lastProgress.CPU, -w.meter.CPU)
}

// StallLimit is the longest time for which a loop may make no progress while the peer is alive, in
// addition to the time of its messages and pauses. Tests shorten it.
var StallLimit = 15 * time.Second

// checkStall halts the run if no message has arrived for the stall limit of the round. The control
// channel reports a lost peer earlier.
func (w *Worker) checkStall() {
	i, now := &w.idling, w.spare.Now()
	if i.firstYield == 0 {
		i.firstYield = now
	}
	if w.stall == 0 || time.Duration(now-i.firstYield) < w.stall {
		return
	}
	w.halt.Set(fmt.Errorf("mode %s, %d bytes: no message arrived for %v although the peer is alive%s",
		w.group.Mode, w.test.Size, w.stall.Round(time.Second), explainUnseen(w.test)))
}

// explainUnseen returns why messages may have arrived without being detected, or an empty string.
func explainUnseen(c *testcase.Case) string {
	if !c.PollsMemory || !c.UsesReceives || c.Paired {
		return ""
	}
	return ": the device may keep short SENDs in the CQE until the CQ is polled, although this was disabled"
}

// sleeper puts a worker to sleep until one of its CQs has a completion.
type sleeper struct {
	channel verbs.CompChannel
	queues  []armable      // CQs whose completions end a sleep
	idle    func(ns int64) // called after a sleep without an event
	events  uint64         // events taken in the round: each ended a sleep or was raised before it
}

// armable is a CQ, armed or not.
type armable struct {
	cq      verbs.CQ
	armed   bool
	unacked int
}

// armOrSleep arms the CQs that are not armed and returns, so that the caller polls them once more: a
// completion between the last poll and the arming raises no event. If all are armed already, it
// sleeps for up to eventSlice. It sleeps in a raw system call, outside the Go scheduler, because mode
// event measures the wake-up; that delays no garbage collection, which is off.
func (s *sleeper) armOrSleep() error {
	armedNow := false
	for i := range s.queues {
		q := &s.queues[i]
		if q.armed {
			continue
		}
		if err := q.cq.ReqNotify(false); err != nil {
			return err
		}
		q.armed, armedNow = true, true
	}
	if armedNow {
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
	s.recordEvent(cq)
	return nil
}

// recordEvent records an event of a CQ, which is no longer armed. It acknowledges events in batches,
// because each ibv_ack_cq_events takes a lock.
func (s *sleeper) recordEvent(cq verbs.CQ) {
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

// discardOldEvents removes events of earlier rounds from the channel.
func (s *sleeper) discardOldEvents() error {
	s.events = 0
	for s.channel != nil {
		cq, err := s.channel.GetEvent(0)
		if err == verbs.ErrTimeout {
			return nil
		}
		if err != nil {
			return err
		}
		s.recordEvent(cq)
	}
	return nil
}

// selectCQs selects the CQs whose events wake the worker.
func (s *sleeper) selectCQs(w *Worker) {
	if w.queues.Channel == nil || s.channel != nil {
		return
	}
	s.channel, s.idle = w.queues.Channel, w.noteIdle
	role := w.cfg.Role
	if w.test.Senders.Has(role) && (w.test.Fetches || !w.test.PingPong) {
		s.queues = append(s.queues, armable{cq: w.sendCQ})
	}
	if w.test.Receivers.Has(role) && w.test.UsesReceives {
		s.queues = append(s.queues, armable{cq: w.recvCQ})
	}
}

// ackEvents acknowledges all events: ibv_destroy_cq waits until they are.
func (s *sleeper) ackEvents() {
	if s.channel == nil {
		return
	}
	_ = s.discardOldEvents() // an error of the channel has ended the run already
	for i := range s.queues {
		s.queues[i].cq.AckEvents(s.queues[i].unacked)
		s.queues[i].unacked = 0
	}
}
