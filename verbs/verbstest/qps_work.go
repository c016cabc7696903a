package verbstest

import (
	"errors"
	"syscall"

	"github.com/ibperf/ibperf/verbs"
)

func sendsTooEarly(e *env) {
	for _, state := range []verbs.QPState{verbs.QPReset, verbs.QPInit, verbs.QPRTR} {
		a, b := e.inState(conf(), state)
		_, err := a.tryPost(a.numbered(1, 1, b)...)
		e.refused("post_send in "+state.String(), err, syscall.EINVAL)
		for _, next := range path(verbs.QPRTS)[state:] {
			a.to(next, b)
		}
		a.sendCQ.staysEmpty()
		a.post(a.numbered(2, 1, b)...)
		agree(e, "Q01", "the first to complete after RTS", a.sendCQ.next(1)[0].WRID, 2, 1)
	}
}

func recvsByState(e *env) {
	for _, state := range []verbs.QPState{verbs.QPReset, verbs.QPInit, verbs.QPRTR, verbs.QPRTS, verbs.QPSQD} {
		a, b := e.inState(conf(), state)
		_, err := a.tryRecv(recv{id: 1})
		if state == verbs.QPReset {
			e.refused("post_recv in RESET", err, syscall.EINVAL)
			continue
		}
		e.ok(err)
		if state == verbs.QPInit {
			a.to(verbs.QPRTR, b)
		}
		b.post(send{op: opSend})
		a.recvCQ.gives(1, verbs.WCSuccess)
	}
}

// held is a pair of which a is in SQD with two WRITEs held back.
func (e *env) held() (a, b *side) {
	e.Helper()
	a, b = e.inState(conf(), verbs.QPSQD)
	a.post(a.numbered(1, 2, b)...)
	a.sendCQ.staysEmpty()
	return a, b
}

func sqdHolds(e *env) {
	a, b := e.held()
	a.recv(recv{id: 5})
	b.post(send{id: 6, op: opSend, flags: signaled})
	a.recvCQ.gives(5, verbs.WCSuccess)
	b.sendCQ.gives(6, verbs.WCSuccess)
	a.sendCQ.empty()
}

func sqdResumes(e *env) {
	a, b := e.held()
	e.ok(a.qp.Modify(&verbs.QPAttr{State: verbs.QPRTS}, verbs.MaskState))
	limit := patience
	if e.quirk("Q12") {
		limit = 4 * quiet
	}
	got := 0
	until(limit, func() bool {
		n, err := a.sendCQ.Poll(a.sendCQ.wc[:2-got])
		e.ok(err)
		got += n
		return got == 2
	})
	agree(e, "Q12", "WRITEs that resume by themselves", got, 2, 0)
	a.post(a.numbered(3, 1, b)...)
	for id := uint64(got + 1); id <= 3; id++ {
		a.sendCQ.gives(id, verbs.WCSuccess)
	}
}

func drained(e *env) {
	for _, notify := range []bool{false, true} {
		a, b := e.pair(conf())
		a.post(a.numbered(1, 5, b)...)
		for id := uint64(1); id <= 5; id++ {
			a.sendCQ.gives(id, verbs.WCSuccess)
		}
		e.ok(a.qp.Modify(&verbs.QPAttr{State: verbs.QPSQD, EnSQDNotify: notify}, verbs.MaskState|verbs.MaskEnSQDNotify))
		e.eventually("sq_draining is 0", func() bool { return !a.query().SQDraining })
		a.isIn(verbs.QPSQD)
		got := a.saysDrained()
		if notify {
			if !got {
				e.Error("no SQ_DRAINED although it was asked for")
			}
		} else {
			agree(e, "Q12", "SQ_DRAINED without being asked for", got, false, true)
		}
		if got && a.saysDrained() {
			e.Error("a second SQ_DRAINED")
		}
	}
}

// saysDrained takes an SQ_DRAINED event of the side's, if there is one.
func (s *side) saysDrained() bool {
	s.Helper()
	event, err := s.ctx.GetAsyncEvent(4 * quiet)
	if errors.Is(err, verbs.ErrTimeout) {
		return false
	}
	s.ok(err)
	s.ctx.AckAsyncEvent(event)
	if event.Type != verbs.EventSQDrained || event.QP != s.qp {
		s.Errorf("event %s of %v, want SQ_DRAINED", event.Type, event.QP)
	}
	return true
}

