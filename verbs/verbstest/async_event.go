package verbstest

import (
	"errors"
	"time"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

var aevStatements = []statement{
	{"AEV-1", "waiting for an asynchronous event ends with the event, or at its timeout", asyncTimeout},
	{"AEV-2", "destroying a QP, CQ or SRQ waits until its events are acknowledged", destroyWaitsForAsyncAck},
	{"AEV-3", "an event names the object that it is about, and no other", eventNamesObject},
	{"AEV-4", "events go to the context of their object, and those not fetched go with it", eventsOfContext},
	{"AEV-5", "COMM_EST: the first message reaches a QP in RTR", communicationEstablished},
	{"AEV-6", "QP_REQ_ERR and QP_ACCESS_ERR: a refused request at the responder", responderErrors},
	{"AEV-7", "QP_FATAL: the QP of a CQ that overran", fatalAfterOverrun},
	{"AEV-8", "failures of requests, and moves to ERR, raise no event at the requester", quietFailures},
}

// event waits for an event of the type that fits, and acknowledges it and all earlier events.
func (e *env) event(ctx verbs.Context, want verbs.EventType, fits func(verbs.AsyncEvent) bool) {
	e.Helper()
	if !e.gotEvent(ctx, fixture.WaitTimeout, want, fits) {
		e.Fatalf("no event %s of the object after %v", want, fixture.WaitTimeout)
	}
}

// gotEvent reports whether event finds the event within the limit.
func (e *env) gotEvent(ctx verbs.Context, limit time.Duration, want verbs.EventType, fits func(verbs.AsyncEvent) bool) bool {
	e.Helper()
	for end := time.Now().Add(limit); ; {
		event, err := ctx.GetAsyncEvent(time.Until(end))
		if errors.Is(err, verbs.ErrTimeout) {
			return false
		}
		e.ok(err)
		ctx.AckAsyncEvent(event)
		if event.Type == want && fits(event) {
			return true
		}
	}
}

// events fetches and acknowledges the events that are queued or raised within the time Quiet.
func (e *env) events(ctx verbs.Context) (all []verbs.AsyncEvent) {
	e.Helper()
	for {
		event, err := ctx.GetAsyncEvent(fixture.Quiet)
		if errors.Is(err, verbs.ErrTimeout) {
			return all
		}
		e.ok(err)
		ctx.AckAsyncEvent(event)
		all = append(all, event)
	}
}

// noEvents checks that no event is raised within the time Quiet.
func (e *env) noEvents(ctx verbs.Context) {
	e.Helper()
	for _, event := range e.events(ctx) {
		e.Errorf("unexpected event %s", event.Type)
	}
}

func asyncTimeout(e *env) {
	a, b := e.smallPair()
	start := time.Now()
	_, err := a.Ctx.GetAsyncEvent(fixture.Quiet)
	if took := time.Since(start); !errors.Is(err, verbs.ErrTimeout) || took < fixture.Quiet {
		e.Errorf("%v after %v", err, took)
	}
	if _, err := a.Ctx.GetAsyncEvent(0); !errors.Is(err, verbs.ErrTimeout) {
		e.Errorf("without waiting: %v", err)
	}
	type got struct {
		event verbs.AsyncEvent
		err   error
	}
	waiter := make(chan got, 1)
	go func() {
		event, err := a.Ctx.GetAsyncEvent(fixture.WaitTimeout)
		waiter <- got{event, err}
	}()
	select {
	case g := <-waiter:
		e.Fatalf("event %s, %v before anything happened", g.event.Type, g.err)
	case <-time.After(fixture.Quiet):
	}
	a.leaveUnpolled(b)
	g := <-waiter
	e.ok(g.err)
	a.Ctx.AckAsyncEvent(g.event)
}

// smallPair makes a pair for leaveUnpolled: a's send CQ is small.
func (e *env) smallPair() (a, b *side) {
	e.Helper()
	c := conf()
	c.CQE = 1
	a, b = e.side(c), e.side(conf())
	fixture.Connect(a, b)
	return a, b
}

// leaveUnpolled makes the send CQ of a small pair overrun.
func (s *side) leaveUnpolled(peer *side) {
	s.Helper()
	n := s.SendCQ.CQE() + 5
	if n > depth {
		s.Skipf("the smallest CQ has %d entries, more than are left unpolled here", s.SendCQ.CQE())
	}
	s.Post(s.numbered(0, n, peer)...)
}

// fetched waits for an event of the type and leaves it to be acknowledged.
func (e *env) fetched(ctx verbs.Context, want verbs.EventType) verbs.AsyncEvent {
	e.Helper()
	for end := time.Now().Add(fixture.WaitTimeout); ; {
		event, err := ctx.GetAsyncEvent(time.Until(end))
		e.ok(err)
		if event.Type == want {
			return event
		}
		ctx.AckAsyncEvent(event)
	}
}

// closesAfter checks that Close of the object waits for the acknowledgement.
func (s *side) closesAfter(object interface{ Close() error }, ack func()) {
	s.Helper()
	closed := make(chan error, 1)
	s.closed[object] = true
	go func() { closed <- object.Close() }()
	select {
	case err := <-closed:
		s.Fatalf("closed with an event not acknowledged: %v", err)
	case <-time.After(fixture.Quiet):
	}
	ack()
	select {
	case err := <-closed:
		s.ok(err)
	case <-time.After(fixture.WaitTimeout):
		s.Fatal("not closed after the acknowledgement")
	}
}

func destroyWaitsForAsyncAck(e *env) {
	e.sub("CQ", func(e *env) {
		a, b := e.smallPair()
		a.leaveUnpolled(b)
		event := e.fetched(a.Ctx, verbs.EventCQErr)
		e.close(a.QP)
		a.closesAfter(a.SendCQ.CQ, func() { a.Ctx.AckAsyncEvent(event) })
	})
	e.sub("QP", func(e *env) {
		q := e.qpEvent()
		if q == nil {
			return
		}
		q.raise(q.a)
		event := e.fetched(q.a.Ctx, q.typ)
		q.a.closesAfter(q.a.QP, func() { q.a.Ctx.AckAsyncEvent(event) })
	})
	e.sub("SRQ", func(e *env) {
		b := e.belowLimit()
		event := e.fetched(b.Ctx, verbs.EventSRQLimitReached)
		e.close(b.QP)
		b.closesAfter(b.SRQ, func() { b.Ctx.AckAsyncEvent(event) })
	})
}

// belowLimit makes a side whose SRQ has reached its limit.
func (e *env) belowLimit() *side {
	e.Helper()
	a, b := e.pair(conf().OnSRQ())
	b.fillSRQ(1, 3)
	b.arm(3)
	b.received(a, 1, 1)
	return b
}

func eventNamesObject(e *env) {
	e.sub("CQ", func(e *env) {
		a, b := e.smallPair()
		a.leaveUnpolled(b)
		e.names(a, verbs.AsyncEvent{Type: verbs.EventCQErr, CQ: a.SendCQ.CQ})
	})
	e.sub("QP", func(e *env) {
		if q := e.qpEvent(); q != nil {
			q.raise(q.a)
			e.names(q.a, verbs.AsyncEvent{Type: q.typ, QP: q.a.QP})
		}
	})
	e.sub("SRQ", func(e *env) {
		b := e.belowLimit()
		e.names(b, verbs.AsyncEvent{Type: verbs.EventSRQLimitReached, SRQ: b.SRQ})
	})
}

// names checks the object that the side's event of the type names.
func (e *env) names(s *side, want verbs.AsyncEvent) {
	e.Helper()
	got := e.fetched(s.Ctx, want.Type)
	s.Ctx.AckAsyncEvent(got)
	if got != want {
		e.Errorf("%+v, want %+v", got, want)
	}
}

func eventsOfContext(e *env) {
	third := e.open()
	a, b := e.smallPair()
	a.leaveUnpolled(b)
	e.event(a.Ctx, verbs.EventCQErr, func(event verbs.AsyncEvent) bool { return event.CQ == a.SendCQ.CQ })
	e.noEvents(b.Ctx)
	e.noEvents(third)
	e.events(a.Ctx)
	q := e.qpEvent()
	if q == nil {
		return
	}
	q.raise(q.a)
	q.raise(q.b)
	e.event(q.b.Ctx, q.typ, func(event verbs.AsyncEvent) bool { return event.QP == q.b.QP })
	e.close(q.a.QP) // its event was not fetched
	e.noEvents(q.a.Ctx)
}

func communicationEstablished(e *env) {
	a, b := e.inState(conf(), verbs.QPRTR)
	a.PostRecv(recv{ID: 1})
	b.Post(send{Op: opSend})
	a.RecvCQ.Expect(1, verbs.WCSuccess)
	e.raised("Q06", a, verbs.EventCommEst)
	e.noEvents(a.Ctx) // a second time
}

// raised checks that the QP raises its event, or with the quirk that it does not.
func (e *env) raised(quirk string, s *side, want verbs.EventType) {
	e.Helper()
	limit := fixture.WaitTimeout
	if e.hasQuirk(quirk) {
		limit = 4 * fixture.Quiet
	}
	got := e.gotEvent(s.Ctx, limit, want, func(event verbs.AsyncEvent) bool { return event.QP == s.QP })
	checkValue(e, quirk, want.String(), got, true, false)
}

func responderErrors(e *env) {
	e.sub("invalid request", func(e *env) {
		c := conf()
		c.QPAccess = verbs.AccessRemoteRead
		a, b := e.pair(c)
		a.Post(send{ID: 1, SGEs: []verbs.SGE{a.SGE(0, 8)}}.Toward(b, 0))
		a.SendCQ.Expect(1, verbs.WCRemInvReqErr)
		e.raised("Q06", b, verbs.EventQPReqErr)
	})
	e.sub("access", func(e *env) {
		a, b := e.pair(conf())
		w := send{SGEs: []verbs.SGE{a.SGE(0, 8)}}.Toward(b, 0)
		w.RKey ^= 0x100
		a.refusedByPeer(w)
		e.raised("Q39", b, verbs.EventQPAccessErr)
	})
}

func fatalAfterOverrun(e *env) {
	a, b := e.smallPair()
	a.leaveUnpolled(b)
	e.raised("Q06", a, verbs.EventQPFatal)
	checkValue(e, "Q08", "the QP is in ERR", a.State() == verbs.QPErr, true, false)
}

func quietFailures(e *env) {
	for name, fail := range map[string]func(a, b *side){
		"refused by the peer": func(a, b *side) {
			w := send{SGEs: []verbs.SGE{a.SGE(0, 8)}}.Toward(b, 0)
			w.RKey ^= 0x100
			a.refusedByPeer(w)
		},
		"wrong local key": func(a, b *side) {
			a.Post(send{ID: 1, SGEs: []verbs.SGE{{Addr: 1, Length: 8, LKey: 0xbad00}}}.Toward(b, 0))
			a.SendCQ.WaitFor(1)
		},
		"no receive": func(a, b *side) {
			a.Post(send{ID: 1, Op: opSend})
			a.SendCQ.Expect(1, verbs.WCRNRRetryExcErr)
		},
		"no answer": func(a, b *side) {
			b.To(verbs.QPReset, a)
			a.timesOut()
		},
		"moved to ERR": func(a, b *side) {
			a.PostRecv(recv{})
			a.To(verbs.QPErr, b)
			a.RecvCQ.Expect(0, verbs.WCWRFlushErr)
		},
	} {
		e.sub(name, func(e *env) {
			c := conf().ShortTimeout()
			c.RNRRetry = 1
			a, b := e.pair(c)
			fail(a, b)
			a.Reaches(verbs.QPErr)
			e.noEvents(a.Ctx)
		})
	}
}
