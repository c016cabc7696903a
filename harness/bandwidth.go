package harness

import "github.com/ibperf/ibperf/verbs"

// pump is the sending side of a bandwidth test, or the reading one, over all
// lanes in one thread. Its steps are chosen before the clock starts.
type pump struct {
	m     *measurement
	room  func(l *lane) uint64 // messages that the lane may post now
	post  func(l *lane, n uint64) error
	reap  func() ([]verbs.WC, error) // completions of the send queue
	count func(l *lane) uint64       // messages newly finished
}

func newPump(m *measurement) *pump {
	p := &pump{m: m}
	p.reap = m.send.method(m.mode)
	p.room, p.count = roomInQueue, countComplete
	switch {
	case m.plan.Op == OpRead && m.mode == ModeData:
		p.room, p.count, p.reap = roomToRead, m.countMarkers(), m.send.poll
	case m.plan.Op == OpRead && m.plan.Verify:
		p.room, p.count = roomToRead, m.countChecked
	case m.paced():
		p.room, p.reap = roomInRing, m.send.poll
	}
	p.post = m.poster()
	return p
}

// poster returns how a burst is posted: with each message made ready before, if
// the mode needs that.
func (m *measurement) poster() func(*lane, uint64) error {
	switch {
	case !m.paced():
		return (*lane).post
	case m.plan.Op != OpRead && !m.plan.Verify:
		return (*lane).postMarked
	}
	loaders := make([]func(uint64), len(m.rig.lanes))
	for i, l := range m.rig.lanes {
		loaders[i] = l.loader(m)
	}
	return func(l *lane, n uint64) error {
		load := loaders[l.index]
		for k := l.sent; k < l.sent+n; k++ {
			load(k)
		}
		return l.post(n)
	}
}

// postMarked posts n messages with their markers.
func (l *lane) postMarked(n uint64) error {
	marks := l.txMarks
	for k := l.sent; k < l.sent+n; k++ {
		marks.Write(k)
	}
	return l.post(n)
}

// run sends the warm-up, lets it drain, and measures.
func (p *pump) run() error {
	m := p.m
	if err := p.phase(m.warmup, noDeadline); err != nil {
		return err
	}
	m.begin()
	now := m.clock.Now()
	m.rate.Start(now)
	err := p.phase(m.total, m.until(now))
	m.end()
	switch {
	case m.at != "receiver":
		m.result.Bandwidth = m.bandwidth(m.at)
	case err != nil: // the receiver's figure will not come
		m.result.Bandwidth = m.bandwidth("sender")
	}
	m.result.Cost = m.cost(m.rate.Messages())
	return err
}

// phase sends until each lane has sent limit messages, or until the time has
// come, and all of them are finished.
func (p *pump) phase(limit uint64, until int64) error {
	m := p.m
	for _, l := range m.rig.lanes {
		l.limit = limit
	}
	looks, unread, edge := 0, uint64(0), m.edge()
	for left := p.left(); left > 0; {
		if m.halt.on() {
			return errOver
		}
		for _, l := range m.rig.lanes {
			if n := p.room(l); n > 0 {
				if err := p.post(l, n); err != nil {
					return err
				}
			}
		}
		wc, err := p.reap()
		if err != nil {
			return err
		}
		for i := range wc {
			m.rig.lanes[wc[i].WRID>>laneShift].completed(wc[i].WRID)
		}
		var got uint64
		for _, l := range m.rig.lanes {
			got += p.count(l)
		}
		if got == 0 {
			yield(&looks, 1)
			continue
		}
		left -= got
		if unread += got; unread < edge && left > 0 {
			continue
		}
		now := m.clock.Now()
		m.rate.Edge(unread, now)
		unread = 0
		if now >= until {
			until = noDeadline
			if left, err = p.curtail(); err != nil {
				return err
			}
		}
	}
	return nil
}

// left returns how many messages of the phase are not finished.
func (p *pump) left() uint64 {
	var n uint64
	for _, l := range p.m.rig.lanes {
		n += l.limit - l.finished
	}
	return n
}

// curtail ends a timed phase: nothing more is posted, and what is out is asked
// to tell of its completion.
func (p *pump) curtail() (left uint64, err error) {
	for _, l := range p.m.rig.lanes {
		l.limit = l.sent
		if l.marked < l.posted {
			if err := l.postEmpty(verbs.OpRDMAWrite, true); err != nil {
				return 0, err
			}
		}
	}
	return p.left(), nil
}

// roomInQueue also keeps a burst within the ring, whose requests it links.
func roomInQueue(l *lane) uint64 {
	return min(l.limit-l.sent, l.depth-(l.sent-l.complete()), uint64(l.slots))
}

// roomInRing also leaves alone the slots that the receiver has not consumed.
func roomInRing(l *lane) uint64 {
	l.takeCredits()
	return min(roomInQueue(l), uint64(l.slots)-(l.sent-l.credited))
}

// roomToRead also leaves alone the slots whose last message was not seen yet.
func roomToRead(l *lane) uint64 {
	return min(roomInQueue(l), uint64(l.slots)-(l.sent-l.finished))
}

func countComplete(l *lane) uint64 {
	n := l.complete() - l.finished
	l.finished += n
	return n
}

// countChecked counts completed reads and checks what they brought.
func (m *measurement) countChecked(l *lane) uint64 {
	n := l.complete() - l.finished
	for range n {
		l.check.Check(l.rx.Index(l.finished))
		l.finished++
	}
	return n
}

// countMarkers counts reads whose data has arrived, in order.
func (m *measurement) countMarkers() func(*lane) uint64 {
	if m.plan.Verify {
		return func(l *lane) (n uint64) {
			for ; l.finished < l.sent && l.rxMarks.Arrived(l.rx.Index(l.finished)); n++ {
				l.check.Check(l.rx.Index(l.finished))
				l.finished++
			}
			return n
		}
	}
	return func(l *lane) (n uint64) {
		for ; l.finished < l.sent && l.rxMarks.Arrived(l.rx.Index(l.finished)); n++ {
			l.finished++
		}
		return n
	}
}
