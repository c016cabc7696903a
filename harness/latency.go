package harness

// pingpong holds the steps of a latency loop, chosen before the clock starts:
// how a message is made ready, how its arrival is awaited, and what is done
// outside the awaited time. k is the number of the message.
type pingpong struct {
	m    *measurement
	l    *lane
	load func(k uint64) // make message k ready
	tidy func() error
	wait func(k uint64) error
}

// measureLatency runs this side of the loop. The server of reads has no part in it.
func (m *measurement) measureLatency(role Role) error {
	p := newPingpong(m)
	switch {
	case role == Client:
		return p.lead()
	case m.plan.Op == OpRead:
		return nil
	}
	return p.follow()
}

// lead sends first and takes the time: from one post to the next, which is one
// round trip. The clock is read behind the post, while the message travels.
func (p *pingpong) lead() error {
	m := p.m
	exchange, statistics := p.rounds, m.samples.Latency
	if m.plan.NoPeak {
		exchange, statistics = p.trips, m.rate.Latency
	}
	err := exchange(0, m.warmup, noDeadline)
	m.samples.Reset()
	m.rate.Start(0)
	m.begin()
	if err == nil {
		err = exchange(m.warmup, m.total, m.until(m.clock.Now()))
	}
	m.end()
	factor := 0.5
	if m.plan.Op == OpRead {
		factor = 1
	}
	var n uint64
	if m.result.Latency = statistics(factor); m.result.Latency != nil {
		n = m.result.Latency.N
	}
	m.result.Cost = m.cost(n)
	return err
}

// ready makes message k ready to be posted: its contents and its request.
func (p *pingpong) ready(k uint64) {
	p.load(k)
	p.l.prime()
}

// rounds exchanges messages from to to-1, or until the time has come. While a
// message travels, the sample before it is recorded and the next message is made
// ready, so that neither is part of what is measured.
func (p *pingpong) rounds(from, to uint64, until int64) error {
	clock, samples := p.m.clock, p.m.samples
	p.ready(from)
	if err := p.l.fire(); err != nil {
		return err
	}
	last := clock.Now()
	for k := from; ; {
		if err := p.tidy(); err != nil {
			return err
		}
		p.ready(k + 1)
		if err := p.wait(k); err != nil {
			return err
		}
		if k++; k >= to {
			samples.Record(clock.Now() - last)
			return nil
		}
		if p.m.halt.on() {
			return errOver
		}
		if err := p.l.fire(); err != nil {
			return err
		}
		now := clock.Now()
		samples.Record(now - last)
		if last = now; now >= until {
			to = k + 1 // this one is the last
		}
	}
}

// trips exchanges messages as rounds does, without a sample of each.
func (p *pingpong) trips(from, to uint64, until int64) error {
	clock, rate, edge := p.m.clock, p.m.rate, p.m.edge()
	p.ready(from)
	rate.Start(clock.Now())
	if err := p.l.fire(); err != nil {
		return err
	}
	for k, seen := from, from; ; {
		if err := p.tidy(); err != nil {
			return err
		}
		p.ready(k + 1)
		if err := p.wait(k); err != nil {
			return err
		}
		if k++; k-seen == edge || k == to {
			now := clock.Now()
			rate.Edge(k-seen, now)
			if seen = k; k == to || now >= until {
				return nil
			}
		}
		if p.m.halt.on() {
			return errOver
		}
		if err := p.l.fire(); err != nil {
			return err
		}
	}
}

// follow answers each message with one of its own until the peer is done.
func (p *pingpong) follow() error {
	m := p.m
	var k uint64
	defer func() {
		m.end()
		m.result.Cost = m.cost(k - min(k, m.warmup))
	}()
	for p.ready(0); ; k++ {
		if k == m.warmup {
			m.begin()
		}
		if err := p.wait(k); err != nil {
			return err
		}
		if m.halt.on() {
			return errOver
		}
		if err := p.l.fire(); err != nil {
			return err
		}
		if err := p.tidy(); err != nil {
			return err
		}
		p.ready(k + 1)
		if k+1 == m.total {
			m.end()
		}
	}
}

func newPingpong(m *measurement) *pingpong {
	l := m.rig.lanes[0]
	p := &pingpong{m: m, l: l}
	p.load = l.loader(m)
	p.chooseWait()
	p.tidy = l.reapSends(m)
	switch {
	case !takesReceives(m.opcode):
	case m.mode == ModeData:
		p.tidy = both(p.tidy, l.reapRecvs(m))
	default:
		p.tidy = both(p.tidy, l.repost)
	}
	return p
}

func both(f, g func() error) func() error {
	return func() error {
		if err := f(); err != nil {
			return err
		}
		return g()
	}
}

// loader returns what makes a message ready to be posted: its contents, its
// markers, or, for a read, the place that it is read into.
func (l *lane) loader(m *measurement) func(k uint64) {
	data, verify := m.mode == ModeData, m.plan.Verify
	switch {
	case m.plan.Op == OpRead && data && verify:
		return func(k uint64) { i := l.rx.Index(k); l.rx.Blank(i); l.rxMarks.Poison(i) }
	case m.plan.Op == OpRead && data:
		return func(k uint64) { l.rxMarks.Poison(l.rx.Index(k)) }
	case m.plan.Op == OpRead && verify:
		return func(k uint64) { l.rx.Blank(l.rx.Index(k)) }
	case data && verify:
		return func(k uint64) { l.tx.Fill(k); l.txMarks.Write(k) }
	case data:
		return func(k uint64) { l.txMarks.Write(k) }
	case verify:
		return func(k uint64) { l.tx.Fill(k) }
	}
	return func(uint64) {}
}

func (p *pingpong) chooseWait() {
	m, l := p.m, p.l
	switch {
	case m.plan.Op == OpRead && m.mode == ModeData:
		p.wait = l.awaitMarker(m, l.rx.Index)
	case m.plan.Op == OpRead:
		p.wait = l.awaitRead(m)
	case m.mode == ModeData && m.plan.Verify:
		p.wait = func(k uint64) error { return l.awaitOnce(m, k) }
	case m.mode == ModeData:
		p.wait = l.awaitMarker(m, func(k uint64) uint64 { return k })
	default:
		p.wait = l.awaitRecv(m)
	}
	if m.plan.Verify {
		arrive := p.wait
		p.wait = func(k uint64) error {
			if err := arrive(k); err != nil {
				return err
			}
			l.verify(m, k)
			return nil
		}
	}
}
