package shm_test

import (
	"errors"
	"testing"
	"time"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

// nextEvent waits for the side's next event.
func (s *side) nextEvent(t testing.TB) verbs.EventType {
	t.Helper()
	e := must(s.Ctx.GetAsyncEvent(fixture.WaitTimeout))(t)
	s.Ctx.AckAsyncEvent(e)
	if e.QP != s.QP {
		t.Errorf("%s is an event of %v", e.Type, e.QP)
	}
	return e.Type
}

func (s *side) wantNoEvent(t testing.TB) {
	t.Helper()
	if e, err := s.Ctx.GetAsyncEvent(30 * time.Millisecond); !errors.Is(err, verbs.ErrTimeout) {
		t.Errorf("unexpected event %s, %v", e.Type, err)
	}
}

// TestRejectedRequestRaisesEventOnce covers a responder that does not poll: it gets one event for
// the request that its side rejects.
func TestRejectedRequestRaisesEventOnce(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(c *config)
		want  verbs.EventType
	}{
		"right of the QP":     {func(c *config) { c.QPAccess = 0 }, verbs.EventQPReqErr},
		"right of the region": {func(c *config) { c.Access = verbs.AccessLocalWrite }, verbs.EventQPAccessErr},
	} {
		t.Run(name, func(t *testing.T) {
			cf := conf()
			c.spoil(&cf)
			a, b := pair(t, cf)
			b.PostRecv(recv{ID: 2})
			w := send{ID: 1, SGEs: []verbs.SGE{a.SGE(0, 8)}}.Toward(b, 0)
			w.RKey = b.MR.LKey()
			a.Post(w)
			a.SendCQ.Next(1)
			if got := b.nextEvent(t); got != c.want {
				t.Errorf("event %s, want %s", got, c.want)
			}
			b.RecvCQ.Expect(2, verbs.WCWRFlushErr)
			b.IsIn(verbs.QPErr)
			b.wantNoEvent(t)
			a.wantNoEvent(t)
		})
	}
}

// TestCommEst covers that a QP in RTR gets COMM_EST once when its peer begins to send, and a QP in
// RTS does not.
func TestCommEst(t *testing.T) {
	for _, c := range []config{conf(), ucConf()} {
		t.Run(c.Type.String(), func(t *testing.T) {
			a, b := newSide(t, c), newSide(t, c)
			for range 2 {
				for _, state := range []verbs.QPState{verbs.QPInit, verbs.QPRTR} {
					b.To(state, a)
					a.To(state, b)
				}
				a.To(verbs.QPRTS, b)
				b.wantNoEvent(t)
				for range 3 {
					a.Post(send{Flags: verbs.SendSignaled, SGEs: []verbs.SGE{a.SGE(0, 8)}}.Toward(b, 0))
					a.SendCQ.Expect(0, verbs.WCSuccess)
				}
				if got := b.nextEvent(t); got != verbs.EventCommEst {
					t.Errorf("event %s, want COMM_EST", got)
				}
				b.wantNoEvent(t)
				a.To(verbs.QPReset, b)
				b.To(verbs.QPReset, a)
			}
			fixture.Connect(a, b)
			a.Post(send{Flags: verbs.SendSignaled}.Toward(b, 0))
			a.SendCQ.Expect(0, verbs.WCSuccess)
			b.wantNoEvent(t)
		})
	}
}

// TestSQDrained covers that a request waiting for a receive keeps the send queue draining, that
// later requests do not start, and that SQ_DRAINED is raised if requested.
func TestSQDrained(t *testing.T) {
	c := conf()
	c.RNRRetry = 7
	a, b := pair(t, c)
	a.Post(send{ID: 1, Op: verbs.OpSend, Flags: verbs.SendSignaled},
		send{ID: 2, Op: verbs.OpSend, Flags: verbs.SendSignaled},
	)
	noError(t, a.QP.Modify(&verbs.QPAttr{State: verbs.QPSQD, EnSQDNotify: true}, verbs.MaskState|verbs.MaskEnSQDNotify))
	if q, _, err := a.QP.Query(0); err != nil || !q.SQDraining || !q.EnSQDNotify {
		t.Errorf("query_qp: %+v, %v", q, err)
	}
	a.wantNoEvent(t)
	b.PostRecv(recv{ID: 3}, recv{ID: 4})
	a.SendCQ.Expect(1, verbs.WCSuccess)
	if got := a.nextEvent(t); got != verbs.EventSQDrained {
		t.Errorf("event %s, want SQ_DRAINED", got)
	}
	if q, _, err := a.QP.Query(0); err != nil || q.SQDraining {
		t.Errorf("query_qp: %+v, %v", q, err)
	}
	a.wantNoEvent(t)
	a.SendCQ.ExpectEmpty()
	noError(t, a.QP.Modify(&verbs.QPAttr{State: verbs.QPRTS}, verbs.MaskState))
	a.SendCQ.Expect(2, verbs.WCSuccess)
	if q, _, err := a.QP.Query(0); err != nil || q.EnSQDNotify {
		t.Errorf("query_qp: %+v, %v", q, err)
	}
	a.wantNoEvent(t)
}
