package shm_test

import (
	"errors"
	"testing"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// nextEvent waits for the side's next event.
func (s *side) nextEvent(t testing.TB) verbs.EventType {
	t.Helper()
	e := must(s.ctx.GetAsyncEvent(deadline))(t)
	s.ctx.AckAsyncEvent(e)
	if e.QP != s.qp {
		t.Errorf("%s is about %v", e.Type, e.QP)
	}
	return e.Type
}

func (s *side) noEvent(t testing.TB) {
	t.Helper()
	if e, err := s.ctx.GetAsyncEvent(30 * time.Millisecond); !errors.Is(err, verbs.ErrTimeout) {
		t.Errorf("%s, %v", e.Type, err)
	}
}

// TestRefusalsAreTold: a responder that refuses a request learns of it without
// polling, once.
func TestRefusalsAreTold(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(c *config)
		want  verbs.EventType
	}{
		"right of the QP":     {func(c *config) { c.qpAccess = 0 }, verbs.EventQPReqErr},
		"right of the region": {func(c *config) { c.access = verbs.AccessLocalWrite }, verbs.EventQPAccessErr},
	} {
		t.Run(name, func(t *testing.T) {
			cf := conf()
			c.spoil(&cf)
			a, b := pair(t, cf)
			b.mustRecv(t, recv{id: 2})
			w := send{id: 1, sges: []verbs.SGE{a.sge(0, 8)}}.toward(b, 0)
			w.rkey = b.mr.LKey()
			a.mustPost(t, w)
			poll(t, a.sendCQ, 1)
			if got := b.nextEvent(t); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
			pollOne(t, b.recvCQ, 2, verbs.WCWRFlushErr)
			b.wantState(t, verbs.QPErr)
			b.noEvent(t)
			a.noEvent(t)
		})
	}
}

// TestCommEst: a QP in RTR learns, once, that its peer has begun; one in RTS need not.
func TestCommEst(t *testing.T) {
	for _, c := range []config{conf(), ucConf()} {
		t.Run(c.typ.String(), func(t *testing.T) {
			a, b := newSide(t, c), newSide(t, c)
			for range 2 {
				for _, state := range []verbs.QPState{verbs.QPInit, verbs.QPRTR} {
					b.to(t, state, a)
					a.to(t, state, b)
				}
				a.to(t, verbs.QPRTS, b)
				b.noEvent(t)
				for range 3 {
					a.mustPost(t, send{flags: verbs.SendSignaled, sges: []verbs.SGE{a.sge(0, 8)}}.toward(b, 0))
					pollOne(t, a.sendCQ, 0, verbs.WCSuccess)
				}
				if got := b.nextEvent(t); got != verbs.EventCommEst {
					t.Errorf("%s", got)
				}
				b.noEvent(t)
				a.to(t, verbs.QPReset, b)
				b.to(t, verbs.QPReset, a)
			}
			connect(t, a, b)
			a.mustPost(t, send{flags: verbs.SendSignaled}.toward(b, 0))
			pollOne(t, a.sendCQ, 0, verbs.WCSuccess)
			b.noEvent(t)
		})
	}
}

// TestDrain: a request that waits for a receive keeps the queue draining, those
// behind it are held, and the end is told if it was asked for.
func TestDrain(t *testing.T) {
	c := conf()
	c.rnrRetry = 7
	a, b := pair(t, c)
	a.mustPost(t,
		send{id: 1, op: verbs.OpSend, flags: verbs.SendSignaled},
		send{id: 2, op: verbs.OpSend, flags: verbs.SendSignaled},
	)
	noError(t, a.qp.Modify(&verbs.QPAttr{State: verbs.QPSQD, EnSQDNotify: true}, verbs.MaskState|verbs.MaskEnSQDNotify))
	if q, _, err := a.qp.Query(0); err != nil || !q.SQDraining || !q.EnSQDNotify {
		t.Errorf("%+v, %v", q, err)
	}
	a.noEvent(t)
	b.mustRecv(t, recv{id: 3}, recv{id: 4})
	pollOne(t, a.sendCQ, 1, verbs.WCSuccess)
	if got := a.nextEvent(t); got != verbs.EventSQDrained {
		t.Errorf("%s", got)
	}
	if q, _, err := a.qp.Query(0); err != nil || q.SQDraining {
		t.Errorf("%+v, %v", q, err)
	}
	a.noEvent(t)
	pollNone(t, a.sendCQ)
	noError(t, a.qp.Modify(&verbs.QPAttr{State: verbs.QPRTS}, verbs.MaskState))
	pollOne(t, a.sendCQ, 2, verbs.WCSuccess)
	if q, _, err := a.qp.Query(0); err != nil || q.EnSQDNotify {
		t.Errorf("%+v, %v", q, err)
	}
	a.noEvent(t)
}
