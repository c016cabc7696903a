package loop

import (
	"math"
	"sync/atomic"

	"github.com/ibperf/ibperf/harness/internal/stats"
	"github.com/ibperf/ibperf/harness/internal/testcase"
)

// sending returns the part that sends or READs on all flows of the worker.
func (w *Worker) sending(l Length, rate *stats.Rate) *part {
	c := w.test
	paced := w.pacer(l)
	p := &part{sends: true, advance: w.sendFunc(paced), blocked: w.sendBlocked, rate: rate, until: math.MaxInt64, want: new(atomic.Uint64), paced: paced}
	p.setClockInterval(c, l.Messages == 0)
	for _, f := range w.flows {
		f.out.limit, f.out.due = math.MaxUint64, f.out.sent+f.out.every
		if l.Messages > 0 {
			f.out.limit = f.out.sent + l.Messages
		}
	}
	p.want.Store(math.MaxUint64)
	if l.Messages > 0 {
		p.want.Store(l.Messages * uint64(len(w.flows)))
	}
	p.timeUp = w.endSending(p)
	if c.EndsAtOnce {
		p.timeUp = func() error { p.want.Store(p.done); return nil }
	}
	if paced != nil {
		paced.timeUp = p.timeUp
	}
	return p
}

// endSending returns the function that ends a timed round: it posts no more messages, and requests the
// completion of all outstanding ones.
func (w *Worker) endSending(p *part) func() error {
	before, required := w.posted(), minMessages(w.test, len(w.flows))
	return func() error {
		if w.posted()-before < required {
			return nil
		}
		p.until = math.MaxInt64
		left := uint64(0)
		for _, f := range w.flows {
			if err := f.out.endRound(); err != nil {
				return err
			}
			left += f.out.limit - f.out.sent
		}
		p.want.Store(w.posted() - before + left)
		return nil
	}
}

// minMessages returns the minimum number of messages of a timed round: two passes over the ring of each
// QP, so that the round does not consist of its start, when all slots are free.
func minMessages(c *testcase.Case, flows int) uint64 {
	switch {
	case c.Burst > 0:
		return 1
	case c.Consumed:
		return uint64(flows) * 2 * uint64(c.Slots)
	}
	return uint64(flows)
}

// sendFunc returns the advance function of a sending part: it posts as many messages as there is room
// for, polls completions and counts messages as done.
func (w *Worker) sendFunc(paced *pacer) func() (uint64, error) {
	room, post, reap, count := w.room(), w.poster(), w.awaitSends, w.counter()
	if paced != nil {
		room, post, reap = paced.limit(room, post, reap)
	}
	return func() (uint64, error) {
		for _, f := range w.flows {
			if n := room(&f.out); n > 0 {
				if err := post(&f.out, n); err != nil {
					return 0, err
				}
			}
		}
		if _, err := reap(); err != nil {
			return 0, err
		}
		var done uint64
		for _, f := range w.flows {
			done += count(&f.out)
		}
		return done, nil
	}
}

// room returns the function that computes how many messages a sender may post, in whole lists if
// their length is given.
func (w *Worker) room() func(*sender) uint64 {
	room := w.roomFor()
	if w.test.PostList == 0 {
		return room
	}
	return func(o *sender) uint64 { return o.wholeLists(room(o)) }
}

// roomFor returns the function that computes the room by the limits that apply to the test case.
func (w *Worker) roomFor() func(*sender) uint64 {
	switch {
	case w.test.UsesCredits:
		return (*sender).roomInRing
	case w.test.Fetches && w.test.Consumed:
		return (*sender).roomToFetch
	}
	return (*sender).roomInQueue
}

// sendBlocked reports whether no flow may post and a signaled request is outstanding.
func (w *Worker) sendBlocked() bool {
	room, signaled := w.room(), false
	for _, f := range w.flows {
		if room(&f.out) > 0 {
			return false
		}
		signaled = signaled || f.out.marked > f.out.done
	}
	return signaled
}

// poster returns the function that posts messages: in one list, or in lists of --post_list requests.
func (w *Worker) poster() func(*sender, uint64) error {
	post := w.listPoster()
	if w.test.PostList == 0 {
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

// listPoster returns the function that prepares messages, if necessary, and posts them in one list.
func (w *Worker) listPoster() func(*sender, uint64) error {
	load := loader(w.test)
	if load == nil {
		return (*sender).post
	}
	if c := w.test; c.WritesMarkers && !c.Fetches && !c.Verify && !c.Numbered {
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

// loader returns the function that prepares message k: its contents, markers and number, or the
// destination memory of a READ. It returns nil if there is nothing to prepare.
func loader(c *testcase.Case) func(o *sender, k uint64) {
	load := contents(c)
	switch {
	case !c.Numbered:
		return load
	case load == nil:
		return (*sender).setNumber
	}
	return func(o *sender, k uint64) {
		load(o, k)
		o.setNumber(k)
	}
}

// contents returns the function that writes the contents and markers of message k, or nil.
func contents(c *testcase.Case) func(o *sender, k uint64) {
	switch {
	case c.Atomic && c.Verify:
		return (*sender).loadAtomic
	case c.Fetches && c.PollsMemory && c.Verify:
		return func(o *sender, k uint64) { i := o.into.Index(k); o.into.Blank(i); o.found.Poison(i) }
	case c.Fetches && c.PollsMemory:
		return func(o *sender, k uint64) { o.found.Poison(o.into.Index(k)) }
	case c.Fetches && c.Verify:
		return func(o *sender, k uint64) { o.into.Blank(o.into.Index(k)) }
	case c.Fetches:
		return nil
	case c.Verify && c.PollsMemory:
		return func(o *sender, k uint64) { o.ring.Fill(k); o.marks.Write(k) }
	case c.Verify:
		return func(o *sender, k uint64) { o.ring.Fill(k) }
	case c.WritesMarkers:
		return func(o *sender, k uint64) { o.marks.Write(k) }
	}
	return nil
}

// counter returns the function that counts messages as done: after their completion, or, of READs,
// after their data has arrived and was consumed.
func (w *Worker) counter() func(*sender) uint64 {
	c := w.test
	consume := fetchConsumer(c)
	switch {
	case !c.Fetches || !c.PollsMemory && consume == nil:
		return (*sender).countDone
	case !c.PollsMemory:
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
