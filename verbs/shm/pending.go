package shm

import (
	"sync/atomic"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// pending is a request that waits in the send queue: for its turn, for a
// receive of the peer's, or for the peer to answer.
type pending struct {
	work
	sgeCopy   []verbs.SGE
	dataCopy  []byte
	notBefore time.Time
	rnrLeft   int // RNR retries
	left      int // timeouts
	tried     bool
	asked     bool      // waits for a note
	rnr       bool      // waits for a receive
	inquiring bool      // waits for an answer
	since     time.Time // when the first answer was waited for
	late      bool      // a WRITE that later ones may overtake, or that has overtaken one
	placed    bool      // that has
}

func (q *qp) slot(i uint32) *pending { return &q.pend[i&uint32(len(q.pend)-1)] }

// enqueue copies the request into the queue.
func (q *qp) enqueue(w *work) *pending {
	if q.pend == nil {
		q.pend = make([]pending, ringSize(max(q.cap.MaxSendWR, 1)))
	}
	p := q.slot(q.pendTail)
	q.pendTail++
	q.pass.valid = false // what is posted now waits its turn
	p.work, p.tried, p.asked, p.rnr, p.inquiring, p.late, p.placed = *w, false, false, false, false, false, false
	p.notBefore, p.since = time.Time{}, time.Time{}
	p.sgeCopy = append(p.sgeCopy[:0], w.sges...)
	p.sges = p.sgeCopy
	if w.inline {
		p.dataCopy = p.dataCopy[:0]
		for _, s := range w.sges {
			p.dataCopy = append(p.dataCopy, memoryAt(s.Addr, s.Length)...)
		}
		p.data = p.dataCopy
	}
	return p
}

// wait notes what the request waits for and until when. It returns the status
// with which the request ends if all its retries are spent.
func (q *qp) wait(p *pending, out outcome) verbs.WCStatus {
	now := time.Now()
	p.rnr, p.inquiring = out == notReady, out == unanswered
	if p.inquiring {
		return q.waitForAnswer(p, now)
	}
	if p.asked = out == asked; p.asked {
		p.notBefore = now.Add(noteDelay)
		return verbs.WCSuccess
	}
	if !p.tried {
		p.tried, p.rnrLeft, p.left = true, int(q.attr.RNRRetry), int(q.attr.RetryCnt)
		if out == silent {
			p.notBefore = now.Add(ackTimeout(q.attr.Timeout))
			return verbs.WCSuccess
		}
	}
	if out == notReady {
		if p.rnrLeft == 0 {
			return verbs.WCRNRRetryExcErr
		}
		if q.attr.RNRRetry != 7 {
			p.rnrLeft--
		}
		p.notBefore = now.Add(rnrDelay(atomic.LoadUint32(&q.peer.entry.minRNRTimer)))
		return verbs.WCSuccess
	}
	if p.left == 0 && q.attr.Timeout != 0 {
		return verbs.WCRetryExcErr
	}
	p.left--
	p.notBefore = now.Add(ackTimeout(q.attr.Timeout))
	return verbs.WCSuccess
}

// waitForAnswer lets the request wait as long as the QP's retries take, and a slow process
// may take.
func (q *qp) waitForAnswer(p *pending, now time.Time) verbs.WCStatus {
	if p.since.IsZero() {
		p.since = now
	}
	retries := time.Duration(q.attr.RetryCnt+1) * ackTimeout(q.attr.Timeout)
	if q.attr.Timeout != 0 && now.Sub(p.since) > max(retries, answerLimit) {
		return verbs.WCRetryExcErr
	}
	if q.inquiry != nil { // a peer that is short is asked anew at the next look
		q.remote.Load().wakes(q, q.inquiry)
	}
	p.notBefore = now.Add(answerLook)
	return verbs.WCSuccess
}

// noteDelay is how long a request waits for a note before it looks whether the
// peer is still there.
const noteDelay = 10 * time.Millisecond

// ackTimeout is 4.096 µs * 2^code; code 0 means for ever, looked at now and then.
func ackTimeout(code uint8) time.Duration {
	if code == 0 {
		return 10 * time.Millisecond
	}
	return 4096 * time.Nanosecond << code
}

// rnrDelays is the IBTA's table of RNR NAK timer codes, in units of 10 µs.
var rnrDelays = [32]time.Duration{
	65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192,
	256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152,
}

func rnrDelay(code uint32) time.Duration { return rnrDelays[code%32] * 10 * time.Microsecond }

// progress executes what waits, as far as it can proceed. It returns when to look
// again, the zero time if nothing waits. ok is false if another thread is at work on
// the QP: it may have been stopped in favour of this one. The thread is one that polls,
// or the engine's.
func (q *qp) progress(polls bool) (again time.Time, ok bool) {
	if !q.tryLock() {
		return again, false
	}
	again = q.progressLocked(polls)
	broken, life := q.broken, q.life.Load()
	q.unlock()
	if broken {
		q.fail(life)
	}
	return again, true
}

func (q *qp) progressLocked(polls bool) time.Time {
	for q.goesOn() {
		p := q.slot(q.pendHead)
		if !q.due(p, polls) {
			return p.notBefore
		}
		out, status := done, verbs.WCSuccess
		if !p.placed {
			p.late = false
			out, status = q.execute(&p.work)
		}
		if out != done {
			if status = q.wait(p, out); status == verbs.WCSuccess {
				return p.notBefore
			}
		}
		q.pendHead++
		q.finish(&p.work, status)
	}
	if verbs.QPState(q.state.Load()) == verbs.QPSQE {
		q.flushPending()
	}
	q.endDrain()
	return time.Time{}
}

// due tells whether the first request may be tried: its time has come, or what it
// waits for. A receive that is posted ends the wait for it at once, as the credits
// of RC's end-to-end flow control do. A late WRITE waits no longer once somebody polls or
// a request comes that takes its turn.
func (q *qp) due(p *pending, polls bool) bool {
	switch {
	case polls && q.engineOnly(p):
		return false
	case p.late && (polls || !q.lateLast()):
		return true
	case p.asked && q.answered(), p.inquiring && q.inquiry != nil && q.inquiry.hasEnded():
		return true
	case p.rnr && q.peer != nil && q.peer.hasReceive():
		return true
	}
	return !p.notBefore.After(time.Now())
}

// goesOn tells whether the first request that waits may proceed: in SQD only one
// that had begun before.
func (q *qp) goesOn() bool {
	switch verbs.QPState(q.state.Load()) {
	case verbs.QPRTS:
		return q.pendHead != q.pendTail
	case verbs.QPSQD:
		return q.begun()
	}
	return false
}

// begun tells whether the first request that waits has been tried, waits for an answer, or
// is overtaken.
func (q *qp) begun() bool {
	if q.pendHead == q.pendTail {
		return false
	}
	p := q.slot(q.pendHead)
	return p.tried || p.inquiring || p.late
}

// engineOnly tells whether the request is a READ of a device that shuffles. Threads that
// poll leave it to the engine: they are its readers, who must be able to look meanwhile.
func (q *qp) engineOnly(p *pending) bool {
	return p.op == verbs.OpRDMARead && q.ctx.dev.place != ascending
}

// endDrain ends the draining when no request is under way, and says so if it was asked to.
func (q *qp) endDrain() {
	if !q.draining || q.begun() {
		return
	}
	q.draining = false
	if q.attr.EnSQDNotify {
		q.raise(verbs.EventSQDrained)
	}
}

func (q *qp) drains() bool {
	q.lock()
	defer q.unlock()
	return q.draining
}

// flushPending completes everything that waits with WR_FLUSH_ERR.
func (q *qp) flushPending() {
	for ; q.pendHead != q.pendTail; q.pendHead++ {
		q.finish(&q.slot(q.pendHead).work, verbs.WCWRFlushErr)
	}
}
