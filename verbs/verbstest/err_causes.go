package verbstest

import (
	"slices"
	"syscall"

	"github.com/ibperf/ibperf/verbs"
)

func operationOfOthers(e *env) {
	a, b := e.pair(conf())
	b.recv(recv{id: 3})
	bad, err := a.tryPost(
		send{id: 1, op: opTSO, sges: []verbs.SGE{a.sge(0, 8)}}.toward(b, 0), send{id: 2, op: opSend},
	)
	if err != nil {
		e.refused("post_send", err, syscall.EINVAL, verbs.ErrNotSupported)
		if bad != 0 {
			e.Errorf("bad_wr is request %d", bad)
		}
		e.Skip("the device refuses the operation when it is posted")
	}
	a.failsHere(1, verbs.WCLocQPOpErr)
	a.sendCQ.gives(2, verbs.WCWRFlushErr)
	a.comesTo(verbs.QPErr)
	b.isIn(verbs.QPRTS)
	b.recvCQ.empty()
}

// cause is a failure with the statuses that devices may give it: of the request,
// and of the peer's receive.
type cause struct {
	failure
	a, b []verbs.WCStatus
}

// ownErrors are the statuses that a wrong key or range of one's own may have.
var ownErrors = []verbs.WCStatus{verbs.WCLocProtErr, verbs.WCLocQPOpErr}

// causesOf are failures of each kind that two RC peers can have.
func causesOf() []cause {
	status := func(s ...verbs.WCStatus) []verbs.WCStatus { return s }
	into := func(sge func(b *side) verbs.SGE) func(b *side) recv {
		return func(b *side) recv { return recv{sges: []verbs.SGE{sge(b)}} }
	}
	return []cause{
		{failure{name: "nothing", request: eight(opSend)}, status(verbs.WCSuccess), status(verbs.WCSuccess)},
		{failure{name: "local key", request: from(opWrite, func(a *side) verbs.SGE { return badKey(a.sge(0, 8), 0xbad00) })}, ownErrors, nil},
		{failure{name: "local range", request: from(opSend, func(a *side) verbs.SGE { return a.sge(-1, 8) })}, ownErrors, nil},
		{failure{name: "short receive", request: from(opSend, func(a *side) verbs.SGE { return a.sge(0, 65) })},
			status(verbs.WCRemInvReqErr, verbs.WCRemOpErr), status(verbs.WCLocLenErr, verbs.WCLocQPOpErr)},
		{failure{name: "receive's key", request: eight(opSend), receive: into(func(b *side) verbs.SGE { return badKey(b.sge(0, 64), 0xbad00) })},
			status(verbs.WCRemOpErr), ownErrors},
		{failure{name: "remote key", request: keyed(opWrite, func(key uint32) uint32 { return key ^ 0x100 })},
			status(verbs.WCRemAccessErr), status(verbs.WCWRFlushErr)},
		{failure{name: "right of the QP", request: eight(opWrite), conf: func(c *config) { c.qpAccess = 0 }},
			status(verbs.WCRemInvReqErr), status(verbs.WCWRFlushErr)},
	}
}

// provoke runs the case and returns the statuses of the request and of the receive.
func (c cause) provoke(e *env) (request verbs.WCStatus, receive verbs.WCStatus, received bool) {
	cf := conf()
	if c.conf != nil {
		c.conf(&cf)
	}
	a, b := e.pair(cf)
	r := recv{sges: []verbs.SGE{b.sge(0, 64)}}
	if c.receive != nil {
		r = c.receive(b)
	}
	r.id = 2
	b.recv(r)
	w := c.request(a, b)
	w.id, w.flags = 1, signaled
	a.post(w)
	request = a.sendCQ.of(1).Status
	if c.b == nil {
		b.recvCQ.staysEmpty()
		b.isIn(verbs.QPRTS)
		return request, 0, false
	}
	return request, b.recvCQ.of(2).Status, true
}

func causes(e *env) {
	for _, c := range causesOf() {
		e.sub(c.name, func(e *env) {
			request, receive, received := c.provoke(e)
			if e.quirk(lostStatus.quirk) && slices.Equal(c.a, ownErrors) {
				c.a = []verbs.WCStatus{lostStatus.value}
			}
			if !slices.Contains(c.a, request) {
				e.Errorf("the request is %s, want one of %v", request, c.a)
			}
			if received && !slices.Contains(c.b, receive) {
				e.Errorf("the receive is %s, want one of %v", receive, c.b)
			}
		})
	}
}

// Statuses that no two RC peers on devices that work can see: those of reliable
// datagrams and tag matching, and those of a device that misbehaves.
func neverComes(s verbs.WCStatus) bool {
	switch s {
	case verbs.WCSuccess, verbs.WCLocLenErr, verbs.WCLocQPOpErr, verbs.WCLocProtErr, verbs.WCWRFlushErr, verbs.WCMWBindErr,
		verbs.WCLocAccessErr, verbs.WCRemInvReqErr, verbs.WCRemAccessErr, verbs.WCRemOpErr, verbs.WCRetryExcErr, verbs.WCRNRRetryExcErr:
		return false
	}
	return true
}

func unreachable(e *env) {
	for _, c := range causesOf() {
		e.sub(c.name, func(e *env) {
			request, receive, _ := c.provoke(e)
			if neverComes(request) || neverComes(receive) {
				e.Errorf("the request is %s, the receive %s", request, receive)
			}
		})
	}
}
