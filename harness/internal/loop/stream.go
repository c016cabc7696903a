package loop

import (
	"math"
	"sync/atomic"
	"time"

	"github.com/ibperf/ibperf/harness/internal/stats"
	"github.com/ibperf/ibperf/harness/internal/testcase"
)

// part is one direction of a stream at one side.
type part struct {
	sends   bool
	advance func() (uint64, error) // posts, polls and consumes without waiting; returns the number of messages done
	want    *atomic.Uint64         // messages in the round; math.MaxUint64 until the number is known
	blocked func() bool            // reports whether only a completion allows progress
	begin   func()                 // called at the first messages, if the clock starts with them
	timeUp  func() error           // called at the end of a timed round
	paced   *pacer                 // limits the sending rate; nil without a rate limit

	rate       *stats.Rate
	clockEvery uint64 // messages between two readings of the clock
	maxEmpty   int    // calls of advance without messages after which the clock is read too
	until      int64  // time at which a timed round ends

	done      uint64 // messages
	uncounted uint64 // messages since the last reading of the clock
	empty     int    // calls of advance without messages since then
}

// streamFor starts the clocks of a stream and runs it. Sending ends after the duration, unless that
// is 0.
func (w *Worker) streamFor(duration time.Duration) error {
	for _, p := range w.parts {
		if !p.sends {
			continue
		}
		w.beginMeter()
		now := w.Clock.Now()
		p.rate.Start(now)
		if p.paced != nil {
			p.paced.start(now)
		}
		if duration > 0 {
			p.until = now + int64(duration+w.test.BurstTime()) // a paced sender that keeps its rate ends by itself
			if w.test.EndsAtOnce {                             // the peer may have stopped receiving: then no message is done, and the clock is not read
				defer time.AfterFunc(duration, func() { p.want.Store(0) }).Stop()
			}
		}
	}
	return w.stream()
}

// stream runs the worker's parts until all are done. It is the only loop of bandwidth tests. Clock,
// deadline, halt and waits are handled here, and messages in the advance functions of the parts.
func (w *Worker) stream() error {
	for running := w.parts; len(running) > 0; {
		if w.halt.On() {
			return errOver
		}
		moved, done := uint64(0), 0
		for _, p := range running {
			n, err := p.advance()
			if err == nil {
				err = p.count(w, n)
			}
			if err != nil {
				return err
			}
			moved += n
			if p.done >= p.want.Load() {
				done++
			}
		}
		if done > 0 {
			running = w.retire(running)
		}
		if moved > 0 {
			w.progressed()
			continue
		}
		if len(running) > 0 {
			if err := w.wait(running); err != nil {
				return err
			}
		}
	}
	w.endMeter()
	return nil
}

// count counts n messages. It reads the clock every clockEvery messages and, so that the time of the
// last message is known, after maxEmpty calls without messages.
func (p *part) count(w *Worker, n uint64) error {
	if n == 0 {
		if p.uncounted == 0 {
			return nil
		}
		if p.empty++; p.empty < p.maxEmpty {
			return nil
		}
		return p.readClock(w)
	}
	p.empty = 0
	p.done += n
	if p.begin != nil {
		p.begin()
		p.begin = nil
		return nil
	}
	if p.uncounted += n; p.uncounted < p.clockEvery {
		return nil
	}
	return p.readClock(w)
}

// readClock records the messages since the last reading of the clock, and calls timeUp at the end of a
// timed round.
func (p *part) readClock(w *Worker) error {
	now := w.Clock.Now()
	p.rate.Add(p.uncounted, now)
	p.uncounted = 0
	if now >= p.until {
		return p.timeUp()
	}
	return nil
}

// retire records the last messages of the parts that are done, and returns the other parts.
func (w *Worker) retire(running []*part) []*part {
	var left []*part
	for _, p := range running {
		if p.done < p.want.Load() {
			left = append(left, p)
			continue
		}
		if p.uncounted > 0 {
			p.rate.Add(p.uncounted, w.Clock.Now())
			p.uncounted = 0
		}
		if p.sends {
			w.reportSent()
		}
	}
	return left
}

// wait yields or sleeps. It is called when no part has made progress.
func (w *Worker) wait(running []*part) error {
	w.yield()
	if w.test.Lossy {
		w.endIfQuiet(running)
	}
	if w.sleep.channel == nil {
		return nil
	}
	for _, p := range running {
		if !p.blocked() {
			return nil
		}
	}
	return w.rest()
}

// duplex reports whether the worker sends a stream and receives one.
func (w *Worker) duplex() bool {
	role := w.cfg.Role
	return !w.test.PingPong && w.test.Senders.Has(role) && w.test.Receivers.Has(role)
}

// A stream without peak reads the clock after clockMessages messages or clockBytes bytes, so that it
// ends in time, or after maxEmptyCalls calls of advance without a message.
const (
	clockMessages = 1024
	clockBytes    = 64 << 20
	maxEmptyCalls = 1024
)

// setClockInterval sets how often the clock is read: often enough for windows of 1 ms or, without
// peak, often enough for a timed round to end in time.
func (p *part) setClockInterval(c *testcase.Case, timed bool) {
	switch {
	case !c.NoClock:
		p.clockEvery = uint64(max(1, c.Slots/4))
	case timed:
		p.clockEvery, p.maxEmpty = uint64(max(1, min(clockMessages, clockBytes/c.Size))), maxEmptyCalls
	default:
		p.clockEvery, p.maxEmpty = math.MaxUint64, maxEmptyCalls
	}
}
