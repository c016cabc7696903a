package harness

import "math"

// receiver is the receiving side of a bandwidth test, over all lanes in one
// thread. Its steps are chosen before the clock starts.
type receiver struct {
	m        *measurement
	arrive   func() (uint64, error) // messages newly seen; lanes have them in fresh
	consume  func(l *lane) error    // what is done with them
	idle     func() error           // what is done while there are none
	got      uint64
	edge     uint64 // messages between two looks at the clock
	patience int    // looks for messages in vain before one at the clock
	unread   uint64 // messages since the last
	started  bool
}

// passive tells whether the receiving side has no part in the loop.
func (m *measurement) passive() bool {
	return m.plan.Op == OpRead || m.plan.Op == OpWrite && !m.paced()
}

func newReceiver(m *measurement) *receiver {
	r := &receiver{m: m, edge: uint64(max(1, m.rig.lanes[0].slots/4))}
	if m.plan.NoPeak {
		r.edge, r.patience = math.MaxUint64, pause
	}
	m.visit = 1
	switch {
	case m.mode != ModeData:
		r.arrive = m.arriveByCompletion()
	case m.plan.Verify:
		r.arrive = m.arriveOnce
	default:
		r.arrive = m.arriveInMemory
	}
	r.consume = m.consumer()
	// What was seen in memory may complete later, and its sender may wait for that.
	r.idle = func() error { return nil }
	if m.mode == ModeData && takesReceives(m.opcode) {
		r.idle = m.reuse
	}
	return r
}

// run receives until the peer has said how many messages there are, and all
// were seen. What is measured begins with the first messages after the warm-up.
func (r *receiver) run() error {
	m := r.m
	skip := m.warmup * uint64(len(m.rig.lanes))
	looks, vain := 0, 0
	for r.got < m.halt.target.Load() {
		if m.halt.on() {
			return errOver
		}
		n, err := r.arrive()
		if err != nil {
			return err
		}
		if n == 0 {
			if vain++; vain > r.patience {
				r.mark(0)
			}
			if err := r.idle(); err != nil {
				return err
			}
			yield(&looks, 1)
			continue
		}
		vain = 0
		r.got += n
		switch {
		case r.started:
			r.mark(n)
		case r.got > skip:
			r.started, m.visit = true, visit
			m.begin()
			m.rate.Start(m.clock.Now())
		}
		for _, l := range m.rig.lanes {
			if l.fresh > 0 {
				if err := r.consume(l); err != nil {
					return err
				}
			}
		}
		if r.got == m.total*uint64(len(m.rig.lanes)) {
			r.mark(0)
			m.end()
		}
	}
	r.mark(0)
	m.end()
	return nil
}

// mark counts n messages and looks at the clock when there are enough of them,
// or when there is nothing else to do.
func (r *receiver) mark(n uint64) {
	r.unread += n
	if r.unread >= r.edge || n == 0 && r.unread > 0 {
		r.m.rate.Edge(r.unread, r.m.clock.Now())
		r.unread = 0
	}
}

// finish notes the results once the loop has ended, however it ended.
func (r *receiver) finish() {
	m := r.m
	m.end()
	m.result.Cost = m.cost(m.rate.Messages())
	if m.at == "receiver" {
		m.result.Bandwidth = m.bandwidth(m.at)
	}
}

// pause is how often there is no message before the stream counts as interrupted, so
// that the time of its last message has to be noted.
const pause = 1024

// visit bounds the messages of one lane that are taken before the next lane's.
// Before the measurement begins it is 1, so that little is left out of it.
const visit = 64

// arriveInMemory looks for the markers of each lane's next messages.
func (m *measurement) arriveInMemory() (uint64, error) {
	var n uint64
	for _, l := range m.rig.lanes {
		seen, most, marks := l.arrived, l.arrived+m.visit-l.fresh, l.rxMarks
		for seen < most && marks.Arrived(seen) {
			seen++
		}
		n += seen - l.arrived
		l.fresh += seen - l.arrived
		l.arrived = seen
	}
	return n, nil
}

// arriveOnce also checks each message at once and looks for second deliveries.
func (m *measurement) arriveOnce() (uint64, error) {
	var n uint64
	for _, l := range m.rig.lanes {
		l.notice(l.arrived)
		for l.fresh < m.visit && l.rxMarks.Arrived(l.arrived) {
			l.verify(m, l.arrived)
			l.arrived++
			l.fresh++
			n++
			l.notice(l.arrived)
		}
	}
	return n, nil
}

// arriveByCompletion takes receive completions of all lanes; their wr_id is the lane.
func (m *measurement) arriveByCompletion() func() (uint64, error) {
	wait, lanes := m.recv.method(m.mode), m.rig.lanes
	if m.plan.Verify {
		return func() (uint64, error) {
			wc, err := wait()
			for i := range wc {
				l := lanes[wc[i].WRID]
				l.verify(m, l.arrived)
				l.takeCompletion()
			}
			return uint64(len(wc)), err
		}
	}
	return func() (uint64, error) {
		wc, err := wait()
		for i := range wc {
			lanes[wc[i].WRID].takeCompletion()
		}
		return uint64(len(wc)), err
	}
}

// takeCompletion notes a message by the completion of its receive.
func (l *lane) takeCompletion() {
	l.received(1)
	l.arrived++
	l.fresh++
}

// consumer returns what is done with messages that were seen: receives are
// posted again, and where the sender waits for it, it is told.
func (m *measurement) consumer() func(*lane) error {
	switch {
	case !takesReceives(m.opcode):
		return func(l *lane) error {
			l.fresh = 0
			return l.giveCredit(m, l.arrived)
		}
	case m.mode == ModeData:
		return func(l *lane) error {
			l.fresh = 0
			return m.reuse()
		}
	case m.paced():
		return func(l *lane) error {
			l.fresh = 0
			if err := l.repost(); err != nil {
				return err
			}
			return l.giveCredit(m, l.reaped-l.freeRecvs)
		}
	}
	return func(l *lane) error {
		l.fresh = 0
		return l.repost()
	}
}

// reuse polls the completions of messages that were seen in memory before, posts
// their receives again and tells the senders.
func (m *measurement) reuse() error {
	wc, err := m.recv.poll()
	if err != nil {
		return err
	}
	for i := range wc {
		m.rig.lanes[wc[i].WRID].received(1)
	}
	for _, l := range m.rig.lanes {
		if err := l.repost(); err != nil {
			return err
		}
		if err := l.giveCredit(m, min(l.arrived, l.reaped-l.freeRecvs)); err != nil {
			return err
		}
	}
	return nil
}