func drainingStays(e *env) {
	a, b := e.pair(conf())
	a.post(send{id: 1, op: opSend, flags: signaled}) // finds no receive
	a.sendCQ.staysEmpty()
	e.ok(a.qp.Modify(&verbs.QPAttr{State: verbs.QPSQD}, verbs.MaskState))
	if e.quirk("Q12") {
		e.Skip("a request that waits for a receive does not keep the queue from being drained")
	}
	if !a.query().SQDraining {
		e.Error("drained while a SEND is under way")
	}
	e.refused("SQD to RTS", a.qp.Modify(&verbs.QPAttr{State: verbs.QPRTS}, verbs.MaskState), syscall.EINVAL)
	a.isIn(verbs.QPSQD)
	b.recv(recv{id: 2})
	a.sendCQ.gives(1, verbs.WCSuccess)
	e.eventually("sq_draining is 0", func() bool { return !a.query().SQDraining })
	e.ok(a.qp.Modify(&verbs.QPAttr{State: verbs.QPRTS}, verbs.MaskState))
	a.writesTo(b)
}

func sendsInErr(e *env) {
	a, b := e.inState(conf(), verbs.QPErr)
	list := a.numbered(1, 2, b)
	list[0].flags = 0
	a.post(list...)
	a.sendCQ.gives(1, verbs.WCWRFlushErr)
	a.sendCQ.gives(2, verbs.WCWRFlushErr)
}

func recvsInErr(e *env) {
	a, _ := e.inState(conf(), verbs.QPErr)
	a.recvCQ.staysEmpty() // and the device has done with the move
	a.recv(recv{id: 1})
	limit := patience
	if e.quirk("Q02") {
		limit = 4 * quiet
	}
	flushed := until(limit, func() bool {
		n, err := a.recvCQ.Poll(a.recvCQ.wc[:1])
		e.ok(err)
		return n == 1 && a.recvCQ.wc[0].WRID == 1 && a.recvCQ.wc[0].Status == verbs.WCWRFlushErr
	})
	agree(e, "Q02", "the receive is flushed", flushed, true, false)
}

func flush(e *env) {
	const n = 20
	a, b := e.pair(conf())
	for i := range n {
		a.recv(recv{id: uint64(100 + i)})
		a.post(send{id: uint64(i), op: opSend, flags: verbs.SendFlags(i%2) * signaled})
	}
	b.post(send{id: 50, op: opSend, flags: signaled}) // takes a's first receive
	b.sendCQ.gives(50, verbs.WCSuccess)
	a.to(verbs.QPErr, b)
	for i := range n {
		a.sendCQ.gives(uint64(i), verbs.WCWRFlushErr)
	}
	a.recvCQ.gives(100, verbs.WCSuccess)
	for i := 1; i < n; i++ {
		a.recvCQ.gives(uint64(100+i), verbs.WCWRFlushErr)
	}
	a.sendCQ.staysEmpty()
	a.recvCQ.empty()
	b.isIn(verbs.QPRTS)
}

func reset(e *env) {
	for _, via := range []verbs.QPState{verbs.QPRTS, verbs.QPSQD} {
		a, b := e.pair(shallow())
		for range 3 {
			for i := range a.conf.cap.MaxSendWR {
				a.post(send{id: uint64(i), op: opSend, flags: signaled})
				a.recv(recv{id: uint64(i)})
			}
			if via != verbs.QPRTS {
				a.to(via, b)
			}
			a.to(verbs.QPReset, b)
			a.sendCQ.staysEmpty()
			a.recvCQ.empty()
			a.recover(b)
			b.recv(recv{id: 50})
			a.recv(recv{id: 51})
			a.post(send{id: 60, op: opSend, flags: signaled})
			b.post(send{id: 61, op: opSend, flags: signaled})
			a.sendCQ.gives(60, verbs.WCSuccess)
			b.sendCQ.gives(61, verbs.WCSuccess)
			a.recvCQ.gives(51, verbs.WCSuccess)
			b.recvCQ.gives(50, verbs.WCSuccess)
		}
	}
}
