package verbstest

import (
	"syscall"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

var srqStatements = []statement{
	{"SRQ-1", "max_wr is 1 to max_srq_wr and max_sge at most max_srq_sge; no less is granted", srqSizes},
	{"SRQ-2", "the limit given at creation does no harm", srqCreatedWithLimit},
	{"SRQ-3", "query returns max_wr, max_sge and the limit", srqQueried},
	{"SRQ-4", "a limit of 0 says that no event is armed", srqUnarmed},
	{"SRQ-5", "an armed limit raises one event when fewer receives are left, and is 0 then", srqLimit},
	{"SRQ-6", "a limit above the number of receives raises the event, at the next one taken at the latest", srqLimitAbove},
	{"SRQ-7", "a limit above the capacity is refused and changes nothing", srqLimitTooHigh},
	{"SRQ-8", "the capacity can be changed around what is posted, but not below it", srqResized},
	{"SRQ-9", "modify with no attribute does nothing", srqModifyNothing},
	{"SRQ-10", "a list is posted up to the first bad request; a full queue refuses, and so do too many SGEs", srqPosting},
	{"SRQ-11", "a message on any of the QPs takes the next receive, and completes in that QP's CQ", srqShared},
	{"SRQ-12", "an empty SRQ acts as an empty receive queue: RNR_RETRY_EXC_ERR, or success with a receive in time", srqEmpty},
	{"SRQ-13", "an SRQ with a QP is busy", srqBusy},
	{"SRQ-14", "RC and UD take an SRQ, UC does not", srqTypes},
	{"SRQ-15", "the receive capabilities of a QP on an SRQ are ignored", srqIgnoresCap},
	{"SRQ-16", "a QP on an SRQ that goes to ERR raises QP_LAST_WQE_REACHED", srqLastWQE},
	{"SRQ-17", "a message longer than its receive uses up that receive", srqShortReceive},
	{"SRQ-18", "a basic SRQ of create_srq_ex is one of create_srq, with or without a number", srqBasic},
}

// another makes a further QP on the side's SRQ, with its own receive CQ, and a peer of it.
func (s *side) another() (peer, further *side) {
	s.Helper()
	twin := *s
	twin.RecvCQ = fixture.NewQueue(s, s.Ctx, s.Config.CQE, nil)
	twin.NewQP()
	peer = s.side(s.Config)
	fixture.Connect(peer, &twin)
	return peer, &twin
}

func (s *side) querySRQ() verbs.SRQAttr {
	s.Helper()
	a, err := s.SRQ.Query()
	s.ok(err)
	return a
}

// arm sets the SRQ's limit.
func (s *side) arm(limit int) {
	s.Helper()
	s.ok(s.SRQ.Modify(verbs.SRQAttr{Limit: limit}, verbs.SRQLimit))
}

// limitReached checks whether the SRQ raises its event.
func (s *side) limitReached(want bool) {
	s.Helper()
	limit := fixture.WaitTimeout
	if !want {
		limit = fixture.Quiet
	}
	got := s.gotEvent(s.Ctx, limit, verbs.EventSRQLimitReached, func(ev verbs.AsyncEvent) bool { return ev.SRQ == s.SRQ })
	if got != want {
		s.Fatalf("the event SRQ_LIMIT_REACHED came: %v, want %v", got, want)
	}
}

// received sends n empty messages from a, whose receives have the ids from first on.
func (s *side) received(a *side, first uint64, n int) {
	s.Helper()
	for id := first; id < first+uint64(n); id++ {
		a.Post(send{Op: opSend, Flags: signaled})
		a.SendCQ.Expect(0, verbs.WCSuccess)
		s.RecvCQ.Expect(id, verbs.WCSuccess)
	}
}

// fillSRQ posts n receives with the ids from first on.
func (s *side) fillSRQ(first uint64, n int) {
	s.Helper()
	for id := first; id < first+uint64(n); id++ {
		s.PostRecv(recv{ID: id})
	}
}

func badSRQ(e *env) {
	s := e.side(conf().OnSRQ())
	d := e.device(s.Ctx)
	for _, a := range []verbs.SRQAttr{
		{MaxWR: 0, MaxSGE: 1}, {MaxWR: d.MaxSRQWR + 1, MaxSGE: 1}, {MaxWR: 1, MaxSGE: d.MaxSRQSGE + 1},
	} {
		srq, err := s.PD.CreateSRQ(&verbs.SRQInitAttr{Attr: a})
		e.refused("create_srq", err, syscall.EINVAL)
		if err == nil {
			e.ok(srq.Close())
		}
	}
}

func srqSizes(e *env) {
	badSRQ(e)
	s := e.side(conf().OnSRQ())
	d := e.device(s.Ctx)
	for _, a := range []verbs.SRQAttr{{MaxWR: 1, MaxSGE: 1}, {MaxWR: 100, MaxSGE: 0}, {MaxWR: 10, MaxSGE: d.MaxSRQSGE}} {
		init := verbs.SRQInitAttr{Attr: a}
		srq, err := s.PD.CreateSRQ(&init)
		own(e, srq, err)
		got, err := srq.Query()
		e.ok(err)
		for _, g := range []verbs.SRQAttr{init.Attr, got} {
			if g.MaxWR < a.MaxWR || g.MaxSGE < a.MaxSGE {
				e.Errorf("granted %+v of %+v", g, a)
			}
		}
	}
}

func srqCreatedWithLimit(e *env) {
	a, b := e.pair(conf().OnSRQ())
	srq := b.NewSRQ(verbs.SRQAttr{MaxWR: 10, MaxSGE: 1, Limit: 5})
	c := *b
	c.SRQ = srq
	c.NewQP()
	a.To(verbs.QPReset, b)
	fixture.Connect(a, &c)
	c.fillSRQ(1, 3)
	c.received(a, 1, 3)
}

func srqQueried(e *env) {
	s := e.side(conf().OnSRQ())
	if a := s.querySRQ(); a.MaxWR < depth || a.MaxSGE < maxSGE || a.Limit != 0 {
		e.Errorf("%+v", a)
	}
	s.arm(3)
	if a := s.querySRQ(); a.Limit != 3 {
		e.Errorf("limit %d, set 3", a.Limit)
	}
}

func srqUnarmed(e *env) {
	a, b := e.pair(conf().OnSRQ())
	b.fillSRQ(1, 4)
	b.received(a, 1, 4)
	b.arm(2)
	b.arm(0)
	if l := b.querySRQ().Limit; l != 0 {
		e.Errorf("limit %d after it was set to 0", l)
	}
	b.fillSRQ(1, 4)
	b.received(a, 1, 4)
	b.limitReached(false)
}

func srqLimit(e *env) {
	a, b := e.pair(conf().OnSRQ())
	b.fillSRQ(1, 10)
	for first := uint64(1); first <= 5; first += 4 {
		b.arm(7)
		if l := b.querySRQ().Limit; l != 7 {
			e.Fatalf("limit %d, set 7", l)
		}
		b.received(a, first, 3)
		b.limitReached(false)
		b.received(a, first+3, 1)
		b.limitReached(true)
		if l := b.querySRQ().Limit; l != 0 {
			e.Errorf("limit %d after the event", l)
		}
		b.fillSRQ(first+10, 4)
	}
	b.received(a, 9, 10)
	b.limitReached(false)
}

func srqLimitAbove(e *env) {
	a, b := e.pair(conf().OnSRQ())
	b.fillSRQ(1, 2)
	b.arm(5)
	b.received(a, 1, 1)
	b.limitReached(true)
	b.received(a, 2, 1)
	b.limitReached(false)
}

func srqLimitTooHigh(e *env) {
	s := e.side(conf().OnSRQ())
	s.arm(3)
	before := s.querySRQ()
	e.refused("modify_srq", s.SRQ.Modify(verbs.SRQAttr{Limit: before.MaxWR + 1}, verbs.SRQLimit), syscall.EINVAL)
	if after := s.querySRQ(); after != before {
		e.Errorf("%+v, before %+v", after, before)
	}
}

func srqResized(e *env) {
	a, b := e.pair(conf().OnSRQ())
	if e.device(b.Ctx).DeviceCapFlags&verbs.DeviceCapSRQResize == 0 {
		e.Skip("the device offers no change of an SRQ's capacity")
	}
	b.fillSRQ(1, 20)
	for _, n := range []int{0, 4} {
		e.refused("modify_srq", b.SRQ.Modify(verbs.SRQAttr{MaxWR: n}, verbs.SRQMaxWR), syscall.EINVAL)
	}
	b.received(a, 1, 2)
	for _, n := range []int{4 * depth, 25} {
		e.ok(b.SRQ.Modify(verbs.SRQAttr{MaxWR: n}, verbs.SRQMaxWR))
		if got := b.querySRQ().MaxWR; got < n {
			e.Errorf("max_wr %d, set %d", got, n)
		}
	}
	b.fillSRQ(21, 4)
	b.received(a, 3, 22)
}

func srqModifyNothing(e *env) {
	s := e.side(conf().OnSRQ())
	s.arm(3)
	before := s.querySRQ()
	e.ok(s.SRQ.Modify(verbs.SRQAttr{MaxWR: 1, Limit: 1}, 0))
	if after := s.querySRQ(); after != before {
		e.Errorf("%+v, before %+v", after, before)
	}
}
