package verbstest

import (
	"slices"
	"syscall"

	"github.com/ibperf/ibperf/verbs"
)

func operationOfOthers(e *env) {
	a, b := e.pair(conf())
	b.PostRecv(recv{ID: 3})
	bad, err := a.TryPost(
		send{ID: 1, Op: opTSO, SGEs: []verbs.SGE{a.SGE(0, 8)}}.Toward(b, 0), send{ID: 2, Op: opSend},
	)
	if err != nil {
		e.refused("post_send", err, syscall.EINVAL, verbs.ErrNotSupported)
		if bad != 0 {
			e.Errorf("bad_wr is request %d", bad)
		}
		e.Skip("the device refuses the operation when it is posted")
	}
	a.failsLocally(1, verbs.WCLocQPOpErr)
	a.SendCQ.Expect(2, verbs.WCWRFlushErr)
	a.Reaches(verbs.QPErr)
	b.IsIn(verbs.QPRTS)
	b.RecvCQ.ExpectEmpty()
}

// cause is a failure with the legal statuses of the request (a) and of the peer's receive (b).
type cause struct {
	failure
	a, b []verbs.WCStatus
}

// localKeyErrors are the legal statuses for a wrong key or range of local memory.
var localKeyErrors = []verbs.WCStatus{verbs.WCLocProtErr, verbs.WCLocQPOpErr}

// allCauses returns failures of each kind between two RC peers.
func allCauses() []cause {
	status := func(s ...verbs.WCStatus) []verbs.WCStatus { return s }
	into := func(sge func(b *side) verbs.SGE) func(b *side) recv {
		return func(b *side) recv { return recv{SGEs: []verbs.SGE{sge(b)}} }
	}
	return []cause{
		{failure{name: "nothing", request: eightBytes(opSend)}, status(verbs.WCSuccess), status(verbs.WCSuccess)},
		{failure{name: "local key", request: fromSGE(opWrite, func(a *side) verbs.SGE { return withLKey(a.SGE(0, 8), 0xbad00) })}, localKeyErrors, nil},
		{failure{name: "local range", request: fromSGE(opSend, func(a *side) verbs.SGE { return a.SGE(-1, 8) })}, localKeyErrors, nil},
		{failure{name: "short receive", request: fromSGE(opSend, func(a *side) verbs.SGE { return a.SGE(0, 65) })},
			status(verbs.WCRemInvReqErr, verbs.WCRemOpErr), status(verbs.WCLocLenErr, verbs.WCLocQPOpErr)},
		{failure{name: "receive's key", request: eightBytes(opSend), receive: into(func(b *side) verbs.SGE { return withLKey(b.SGE(0, 64), 0xbad00) })},
			status(verbs.WCRemOpErr), localKeyErrors},
		{failure{name: "remote key", request: withRKey(opWrite, func(key uint32) uint32 { return key ^ 0x100 })},
			status(verbs.WCRemAccessErr), status(verbs.WCWRFlushErr)},
		{failure{name: "right of the QP", request: eightBytes(opWrite), conf: func(c *config) { c.QPAccess = 0 }},
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
	r := recv{SGEs: []verbs.SGE{b.SGE(0, 64)}}
	if c.receive != nil {
		r = c.receive(b)
	}
	r.ID = 2
	b.PostRecv(r)
	w := c.request(a, b)
	w.ID, w.Flags = 1, signaled
	a.Post(w)
	request = a.SendCQ.WaitFor(1).Status
	if c.b == nil {
		b.RecvCQ.StaysEmpty()
		b.IsIn(verbs.QPRTS)
		return request, 0, false
	}
	return request, b.RecvCQ.WaitFor(2).Status, true
}

func causes(e *env) {
	for _, c := range allCauses() {
		e.sub(c.name, func(e *env) {
			request, receive, received := c.provoke(e)
			if e.hasQuirk(quirkFlushErr.quirk) && slices.Equal(c.a, localKeyErrors) {
				c.a = []verbs.WCStatus{quirkFlushErr.value}
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

// neverOccurs reports whether a status cannot occur between two RC peers on working devices: it
// belongs to reliable datagrams or tag matching, or is that of a faulty device.
func neverOccurs(s verbs.WCStatus) bool {
	switch s {
	case verbs.WCSuccess, verbs.WCLocLenErr, verbs.WCLocQPOpErr, verbs.WCLocProtErr, verbs.WCWRFlushErr, verbs.WCMWBindErr,
		verbs.WCLocAccessErr, verbs.WCRemInvReqErr, verbs.WCRemAccessErr, verbs.WCRemOpErr, verbs.WCRetryExcErr, verbs.WCRNRRetryExcErr:
		return false
	}
	return true
}

func unreachable(e *env) {
	for _, c := range allCauses() {
		e.sub(c.name, func(e *env) {
			request, receive, _ := c.provoke(e)
			if neverOccurs(request) || neverOccurs(receive) {
				e.Errorf("the request is %s, the receive %s", request, receive)
			}
		})
	}
}
