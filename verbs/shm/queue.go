package shm

import (
	"sync/atomic"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// waiting is a request that waits in the send queue: for its turn, for a
// receive of the peer's, or for the peer to be there.
type waiting struct {
	wr        verbs.SendWR // its SGEs are sges
	number    uint32
	sges      []verbs.SGE
	data      []byte // inline data
	why       outcome
	notBefore time.Time
	delayed   bool // until notBefore
	tried     bool
	rnrLeft   int       // RNR retries
	left      int       // timeouts
	since     time.Time // when the process first lacked something, or requesters were at work
	late      bool      // a WRITE that later ones may overtake, or that has overtaken one
	placed    bool      // that has
}

func (q *qp) slot(i uint32) *waiting { return &q.pend[i&uint32(len(q.pend)-1)] }

// enqueue copies the request that was posted last into the queue.
func (q *qp) enqueue(wr *verbs.SendWR) *waiting {
	if q.pend == nil {
		q.pend = make([]waiting, ringSize(max(q.cap.MaxSendWR, 1)))
	}
	w := q.slot(q.pendTail)
	q.pendTail++
	*w = waiting{wr: *wr, number: q.posted - 1, sges: append(w.sges[:0], sgesOf(wr.SGList, wr.NumSGE)...), data: w.data[:0]}
	if wr.SendFlags&verbs.SendInline != 0 {
		for _, s := range w.sges {
			w.data = append(w.data, memoryAt(s.Addr, s.Length)...)
		}
		w.sges = append(w.sges[:0], verbs.SGE{Addr: addressOf(w.data), Length: uint32(len(w.data))})
	}
	w.wr.Next, w.wr.SGList, w.wr.NumSGE = nil, nil, int32(len(w.sges))
	if len(w.sges) > 0 {
		w.wr.SGList = &w.sges[0]
	}
	return w
}

// Times after which a request that waits looks again.
const (
	receiveLook = 20 * time.Microsecond // for a shared receive
	leavingLook = 20 * time.Microsecond // whether requesters are out
	lackingLook = 10 * time.Millisecond // whether there are descriptors again
	lackingMost = 5 * time.Second       // for which it looks, at least
)

// wait notes what the request waits for and until when. It returns the status
// with which the request ends if all its retries are spent.
func (q *qp) wait(w *waiting, out outcome) verbs.WCStatus {
	now := time.Now()
	first := !w.tried
	w.why, w.tried = out, true
	if first {
		w.rnrLeft, w.left = int(q.attr.RNRRetry), int(q.attr.RetryCnt)
	}
	switch out {
	case asked:
		w.notBefore = now.Add(receiveLook)
	case lacking:
		return q.waitLacking(w, now, lackingLook)
	case leaving:
		return q.waitLacking(w, now, leavingLook)
	case notReady:
		if w.rnrLeft == 0 {
			return verbs.WCRNRRetryExcErr
		}
		if q.attr.RNRRetry != 7 {
			w.rnrLeft--
		}
		w.notBefore = now.Add(rnrDelay(atomic.LoadUint32(&q.peer.entry.minRNRTimer)))
	default:
		if !first {
			if w.left == 0 && q.attr.Timeout != 0 {
				return verbs.WCRetryExcErr
			}
			w.left--
		}
		w.notBefore = now.Add(ackTimeout(q.attr.Timeout))
	}
	return verbs.WCSuccess
}

// waitLacking lets the request wait as long as the QP's retries take, and other parts of the
// process may take to give descriptors back.
func (q *qp) waitLacking(w *waiting, now time.Time, look time.Duration) verbs.WCStatus {
	if w.since.IsZero() {
		w.since = now
	}
	retries := time.Duration(q.attr.RetryCnt+1) * ackTimeout(q.attr.Timeout)
	if q.attr.Timeout != 0 && now.Sub(w.since) > max(retries, lackingMost) {
		q.leaving = nil
		return verbs.WCRetryExcErr
	}
	w.notBefore = now.Add(look)
	return verbs.WCSuccess
}

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
	again = q.proceed(polls)
	q.unlock()
	return again, true
}

func (q *qp) proceed(polls bool) time.Time {
	for q.goesOn() {
		w := q.slot(q.pendHead)
		if !q.due(w, polls) {
			return w.notBefore
		}
		status := verbs.WCSuccess
		if !w.placed {
			w.late = false
			w.delayed = false
			if !q.known.current() {
				q.endRun()
				q.renew()
			}
			var out outcome
			if _, n := q.sendsAgain(&w.wr, w.number, 1); n > 0 {
				q.pendHead++
				continue
			}
			if out, status = q.execute(&w.wr, w.number); out != done {
				if status = q.wait(w, out); status == verbs.WCSuccess {
					return w.notBefore
				}
			}
		}
		q.pendHead++
		q.finish(&w.wr, w.number, status)
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
func (q *qp) due(w *waiting, polls bool) bool {
	switch {
	case polls && q.engineOnly(&w.wr):
		return false
	case w.delayed:
	case w.late && (polls || !q.lateLast()):
		return true
	case (w.why == notReady || w.why == asked) && q.peer != nil && (q.peer.hasReceive() || w.why == asked && q.peer.none(w.wr.XRC())):
		return true
	}
	return !w.notBefore.After(time.Now())
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

// begun tells whether the first request that waits has been tried, or is overtaken.
func (q *qp) begun() bool {
	if q.pendHead == q.pendTail {
		return false
	}
	w := q.slot(q.pendHead)
	return w.tried || w.late
}

// engineOnly tells whether the request is a READ of a device that shuffles. Threads that
// poll leave it to the engine: they are its readers, who must be able to look meanwhile.
func (q *qp) engineOnly(wr *verbs.SendWR) bool {
	return wr.Opcode == verbs.OpRDMARead && q.ctx.dev.place != ascending
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

// flushPending completes everything that waits with WR_FLUSH_ERR, but for a request that is done.
func (q *qp) flushPending() {
	if len(q.leaving) > 0 {
		if w := q.slot(q.pendHead); q.allOut() {
			q.pendHead++
			q.finish(&w.wr, w.number, verbs.WCSuccess)
		}
		q.leaving = nil
	}
	for ; q.pendHead != q.pendTail; q.pendHead++ {
		w := q.slot(q.pendHead)
		q.finish(&w.wr, w.number, verbs.WCWRFlushErr)
	}
}
