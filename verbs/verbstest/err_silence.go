package verbstest

import (
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// The code of the longest RNR timer, and what it stands for.
const (
	longestRNR   = 0
	longestDelay = 655_360 * time.Microsecond
)

func noReceive(e *env) {
	for _, op := range []verbs.Opcode{opSend, opSendImm, opWriteImm} {
		for _, retries := range []uint8{0, 1} {
			c := conf()
			c.rnrRetry = retries
			if retries == 0 {
				c.rnrTimer = longestRNR
			}
			a, b := e.pair(c)
			fill(a.mem[:8], 1)
			start := time.Now()
			a.post(send{id: 1, op: op, sges: []verbs.SGE{a.sge(0, 8)}}.toward(b, 0), send{id: 2}.toward(b, 0))
			a.sendCQ.gives(1, verbs.WCRNRRetryExcErr)
			if took := time.Since(start); retries == 0 && took >= longestDelay {
				e.Errorf("%s: gave up after %v, as if there was a retry", op, took)
			}
			a.sendCQ.gives(2, verbs.WCWRFlushErr)
			a.comesTo(verbs.QPErr)
			b.isIn(verbs.QPRTS)
			b.recvCQ.empty()
			if touched(b.mem[:8]) {
				e.Errorf("%s: data came without a receive", op)
			}
		}
	}
}

func rnrForEver(e *env) {
	a, b := e.pair(conf())
	a.post(send{id: 1, op: opSend, flags: signaled})
	for range 4 {
		a.sendCQ.staysEmpty()
	}
	b.recv(recv{id: 2})
	a.sendCQ.gives(1, verbs.WCSuccess)
	b.recvCQ.gives(2, verbs.WCSuccess)
}

func rnrTimer(e *env) {
	const code, delay = 24, 40_960 * time.Microsecond
	c := conf()
	c.rnrRetry, c.rnrTimer = 1, code
	a, _ := e.pair(c)
	start := time.Now()
	a.post(send{id: 1, op: opSend})
	a.sendCQ.gives(1, verbs.WCRNRRetryExcErr)
	// A timer that counts in ticks may end within its last one.
	if took, least := time.Since(start), delay*8/10; took < least {
		e.Errorf("gave up after %v, before %v", took, least)
	}
}

// unanswered checks that a request ends in RETRY_EXC_ERR, and not before the
// timeout has passed for each try.
func (s *side) unanswered() {
	s.Helper()
	start := time.Now()
	s.post(send{id: 1, op: opSend}, send{id: 2, op: opSend})
	s.sendCQ.gives(1, verbs.WCRetryExcErr)
	least := time.Duration(s.conf.retry+1) * (4096 * time.Nanosecond << s.conf.timeout) / 2
	if took := time.Since(start); took < least {
		s.Errorf("gave up after %v, before %v", took, least)
	}
	s.sendCQ.gives(2, verbs.WCWRFlushErr)
	s.comesTo(verbs.QPErr)
}

func peerOutOfService(e *env) {
	for _, state := range []verbs.QPState{verbs.QPReset, verbs.QPInit, verbs.QPErr} {
		a, b := e.pair(conf().impatient())
		b.enter(state, a)
		a.unanswered()
		b.isIn(state)
	}
}

func silentPeers(e *env) {
	e.sub("destroyed", func(e *env) {
		a, b := e.pair(conf().impatient())
		a.writesTo(b)
		e.close(b.qp)
		a.unanswered()
	})
	e.sub("another QP's number", func(e *env) {
		a, b := e.pair(conf().impatient())
		connected := b.qp
		b.newQP() // in RESET
		a.reconnect(b)
		b.qp = connected
		a.unanswered()
		b.isIn(verbs.QPRTS)
	})
	e.sub("process gone", processGone)
	e.sub("device closed", func(e *env) {
		a, b := e.pair(conf().impatient())
		a.writesTo(b)
		for _, object := range []interface{ Close() error }{b.qp, b.mr, b.pd, b.sendCQ.CQ, b.recvCQ.CQ, b.ctx} {
			e.close(object)
		}
		a.unanswered()
	})
}

func sevenRetries(e *env) {
	c := conf()
	c.retry, c.timeout = 7, 8
	a, b := e.inState(c, verbs.QPReset)
	a.enter(verbs.QPRTS, b)
	b.to(verbs.QPReset, a)
	a.post(send{id: 1}.toward(b, 0))
	limit := patience
	if e.quirk("Q11") {
		limit = time.Second
	}
	gaveUp := until(limit, func() bool {
		n, err := a.sendCQ.Poll(a.sendCQ.wc[:1])
		e.ok(err)
		return n == 1 && a.sendCQ.wc[0].Status == verbs.WCRetryExcErr
	})
	agree(e, "Q11", "the requester gave up", gaveUp, true, false)
}

func timeoutForEver(e *env) {
	c := conf()
	c.timeout, c.retry = 0, 0
	a, b := e.pair(c)
	b.to(verbs.QPReset, a)
	a.post(send{id: 1, flags: signaled}.toward(b, 0))
	for range 8 {
		a.sendCQ.staysEmpty()
	}
	a.isIn(verbs.QPRTS)
}
