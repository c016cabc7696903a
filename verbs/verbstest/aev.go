package verbstest

import (
	"errors"
	"time"

	"github.com/ibperf/ibperf/verbs"
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

// event waits for an event of the type that fits, and acknowledges it and all that
// come before it.
func (e *env) event(ctx verbs.Context, want verbs.EventType, fits func(verbs.AsyncEvent) bool) {
	e.Helper()
	if !e.gotEvent(ctx, patience, want, fits) {
		e.Fatalf("no event %s of the object after %v", want, patience)
	}
}

// gotEvent is event with a limit, for what a device may not raise.
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

// events fetches and acknowledges what there is and comes within a while.
func (e *env) events(ctx verbs.Context) (all []verbs.AsyncEvent) {
	e.Helper()
	for {
		event, err := ctx.GetAsyncEvent(quiet)
		if errors.Is(err, verbs.ErrTimeout) {
			return all
		}
		e.ok(err)
		ctx.AckAsyncEvent(event)
		all = append(all, event)
	}
}

// noEvents checks that none comes for a while.
func (e *env) noEvents(ctx verbs.Context) {
	e.Helper()
	for _, event := range e.events(ctx) {
		e.Errorf("unexpected event %s", event.Type)
	}
}

func asyncTimeout(e *env) {
	a, b := e.smallPair()
	start := time.Now()
	_, err := a.ctx.GetAsyncEvent(quiet)
	if took := time.Since(start); !errors.Is(err, verbs.ErrTimeout) || took < quiet {
		e.Errorf("%v after %v", err, took)
	}
	if _, err := a.ctx.GetAsyncEvent(0); !errors.Is(err, verbs.ErrTimeout) {
		e.Errorf("without waiting: %v", err)
	}
	type got struct {
		event verbs.AsyncEvent
		err   error
	}
	waiter := make(chan got, 1)
	go func() {
		event, err := a.ctx.GetAsyncEvent(patience)
		waiter <- got{event, err}
	}()
	select {
	case g := <-waiter:
		e.Fatalf("event %s, %v before anything happened", g.event.Type, g.err)
	case <-time.After(quiet):
	}
	a.leaveUnpolled(b)
	g := <-waiter
	e.ok(g.err)
	a.ctx.AckAsyncEvent(g.event)
}

// smallPair is a pair of which a's send CQ overruns with leaveUnpolled.
func (e *env) smallPair() (a, b *side) {
	e.Helper()
	c := conf()
	c.cqe = 1
	a, b = e.side(c), e.side(conf())
	connect(a, b)
	return a, b
}

// leaveUnpolled makes the send CQ of a small pair overrun.
func (s *side) leaveUnpolled(peer *side) {
	s.Helper()
	n := s.sendCQ.CQE() + 5
	if n > depth {
		s.Skipf("the smallest CQ has %d entries, more than are left unpolled here", s.sendCQ.CQE())
	}
	s.post(s.numbered(0, n, peer)...)
}

// fetched waits for an event of the type and leaves it to be acknowledged.
func (e *env) fetched(ctx verbs.Context, want verbs.EventType) verbs.AsyncEvent {
	e.Helper()
	for end := time.Now().Add(patience); ; {
		event, err := ctx.GetAsyncEvent(time.Until(end))
		e.ok(err)
		if event.Type == want {
			return event
		}
		ctx.AckAsyncEvent(event)
	}
}

// closesAfter checks that closing the object waits for the acknowledgement.
func (s *side) closesAfter(object interface{ Close() error }, ack func()) {
	s.Helper()
	closed := make(chan error, 1)
	s.closed[object] = true
	go func() { closed <- object.Close() }()
	select {
	case err := <-closed:
		s.Fatalf("closed with an event not acknowledged: %v", err)
	case <-time.After(quiet):
	}
	ack()
	select {
	case err := <-closed:
		s.ok(err)
	case <-time.After(patience):
		s.Fatal("not closed after the acknowledgement")
	}
}

func destroyWaitsForAsyncAck(e *env) {
	e.sub("CQ", func(e *env) {
		a, b := e.smallPair()
		a.leaveUnpolled(b)
		event := e.fetched(a.ctx, verbs.EventCQErr)
		e.close(a.qp)
		a.closesAfter(a.sendCQ.CQ, func() { a.ctx.AckAsyncEvent(event) })
	})
	e.sub("QP", func(e *env) {
		a, _ := e.pair(conf())
		a.askDrained()
		event := e.fetched(a.ctx, verbs.EventSQDrained)
		a.closesAfter(a.qp, func() { a.ctx.AckAsyncEvent(event) })
	})
	e.sub("SRQ", func(e *env) {
		b := e.belowLimit()
		event := e.fetched(b.ctx, verbs.EventSRQLimitReached)
		e.close(b.qp)
		b.closesAfter(b.srq, func() { b.ctx.AckAsyncEvent(event) })
	})
}

// belowLimit is a side whose SRQ has reached its limit.
func (e *env) belowLimit() *side {
	e.Helper()
	a, b := e.pair(conf().onSRQ())
	b.fillSRQ(1, 3)
	b.arm(3)
	b.received(a, 1, 1)
	return b
}

// askDrained moves the QP to SQD and asks for the event.
func (s *side) askDrained() {
	s.Helper()
	attr := verbs.QPAttr{State: verbs.QPSQD, EnSQDNotify: true}
	s.ok(s.qp.Modify(&attr, verbs.MaskState|verbs.MaskEnSQDNotify))
}

func eventNamesObject(e *env) {
	e.sub("CQ", func(e *env) {
		a, b := e.smallPair()
		a.leaveUnpolled(b)
		e.names(a, verbs.AsyncEvent{Type: verbs.EventCQErr, CQ: a.sendCQ.CQ})
	})
	e.sub("QP", func(e *env) {
		a, _ := e.pair(conf())
		a.askDrained()
		e.names(a, verbs.AsyncEvent{Type: verbs.EventSQDrained, QP: a.qp})
	})
	e.sub("SRQ", func(e *env) {
		b := e.belowLimit()
		e.names(b, verbs.AsyncEvent{Type: verbs.EventSRQLimitReached, SRQ: b.srq})
	})
}

// names checks what the side's event of the type says.
func (e *env) names(s *side, want verbs.AsyncEvent) {
	e.Helper()
	got := e.fetched(s.ctx, want.Type)
	s.ctx.AckAsyncEvent(got)
	if got != want {
		e.Errorf("%+v, want %+v", got, want)
	}
}

func eventsOfContext(e *env) {
	third := e.open()
	a, b := e.smallPair()
	a.leaveUnpolled(b)
	e.event(a.ctx, verbs.EventCQErr, func(event verbs.AsyncEvent) bool { return event.CQ == a.sendCQ.CQ })
	e.noEvents(b.ctx)
	e.noEvents(third)
	e.events(a.ctx)
	c, d := e.pair(conf())
	c.askDrained()
	d.askDrained()
	e.event(d.ctx, verbs.EventSQDrained, func(event verbs.AsyncEvent) bool { return event.QP == d.qp })
	e.close(c.qp) // whose event nobody has fetched
	e.noEvents(c.ctx)
}

func communicationEstablished(e *env) {
	a, b := e.inState(conf(), verbs.QPRTR)
	a.recv(recv{id: 1})
	b.post(send{op: opSend})
	a.recvCQ.gives(1, verbs.WCSuccess)
	e.raised("Q06", a, verbs.EventCommEst)
	e.noEvents(a.ctx) // a second time
}

// raised checks that the QP's event comes, or with the quirk that it does not.
func (e *env) raised(quirk string, s *side, want verbs.EventType) {
	e.Helper()
	limit := patience
	if e.quirk(quirk) {
		limit = 4 * quiet
	}
	got := e.gotEvent(s.ctx, limit, want, func(event verbs.AsyncEvent) bool { return event.QP == s.qp })
	agree(e, quirk, want.String(), got, true, false)
}

func responderErrors(e *env) {
	e.sub("invalid request", func(e *env) {
		c := conf()
		c.qpAccess = verbs.AccessRemoteRead
		a, b := e.pair(c)
		a.post(send{id: 1, sges: []verbs.SGE{a.sge(0, 8)}}.toward(b, 0))
		a.sendCQ.gives(1, verbs.WCRemInvReqErr)
		e.raised("Q06", b, verbs.EventQPReqErr)
	})
	e.sub("access", func(e *env) {
		a, b := e.pair(conf())
		w := send{sges: []verbs.SGE{a.sge(0, 8)}}.toward(b, 0)
		w.rkey ^= 0x100
		a.refusedByPeer(w)
		e.raised("Q06", b, verbs.EventQPAccessErr)
	})
}

func fatalAfterOverrun(e *env) {
	a, b := e.smallPair()
	a.leaveUnpolled(b)
	e.raised("Q06", a, verbs.EventQPFatal)
	agree(e, "Q08", "the QP is in ERR", a.state() == verbs.QPErr, true, false)
}

func quietFailures(e *env) {
	for name, fail := range map[string]func(a, b *side){
		"refused by the peer": func(a, b *side) {
			w := send{sges: []verbs.SGE{a.sge(0, 8)}}.toward(b, 0)
			w.rkey ^= 0x100
			a.refusedByPeer(w)
		},
		"wrong local key": func(a, b *side) {
			a.post(send{id: 1, sges: []verbs.SGE{{Addr: 1, Length: 8, LKey: 0xbad00}}}.toward(b, 0))
			a.sendCQ.of(1)
		},
		"no receive": func(a, b *side) {
			a.post(send{id: 1, op: opSend})
			a.sendCQ.gives(1, verbs.WCRNRRetryExcErr)
		},
		"no answer": func(a, b *side) {
			b.to(verbs.QPReset, a)
			a.unanswered()
		},
		"moved to ERR": func(a, b *side) {
			a.recv(recv{})
			a.to(verbs.QPErr, b)
			a.recvCQ.gives(0, verbs.WCWRFlushErr)
		},
	} {
		e.sub(name, func(e *env) {
			c := conf().impatient()
			c.rnrRetry = 1
			a, b := e.pair(c)
			fail(a, b)
			a.comesTo(verbs.QPErr)
			e.noEvents(a.ctx)
		})
	}
}
