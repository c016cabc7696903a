package verbstest

import (
	"time"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

// longestRNR is the code of the longest RNR timer, longestDelay its time.
const (
	longestRNR   = 0
	longestDelay = 655_360 * time.Microsecond
)

func noReceive(e *env) {
	for _, op := range []verbs.Opcode{opSend, opSendImm, opWriteImm} {
		for _, retries := range []uint8{0, 1} {
			c := conf()
			c.RNRRetry = retries
			if retries == 0 {
				c.RNRTimer = longestRNR
			}
			a, b := e.pair(c)
			fixture.Fill(a.Mem[:8], 1)
			start := time.Now()
			a.Post(send{ID: 1, Op: op, SGEs: []verbs.SGE{a.SGE(0, 8)}}.Toward(b, 0), send{ID: 2}.Toward(b, 0))
			a.SendCQ.Expect(1, verbs.WCRNRRetryExcErr)
			if took := time.Since(start); retries == 0 && took >= longestDelay {
				e.Errorf("%s: gave up after %v, which is long enough for a retry", op, took)
			}
			a.SendCQ.Expect(2, verbs.WCWRFlushErr)
			a.Reaches(verbs.QPErr)
			b.IsIn(verbs.QPRTS)
			b.RecvCQ.ExpectEmpty()
			if touched(b.Mem[:8]) {
				e.Errorf("%s: data was stored without a receive", op)
			}
		}
	}
}

func infiniteRNRRetries(e *env) {
	a, b := e.pair(conf())
	a.Post(send{ID: 1, Op: opSend, Flags: signaled})
	for range 4 {
		a.SendCQ.StaysEmpty()
	}
	b.PostRecv(recv{ID: 2})
	a.SendCQ.Expect(1, verbs.WCSuccess)
	b.RecvCQ.Expect(2, verbs.WCSuccess)
}

func rnrTimer(e *env) {
	const code, delay = 24, 40_960 * time.Microsecond
	c := conf()
	c.RNRRetry, c.RNRTimer = 1, code
	a, _ := e.pair(c)
	start := time.Now()
	a.Post(send{ID: 1, Op: opSend})
	a.SendCQ.Expect(1, verbs.WCRNRRetryExcErr)
	// A timer that counts in ticks may end within its last one.
	if took, least := time.Since(start), delay*8/10; took < least {
		e.Errorf("gave up after %v, before %v", took, least)
	}
}

// timesOut checks that a request completes with RETRY_EXC_ERR, and not before the timeout has passed
// for each attempt.
func (s *side) timesOut() {
	s.Helper()
	start := time.Now()
	s.Post(send{ID: 1, Op: opSend}, send{ID: 2, Op: opSend})
	s.SendCQ.Expect(1, verbs.WCRetryExcErr)
	least := time.Duration(s.Config.RetryCnt+1) * (4096 * time.Nanosecond << s.Config.Timeout) / 2
	if took := time.Since(start); took < least {
		s.Errorf("gave up after %v, before %v", took, least)
	}
	s.SendCQ.Expect(2, verbs.WCWRFlushErr)
	s.Reaches(verbs.QPErr)
}

func peerOutOfService(e *env) {
	for _, state := range []verbs.QPState{verbs.QPReset, verbs.QPInit, verbs.QPErr} {
		a, b := e.pair(conf().ShortTimeout())
		b.Enter(state, a)
		a.timesOut()
		b.IsIn(state)
	}
}

func silentPeers(e *env) {
	e.sub("destroyed", func(e *env) {
		a, b := e.pair(conf().ShortTimeout())
		a.writesTo(b)
		e.close(b.QP)
		a.timesOut()
	})
	e.sub("another QP's number", func(e *env) {
		a, b := e.pair(conf().ShortTimeout())
		connected := b.QP
		b.NewQP() // in RESET
		a.Enter(verbs.QPRTS, b)
		b.QP = connected
		a.timesOut()
		b.IsIn(verbs.QPRTS)
	})
	e.sub("process gone", processKilled)
	e.sub("device closed", func(e *env) {
		a, b := e.pair(conf().ShortTimeout())
		a.writesTo(b)
		for _, object := range []interface{ Close() error }{b.QP, b.MR, b.PD, b.SendCQ.CQ, b.RecvCQ.CQ, b.Ctx} {
			e.close(object)
		}
		a.timesOut()
	})
}

func sevenRetries(e *env) {
	c := conf()
	c.RetryCnt, c.Timeout = 7, 8
	a, b := e.inState(c, verbs.QPReset)
	a.Enter(verbs.QPRTS, b)
	b.To(verbs.QPReset, a)
	a.Post(send{ID: 1}.Toward(b, 0))
	limit := fixture.WaitTimeout
	if e.hasQuirk("Q11") {
		limit = time.Second
	}
	gaveUp := fixture.Until(limit, func() bool {
		n, err := a.SendCQ.Poll(a.SendCQ.WC[:1])
		e.ok(err)
		return n == 1 && a.SendCQ.WC[0].Status == verbs.WCRetryExcErr
	})
	checkValue(e, "Q11", "the requester gave up", gaveUp, true, false)
}

func infiniteTimeout(e *env) {
	c := conf()
	c.Timeout, c.RetryCnt = 0, 0
	a, b := e.pair(c)
	b.To(verbs.QPReset, a)
	a.Post(send{ID: 1, Flags: signaled}.Toward(b, 0))
	for range 8 {
		a.SendCQ.StaysEmpty()
	}
	a.IsIn(verbs.QPRTS)
}
