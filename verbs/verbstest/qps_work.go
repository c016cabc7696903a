package verbstest

import (
	"errors"
	"syscall"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

func sendsTooEarly(e *env) {
	for _, state := range []verbs.QPState{verbs.QPReset, verbs.QPInit, verbs.QPRTR} {
		a, b := e.inState(conf(), state)
		_, err := a.TryPost(a.numbered(1, 1, b)...)
		e.refusedBelowRTS(state, err)
		if err == nil {
			continue
		}
		for _, next := range fixture.Path(verbs.QPRTS)[state:] {
			a.To(next, b)
		}
		a.SendCQ.StaysEmpty()
		a.Post(a.numbered(2, 1, b)...)
		checkValue(e, "Q01", "the first to complete after RTS", a.SendCQ.Next(1)[0].WRID, 2, 1)
	}
}

// refusedBelowRTS checks that a send posted in a state below RTS is refused, or with its quirk that it
// is accepted.
func (e *env) refusedBelowRTS(state verbs.QPState, err error) {
	e.Helper()
	what := "post_send in " + state.String()
	switch {
	case e.hasQuirk("M2"):
		checkValue(e, "M2", what+" succeeds", err == nil, false, true)
	case e.hasQuirk("M1"):
		e.refused(what, err, syscall.EINVAL, syscall.ENOMEM)
	default:
		e.refused(what, err, syscall.EINVAL)
	}
}

func recvsByState(e *env) {
	for _, state := range e.reachable(verbs.QPTypeRC, []verbs.QPState{verbs.QPReset, verbs.QPInit, verbs.QPRTR, verbs.QPRTS, verbs.QPSQD}) {
		a, b := e.inState(conf(), state)
		_, err := a.TryPostRecv(recv{ID: 1})
		if state == verbs.QPReset {
			e.refused("post_recv in RESET", err, syscall.EINVAL)
			continue
		}
		e.ok(err)
		if state == verbs.QPInit {
			a.To(verbs.QPRTR, b)
		}
		b.Post(send{Op: opSend})
		a.RecvCQ.Expect(1, verbs.WCSuccess)
	}
}

// held makes a pair whose a is in SQD, with two WRITEs in its send queue.
func (e *env) held() (a, b *side) {
	e.Helper()
	e.needsSQD()
	a, b = e.inState(conf(), verbs.QPSQD)
	a.Post(a.numbered(1, 2, b)...)
	a.SendCQ.StaysEmpty()
	return a, b
}

func sqdHolds(e *env) {
	a, b := e.held()
	a.PostRecv(recv{ID: 5})
	b.Post(send{ID: 6, Op: opSend, Flags: signaled})
	a.RecvCQ.Expect(5, verbs.WCSuccess)
	b.SendCQ.Expect(6, verbs.WCSuccess)
	a.SendCQ.ExpectEmpty()
}

func sqdResumes(e *env) {
	a, b := e.held()
	e.ok(a.QP.Modify(&verbs.QPAttr{State: verbs.QPRTS}, verbs.MaskState))
	limit := fixture.WaitTimeout
	if e.hasQuirk("Q12") {
		limit = 4 * fixture.Quiet
	}
	got := 0
	fixture.Until(limit, func() bool {
		n, err := a.SendCQ.Poll(a.SendCQ.WC[:2-got])
		e.ok(err)
		got += n
		return got == 2
	})
	checkValue(e, "Q12", "WRITEs that resume by themselves", got, 2, 0)
	a.Post(a.numbered(3, 1, b)...)
	for id := uint64(got + 1); id <= 3; id++ {
		a.SendCQ.Expect(id, verbs.WCSuccess)
	}
}

func drained(e *env) {
	e.needsSQD()
	for _, notify := range []bool{false, true} {
		a, b := e.pair(conf())
		a.Post(a.numbered(1, 5, b)...)
		for id := uint64(1); id <= 5; id++ {
			a.SendCQ.Expect(id, verbs.WCSuccess)
		}
		e.ok(a.QP.Modify(&verbs.QPAttr{State: verbs.QPSQD, EnSQDNotify: notify}, verbs.MaskState|verbs.MaskEnSQDNotify))
		fixture.Eventually(e, "sq_draining is 0", func() bool { return !a.Query().SQDraining })
		a.IsIn(verbs.QPSQD)
		got := a.saysDrained()
		if notify {
			if !got {
				e.Error("no SQ_DRAINED although it was asked for")
			}
		} else {
			checkValue(e, "Q12", "SQ_DRAINED without being asked for", got, false, true)
		}
		if got && a.saysDrained() {
			e.Error("a second SQ_DRAINED")
		}
	}
}

// saysDrained reports whether the side has an SQ_DRAINED event, which it takes.
func (s *side) saysDrained() bool {
	s.Helper()
	event, err := s.Ctx.GetAsyncEvent(4 * fixture.Quiet)
	if errors.Is(err, verbs.ErrTimeout) {
		return false
	}
	s.ok(err)
	s.Ctx.AckAsyncEvent(event)
	if event.Type != verbs.EventSQDrained || event.QP != s.QP {
		s.Errorf("event %s of %v, want SQ_DRAINED", event.Type, event.QP)
	}
	return true
}

func drainingStays(e *env) {
	e.needsSQD()
	a, b := e.pair(conf())
	a.Post(send{ID: 1, Op: opSend, Flags: signaled}) // without a receive
	a.SendCQ.StaysEmpty()
	e.ok(a.QP.Modify(&verbs.QPAttr{State: verbs.QPSQD}, verbs.MaskState))
	if e.hasQuirk("Q12") {
		e.Skip("a request that waits for a receive does not keep the queue from being drained")
	}
	if !a.Query().SQDraining {
		e.Error("drained while a SEND is under way")
	}
	e.refused("SQD to RTS", a.QP.Modify(&verbs.QPAttr{State: verbs.QPRTS}, verbs.MaskState), syscall.EINVAL)
	a.IsIn(verbs.QPSQD)
	b.PostRecv(recv{ID: 2})
	a.SendCQ.Expect(1, verbs.WCSuccess)
	fixture.Eventually(e, "sq_draining is 0", func() bool { return !a.Query().SQDraining })
	e.ok(a.QP.Modify(&verbs.QPAttr{State: verbs.QPRTS}, verbs.MaskState))
	a.writesTo(b)
}

func sendsInErr(e *env) {
	a, b := e.inState(conf(), verbs.QPErr)
	list := a.numbered(1, 2, b)
	list[0].Flags = 0
	a.Post(list...)
	a.SendCQ.Expect(1, verbs.WCWRFlushErr)
	a.SendCQ.Expect(2, verbs.WCWRFlushErr)
}

func recvsInErr(e *env) {
	a, _ := e.inState(conf(), verbs.QPErr)
	a.RecvCQ.StaysEmpty() // the device has finished the move
	a.PostRecv(recv{ID: 1})
	limit := fixture.WaitTimeout
	if e.hasQuirk("Q02") {
		limit = 4 * fixture.Quiet
	}
	flushed := fixture.Until(limit, func() bool {
		n, err := a.RecvCQ.Poll(a.RecvCQ.WC[:1])
		e.ok(err)
		return n == 1 && a.RecvCQ.WC[0].WRID == 1 && a.RecvCQ.WC[0].Status == verbs.WCWRFlushErr
	})
	checkValue(e, "Q02", "the receive is flushed", flushed, true, false)
}

func flush(e *env) {
	const n = 20
	a, b := e.pair(conf())
	for i := range n {
		a.PostRecv(recv{ID: uint64(100 + i)})
		a.Post(send{ID: uint64(i), Op: opSend, Flags: verbs.SendFlags(i%2) * signaled})
	}
	b.Post(send{ID: 50, Op: opSend, Flags: signaled}) // takes a's first receive
	b.SendCQ.Expect(50, verbs.WCSuccess)
	a.To(verbs.QPErr, b)
	for i := range n {
		a.SendCQ.Expect(uint64(i), verbs.WCWRFlushErr)
	}
	a.RecvCQ.Expect(100, verbs.WCSuccess)
	for i := 1; i < n; i++ {
		a.RecvCQ.Expect(uint64(100+i), verbs.WCWRFlushErr)
	}
	a.SendCQ.StaysEmpty()
	a.RecvCQ.ExpectEmpty()
	b.IsIn(verbs.QPRTS)
}

func reset(e *env) {
	for _, via := range e.reachable(verbs.QPTypeRC, []verbs.QPState{verbs.QPRTS, verbs.QPSQD}) {
		a, b := e.pair(shallow())
		for range 3 {
			for i := range a.Config.Cap.MaxSendWR {
				a.Post(send{ID: uint64(i), Op: opSend, Flags: signaled})
				a.PostRecv(recv{ID: uint64(i)})
			}
			if via != verbs.QPRTS {
				a.To(via, b)
			}
			a.To(verbs.QPReset, b)
			a.SendCQ.StaysEmpty()
			a.RecvCQ.ExpectEmpty()
			fixture.Recover(a, b)
			b.PostRecv(recv{ID: 50})
			a.PostRecv(recv{ID: 51})
			a.Post(send{ID: 60, Op: opSend, Flags: signaled})
			b.Post(send{ID: 61, Op: opSend, Flags: signaled})
			a.SendCQ.Expect(60, verbs.WCSuccess)
			b.SendCQ.Expect(61, verbs.WCSuccess)
			a.RecvCQ.Expect(51, verbs.WCSuccess)
			b.RecvCQ.Expect(50, verbs.WCSuccess)
		}
	}
}
