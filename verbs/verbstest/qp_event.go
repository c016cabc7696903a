package verbstest

import "github.com/ibperf/ibperf/verbs"

// A qpEvent is a way to make the QPs of a pair raise an asynchronous event.
type qpEvent struct {
	a, b  *side
	typ   verbs.EventType
	raise func(*side)
}

// qpEvent makes a pair of QPs that can raise an event: SQ_DRAINED, or QP_LAST_WQE_REACHED on a device
// without SQD; nil if it has no SRQ either.
func (e *env) qpEvent() *qpEvent {
	e.Helper()
	if e.hasSQD(verbs.QPTypeRC) {
		a, b := e.pair(conf())
		return &qpEvent{a, b, verbs.EventSQDrained, (*side).askDrained}
	}
	if e.device(e.open()).MaxSRQ == 0 {
		e.leaveOut(noSQD + ", nor SRQs: no event of a QP can be raised at will")
		return nil
	}
	a, b := e.pair(conf().OnSRQ())
	return &qpEvent{a, b, verbs.EventQPLastWQE, func(s *side) { s.To(verbs.QPErr, s) }}
}

// askDrained moves the QP to SQD and asks for the event.
func (s *side) askDrained() {
	s.Helper()
	attr := verbs.QPAttr{State: verbs.QPSQD, EnSQDNotify: true}
	s.ok(s.QP.Modify(&attr, verbs.MaskState|verbs.MaskEnSQDNotify))
}
