package verbstest

import (
	"errors"
	"syscall"
	"time"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

var cqExStatements = []statement{
	{"DEV-22", "timestamps that a device lacks are refused, and extended CQs without them are not", lackingTimestamps},
	{"CQ-19", "modify_cq moderates events, or is refused", moderated},
	{"CQ-22", "an extended CQ has the completions that any other has", extendedCQ},
	{"CQ-23", "timestamps grow in the order of completions, at the rate of the device's clock", ticks},
	{"CQ-24", "timestamps of the wall clock are between the post and the poll", wallClock},
}

func lackingTimestamps(e *env) {
	ctx := e.open()
	cq, err := fixture.CreateCQEx(e, ctx, verbs.CQInitAttrEx{CQE: 4})
	own[verbs.CQ](e, cq, err)
	if e.device(ctx).TimestampMask != 0 {
		e.Skip("the device has timestamps")
	}
	_, err = fixture.CreateCQEx(e, ctx, verbs.CQInitAttrEx{CQE: 4, Timestamps: verbs.TimestampTicks})
	e.refused("create_cq_ex with timestamps", err, verbs.ErrNotSupported)
}

func moderated(e *env) {
	s := e.side(conf())
	m, ok := s.SendCQ.CQ.(verbs.Moderator)
	if !ok {
		e.Skip("modify_cq: the backend has none")
	}
	if err := m.Moderate(2, 100); err != nil {
		e.refused("modify_cq", err, verbs.ErrNotSupported)
		e.Skip("modify_cq: the device has none")
	}
	e.ok(m.Moderate(0, 0))
}

// stamped returns the configuration of a side with extended CQs.
func stamped(kind verbs.Timestamps) config {
	c := conf()
	c.Extended, c.Timestamps = true, kind
	return c
}

func extendedCQ(e *env) {
	for _, tr := range transfers {
		e.sub(tr.op.String(), func(e *env) {
			m := e.mover(tr, stamped(verbs.TimestampNone))
			sent, received := m.move(5000, 0, 0)
			if sent.Opcode != m.sent || sent.QPNum != m.a.QP.QPNum() {
				e.Errorf("completion %+v", sent)
			}
			if m.receives && (received.Opcode != m.received || received.ByteLen != 5000 || received.QPNum != m.b.QP.QPNum()) {
				e.Errorf("completion %+v", received)
			}
			if m.imm && (received.Flags&verbs.WCWithImm == 0 || received.Imm != imm) {
				e.Errorf("immediate data: %+v", received)
			}
		})
	}
	e.sub("failure", func(e *env) {
		a, b := e.pair(stamped(verbs.TimestampNone))
		for i := range 3 {
			b.PostRecv(recv{ID: uint64(i)})
		}
		a.refusedByPeer(withRKey(opWrite, func(uint32) uint32 { return 0xffffff00 })(a, b))
		for _, wc := range b.RecvCQ.Next(3) {
			if wc.Status != verbs.WCWRFlushErr || wc.QPNum != b.QP.QPNum() {
				e.Errorf("completion %+v", wc)
			}
		}
	})
	e.sub("without timestamps", func(e *env) {
		s := e.side(stamped(verbs.TimestampNone))
		_, err := s.SendCQ.CQ.(verbs.CQEx).PollTimes(s.SendCQ.WC[:1], make([]uint64, 1), 1)
		e.refused("start_poll for timestamps", err, syscall.EINVAL)
	})
}

// pollStamps polls n completions with their timestamps.
func (s *side) pollStamps(q *queue, n int) []uint64 {
	s.Helper()
	times := make([]uint64, n)
	got := 0
	fixture.Eventually(s, "completions", func() bool {
		k, err := q.CQ.(verbs.CQEx).PollTimes(q.WC[got:n], times[got:], 1)
		s.ok(err)
		got += k
		return got == n
	})
	for _, wc := range q.WC[:n] {
		if wc.Status != verbs.WCSuccess || wc.WRID != 1 {
			s.Fatalf("completion %+v", wc)
		}
	}
	return times
}

// stamp sends a message, and returns the timestamp of its completion with the times before
// the post and after the poll. The completion of the receive stays in the peer's CQ.
func (s *side) stamp(peer *side) (at uint64, before, after time.Time) {
	s.Helper()
	peer.PostRecv(recv{ID: 1, SGEs: []verbs.SGE{peer.SGE(0, 8)}})
	before = time.Now()
	s.Post(send{ID: 1, Op: opSend, Flags: signaled, SGEs: []verbs.SGE{s.SGE(0, 8)}})
	at = s.pollStamps(s.SendCQ, 1)[0]
	return at, before, time.Now()
}

func ticks(e *env) {
	attr := e.device(e.open())
	if attr.TimestampMask == 0 {
		e.Skip("timestamps: the device has none")
	}
	c := stamped(verbs.TimestampTicks)
	e.sub("RC", func(e *env) { e.ticksOf(attr)(e.pair(c)) })
	e.sub("SRQ", func(e *env) { e.ticksOf(attr)(e.pair(c.OnSRQ())) })
	e.sub("XRC", func(e *env) {
		if !offersXRC(attr) {
			e.Skip("the device has no XRC")
		}
		e.ticksOf(attr)(e.xrcPair(c))
	})
}

// ticksOf returns a function that compares the times of messages, and of their receives, by the
// device's clock and the host's. It polls the receives late and together.
func (e *env) ticksOf(attr verbs.DeviceAttr) func(a, b *side) {
	return func(a, b *side) {
		e.Helper()
		const messages = 3
		var sent [messages]uint64
		var before, after [messages]time.Time
		for i := range sent {
			sent[i], before[i], after[i] = a.stamp(b)
			time.Sleep(20 * time.Millisecond)
		}
		for what, times := range map[string][]uint64{"sends": sent[:], "receives": b.pollStamps(b.RecvCQ, messages)} {
			for i := 1; i < messages; i++ {
				passed := (times[i] - times[i-1]) & attr.TimestampMask
				if passed == 0 || passed > attr.TimestampMask/2 {
					e.Fatalf("%s: timestamp %#x follows %#x, mask %#x", what, times[i], times[i-1], attr.TimestampMask)
				}
				got := time.Duration(float64(passed) * 1e6 / float64(attr.CoreClockKHz))
				least, most := before[i].Sub(after[i-1]), after[i].Sub(before[i-1])
				if attr.CoreClockKHz > 0 && (got < least*9/10 || got > most*11/10) {
					e.Errorf("%s: %v by the device's clock, %v to %v by the host's", what, got, least, most)
				}
			}
		}
	}
}

func wallClock(e *env) {
	probe, err := fixture.CreateCQEx(e, e.open(), verbs.CQInitAttrEx{CQE: 4, Timestamps: verbs.TimestampWallClock})
	if errors.Is(err, verbs.ErrNotSupported) {
		e.Skip("timestamps of the wall clock: the device has none")
	}
	own[verbs.CQ](e, probe, err)
	a, b := e.pair(stamped(verbs.TimestampWallClock))
	const slack = 50 * time.Millisecond // the clocks differ
	for range 3 {
		at, before, after := a.stamp(b)
		for _, at := range []uint64{at, b.pollStamps(b.RecvCQ, 1)[0]} {
			if t := time.Unix(0, int64(at)); t.Before(before.Add(-slack)) || t.After(after.Add(slack)) {
				e.Errorf("completed at %v, posted at %v and polled at %v", t, before, after)
			}
		}
	}
}
