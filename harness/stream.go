package harness

import (
	"math"
	"sync/atomic"
	"time"

	"github.com/ibperf/ibperf/internal/stats"
)

// part is one direction of a stream at one side: what sends, or what receives.
type part struct {
	sends   bool
	step    func() (uint64, error) // goes on as far as it can; returns the messages that are done
	want    *atomic.Uint64         // messages of the round, unbounded while that is not known
	blocked func() bool            // whether nothing can go on before a completion comes
	begin   func()                 // called at the first messages, if the clock starts with them
	late    func() error           // called when the time has come
	paced   *pacer                 // of what sends, nil if its rate is not limited

	rate  *stats.Rate
	edge  uint64 // messages between two looks at the clock
	calm  int    // fruitless steps after which the clock is looked at too
	until int64

	got    uint64
	unread uint64 // messages since the last look at the clock
	vain   int
}

// streamFor begins a stream and drives it; what is sent ends after the duration, if there
// is one.
func (w *worker) streamFor(duration time.Duration) error {
	for _, p := range w.parts {
		if !p.sends {
			continue
		}
		w.beginMeter()
		now := w.clock.Now()
		p.rate.Start(now)
		if p.paced != nil {
			p.paced.start(now)
		}
		if duration > 0 {
			p.until = now + int64(duration+w.scheme.burstTime()) // a sender that keeps up with its rate ends by itself
		}
	}
	return w.stream()
}

// stream drives the worker's parts until all are done. It is the only loop of bandwidth
// tests: it owns clock, deadline, halt and the waits.
func (w *worker) stream() error {
	for running := w.parts; len(running) > 0; {
		if w.halt.on() {
			return errOver
		}
		moved, done := uint64(0), 0
		for _, p := range running {
			n, err := p.step()
			if err == nil {
				err = p.note(w, n)
			}
			if err != nil {
				return err
			}
			moved += n
			if p.got >= p.want.Load() {
				done++
			}
		}
		if done > 0 {
			running = w.retire(running)
		}
		if moved > 0 {
			w.idling = idling{}
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

// note counts n messages, and looks at the clock when there are enough of them or, so that
// the last one's time is known, when nothing comes any more.
func (p *part) note(w *worker, n uint64) error {
	if n == 0 {
		if p.unread == 0 {
			return nil
		}
		if p.vain++; p.vain < p.calm {
			return nil
		}
		return p.mark(w)
	}
	p.vain = 0
	p.got += n
	if p.begin != nil {
		p.begin()
		p.begin = nil
		return nil
	}
	if p.unread += n; p.unread < p.edge {
		return nil
	}
	return p.mark(w)
}

// mark looks at the clock.
func (p *part) mark(w *worker) error {
	now := w.clock.Now()
	p.rate.Edge(p.unread, now)
	p.unread = 0
	if now >= p.until {
		return p.late()
	}
	return nil
}

// retire ends the parts that are done and returns the others.
func (w *worker) retire(running []*part) []*part {
	var left []*part
	for _, p := range running {
		if p.got < p.want.Load() {
			left = append(left, p)
			continue
		}
		if p.unread > 0 {
			p.rate.Edge(p.unread, w.clock.Now())
			p.unread = 0
		}
		if p.sends {
			w.end()
		}
	}
	return left
}

// wait is called when no part got on.
func (w *worker) wait(running []*part) error {
	w.yield()
	if w.scheme.lossy {
		w.endQuiet(running)
	}
	if w.sleep.channel == nil {
		return nil
	}
	for _, p := range running {
		if !p.blocked() {
			return nil
		}
	}
	return w.sleep.nap()
}

// duplex tells whether the worker both sends and receives streams.
func (w *worker) duplex() bool {
	role := w.rig.cfg.Role
	return !w.scheme.exchange && w.scheme.out.has(role) && w.scheme.in.has(role)
}

// Messages or bytes after which a stream looks at the clock, so that it knows when its time
// is up; and steps without any after which it counts as interrupted where it has no peak.
const (
	edgeMessages = 1024
	edgeBytes    = 64 << 20
	interrupted  = 1024
)

// spread decides how often the clock is looked at: often enough for windows of 1 ms, or, where
// no clock is wanted in the loop, only so that the end is seen.
func (p *part) spread(s *scheme, timed bool) {
	switch {
	case !s.noClock:
		p.edge = uint64(max(1, s.slots/4))
	case timed:
		p.edge, p.calm = uint64(max(1, min(edgeMessages, edgeBytes/s.size))), interrupted
	default:
		p.edge, p.calm = math.MaxUint64, interrupted
	}
}
