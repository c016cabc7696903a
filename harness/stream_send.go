package harness

import (
	"math"
	"sync/atomic"

	"github.com/ibperf/ibperf/internal/stats"
	"github.com/ibperf/ibperf/oob"
)

// sending returns the part that sends, or READs, over all lanes of the worker.
func (w *worker) sending(t oob.Turn, rate *stats.Rate) *part {
	s := w.scheme
	paced := w.pacer(t)
	p := &part{sends: true, step: w.sendStep(paced), blocked: w.sendBlocked, rate: rate, until: math.MaxInt64, want: new(atomic.Uint64), paced: paced}
	p.spread(s, t.Messages == 0)
	for _, l := range w.lanes {
		l.out.limit, l.out.due = math.MaxUint64, l.out.sent+l.out.every
		if t.Messages > 0 {
			l.out.limit = l.out.sent + t.Messages
		}
	}
	p.want.Store(math.MaxUint64)
	if t.Messages > 0 {
		p.want.Store(t.Messages * uint64(len(w.lanes)))
	}
	before, least := w.sent(), s.least(len(w.lanes))
	p.late = func() error {
		if w.sent()-before < least {
			return nil
		}
		p.until = math.MaxInt64
		left := uint64(0)
		for _, l := range w.lanes {
			if err := l.out.curtail(); err != nil {
				return err
			}
			left += l.out.limit - l.out.sent
		}
		p.want.Store(w.sent() - before + left)
		return nil
	}
	if paced != nil {
		paced.late = p.late
	}
	return p
}

// least is how many messages a timed round of so many QPs has: of each a few laps of the ring
// that is in use, or a round would measure its own beginning.
func (s *scheme) least(lanes int) uint64 {
	switch {
	case s.burst > 0:
		return 1
	case s.seen:
		return uint64(lanes) * 2 * uint64(s.slots)
	}
	return uint64(lanes)
}

// sendStep returns the step of a sending part: post what there is room for, reap, count.
func (w *worker) sendStep(paced *pacer) func() (uint64, error) {
	room, post, reap, count := w.room(), w.poster(), w.reaper(), w.counter()
	if paced != nil {
		room, post, reap = paced.hold(room, post, reap)
	}
	return func() (uint64, error) {
		for _, l := range w.lanes {
			if n := room(&l.out); n > 0 {
				if err := post(&l.out, n); err != nil {
					return 0, err
				}
			}
		}
		if _, err := reap(); err != nil {
			return 0, err
		}
		var got uint64
		for _, l := range w.lanes {
			got += count(&l.out)
		}
		return got, nil
	}
}

// room returns how many messages a sender may post: in lists of a given length, whole ones.
func (w *worker) room() func(*sender) uint64 {
	room := w.roomFor()
	if w.scheme.list == 0 {
		return room
	}
	return func(o *sender) uint64 { return o.whole(room(o)) }
}

// roomFor returns how the messages are limited that a sender may post.
func (w *worker) roomFor() func(*sender) uint64 {
	switch {
	case w.scheme.credits:
		return (*sender).roomInRing
	case w.scheme.fetch && w.scheme.seen:
		return (*sender).roomToFetch
	}
	return (*sender).roomInQueue
}

// reaper returns how completions are looked for. Only where nothing else can go on
// meanwhile it spins.
func (w *worker) reaper() func() (int, error) {
	if s := w.scheme; s.sleeps || s.burst > 0 || s.memory || s.credits || w.duplex() {
		return w.reapSends
	}
	return w.awaitSends
}

// sendBlocked tells whether no lane may post and a signaled request is out.
func (w *worker) sendBlocked() bool {
	room, signaled := w.room(), false
	for _, l := range w.lanes {
		if room(&l.out) > 0 {
			return false
		}
		signaled = signaled || l.out.marked > l.out.done
	}
	return signaled
}

// poster returns how a burst is posted: at once, or in lists of a given length.
func (w *worker) poster() func(*sender, uint64) error {
	post := w.burst()
	if w.scheme.list == 0 {
		return post
	}
	return func(o *sender, n uint64) error {
		for ; n > o.list; n -= o.list {
			if err := post(o, o.list); err != nil {
				return err
			}
		}
		return post(o, n)
	}
}

// burst returns how messages are posted in one list: with each made ready before, if that
// takes anything.
func (w *worker) burst() func(*sender, uint64) error {
	load := w.scheme.loader()
	if load == nil {
		return (*sender).post
	}
	if s := w.scheme; s.stamp && !s.fetch && !s.verify && !s.numbered {
		return (*sender).postMarked
	}
	return func(o *sender, n uint64) error {
		for k := o.sent; k < o.sent+n; k++ {
			load(o, k)
		}
		return o.post(n)
	}
}

// postMarked posts n messages with their markers.
func (o *sender) postMarked(n uint64) error {
	o.marks.WriteAll(o.sent, n)
	return o.post(n)
}

// loader returns what makes a message ready to be posted: its contents, its markers and its
// number or, for a READ, the place that it is read into. It is nil if there is nothing to do.
func (s *scheme) loader() func(o *sender, k uint64) {
	load := s.contents()
	switch {
	case !s.numbered:
		return load
	case load == nil:
		return (*sender).number
	}
	return func(o *sender, k uint64) {
		load(o, k)
		o.number(k)
	}
}

// contents returns what writes a message.
func (s *scheme) contents() func(o *sender, k uint64) {
	switch {
	case s.atomic && s.verify:
		return (*sender).loadAtomic
	case s.fetch && s.memory && s.verify:
		return func(o *sender, k uint64) { i := o.into.Index(k); o.into.Blank(i); o.found.Poison(i) }
	case s.fetch && s.memory:
		return func(o *sender, k uint64) { o.found.Poison(o.into.Index(k)) }
	case s.fetch && s.verify:
		return func(o *sender, k uint64) { o.into.Blank(o.into.Index(k)) }
	case s.fetch:
		return nil
	case s.verify && s.memory:
		return func(o *sender, k uint64) { o.ring.Fill(k); o.marks.Write(k) }
	case s.verify:
		return func(o *sender, k uint64) { o.ring.Fill(k) }
	case s.stamp:
		return func(o *sender, k uint64) { o.marks.Write(k) }
	}
	return nil
}

// counter returns how messages are counted that are done: when they have left the queue,
// or, of READs, when they are there and were consumed.
func (w *worker) counter() func(*sender) uint64 {
	s := w.scheme
	consume := s.fetchConsumer()
	switch {
	case !s.fetch || !s.memory && consume == nil:
		return (*sender).countDone
	case !s.memory:
		return func(o *sender) uint64 { return o.consumeDone(consume) }
	case consume == nil:
		return (*sender).countFound
	}
	return func(o *sender) (n uint64) {
		for ; o.finished < o.sent && o.found.Arrived(o.into.Index(o.finished)); n++ {
			consume(o, o.finished)
			o.finished++
		}
		return n
	}
}

func (o *sender) countDone() uint64 {
	n := o.done - o.finished
	o.finished += n
	return n
}

func (o *sender) consumeDone(consume func(*sender, uint64)) uint64 {
	n := o.done - o.finished
	for ; o.finished < o.done; o.finished++ {
		consume(o, o.finished)
	}
	return n
}

// countFound counts READs whose data has arrived, in order.
func (o *sender) countFound() (n uint64) {
	for ; o.finished < o.sent && o.found.Arrived(o.into.Index(o.finished)); n++ {
		o.finished++
	}
	return n
}
