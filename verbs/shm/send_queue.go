package shm

import (
	"sync/atomic"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// pendingWR is a request that waits in the send queue: for requests before it, for a receive of the
// peer, or for the peer to respond.
type pendingWR struct {
	wr             verbs.SendWR // its SGEs are in sges
	number         uint32
	sges           []verbs.SGE
	data           []byte // copy of inline data
	outcome        outcome
	notBefore      time.Time
	delayed        bool // delay fault: waits until notBefore
	tried          bool
	rnrRetriesLeft int
	retriesLeft    int
	blockedSince   time.Time // when this process first lacked resources, or requesters were still executing
	overtakable    bool      // later requests may overtake it, or it has overtaken others
	stored         bool      // it has overtaken, and its data is stored
	fetched        bool      // its result is in data
}

func (q *qp) pendingAt(i uint32) *pendingWR { return &q.pending[i&uint32(len(q.pending)-1)] }

// enqueue copies the request that was posted last into the queue.
func (q *qp) enqueue(wr *verbs.SendWR) *pendingWR {
	if q.pending == nil {
		q.pending = make([]pendingWR, ringSize(max(q.cap.MaxSendWR, 1)))
	}
	w := q.pendingAt(q.pendTail)
	q.pendTail++
	*w = pendingWR{wr: *wr, number: q.posted - 1, sges: append(w.sges[:0], sgesOf(wr.SGList, wr.NumSGE)...), data: w.data[:0]}
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

// Intervals after which a pending request is tried again.
const (
	srqRetryInterval      = 20 * time.Microsecond // for a receive of an SRQ
	quiesceRetryInterval  = 20 * time.Microsecond // until requesters have left
	resourceRetryInterval = 10 * time.Millisecond // until descriptors and memory are available
	minResourceWait       = 5 * time.Second       // minimum time of these attempts
)

// startWait records what the request waits for and until when. It returns the error status of a
// request that has spent its retries.
func (q *qp) startWait(w *pendingWR, out outcome) verbs.WCStatus {
	now := time.Now()
	first := !w.tried
	w.outcome, w.tried = out, true
	if first {
		w.rnrRetriesLeft, w.retriesLeft = int(q.attr.RNRRetry), int(q.attr.RetryCnt)
	}
	switch out {
	case awaitsSRQ:
		w.notBefore = now.Add(srqRetryInterval)
	case outOfResources:
		return q.waitForResources(w, now, resourceRetryInterval)
	case quiescing:
		return q.waitForResources(w, now, quiesceRetryInterval)
	case rnrNAK:
		if w.rnrRetriesLeft == 0 {
			return verbs.WCRNRRetryExcErr
		}
		if q.attr.RNRRetry != 7 {
			w.rnrRetriesLeft--
		}
		w.notBefore = now.Add(rnrDelay(atomic.LoadUint32(&q.peer.entry.minRNRTimer)))
	default:
		if !first {
			if w.retriesLeft == 0 && q.attr.Timeout != 0 {
				return verbs.WCRetryExcErr
			}
			w.retriesLeft--
		}
		w.notBefore = now.Add(ackTimeout(q.attr.Timeout))
	}
	return verbs.WCSuccess
}

// waitForResources lets the request wait as long as the QP's retries take, and at least as long as
// other parts of the process may take to free descriptors.
func (q *qp) waitForResources(w *pendingWR, now time.Time, interval time.Duration) verbs.WCStatus {
	if w.blockedSince.IsZero() {
		w.blockedSince = now
	}
	retries := time.Duration(q.attr.RetryCnt+1) * ackTimeout(q.attr.Timeout)
	if q.attr.Timeout != 0 && now.Sub(w.blockedSince) > max(retries, minResourceWait) {
		q.quiescing = nil
		return verbs.WCRetryExcErr
	}
	w.notBefore = now.Add(interval)
	return verbs.WCSuccess
}

// ackTimeout returns 4.096 µs * 2^code. Code 0 means no timeout; the request is then tried every 10
// ms.
func ackTimeout(code uint8) time.Duration {
	if code == 0 {
		return 10 * time.Millisecond
	}
	return 4096 * time.Nanosecond << code
}

// rnrDelays is the InfiniBand specification's table of RNR NAK timer codes, in units of 10 µs.
var rnrDelays = [32]time.Duration{
	65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192,
	256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152,
}

func rnrDelay(code uint32) time.Duration { return rnrDelays[code%32] * 10 * time.Microsecond }

// tryProgress executes pending requests until one has to wait. It returns the time of the next
// attempt, or the zero time if none is pending. ok is false if another thread holds the QP's lock;
// that thread may have been preempted by this one. polls reports whether the caller is a polling
// thread, as opposed to the engine.
func (q *qp) tryProgress(polls bool) (next time.Time, ok bool) {
	if !q.tryLock() {
		return next, false
	}
	next = q.progress(polls)
	q.unlock()
	return next, true
}

func (q *qp) progress(polls bool) time.Time {
	var unseenUntil time.Time
	if !polls {
		unseenUntil = q.storeDueUnseen()
	}
	for q.mayProceed() {
		w := q.pendingAt(q.pendHead)
		if !q.due(w, polls) {
			return w.notBefore
		}
		status := verbs.WCSuccess
		if !w.stored {
			w.overtakable = false
			w.delayed = false
			if !q.cache.valid() {
				q.endBatch()
				q.refreshCache()
			}
			var out outcome
			if _, n := q.postFastSends(&w.wr, w.number, 1); n > 0 {
				q.pendHead++
				continue
			}
			if w.fetched {
				status = q.storeResult(w)
			} else if out, status = q.execute(&w.wr, w.number); out != done {
				if status = q.startWait(w, out); status == verbs.WCSuccess {
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
	return unseenUntil
}

// due reports whether the first request may be tried: its time has come, or the event that it waits
// for has happened. A newly posted receive ends an RNR wait at once, like the credits of RC's
// end-to-end flow control. A late WRITE executes when the application polls or a request follows
// that keeps its order.
func (q *qp) due(w *pendingWR, polls bool) bool {
	switch {
	case polls && q.engineOnly(&w.wr):
		return false
	case w.delayed:
	case w.fetched:
		return true
	case w.overtakable && (polls || !q.tailOvertakable()):
		return true
	case (w.outcome == rnrNAK || w.outcome == awaitsSRQ) && q.peer != nil && (q.peer.hasReceive() || w.outcome == awaitsSRQ && q.peer.srqIsEmpty(w.wr.XRC())):
		return true
	}
	return !w.notBefore.After(time.Now())
}

// mayProceed reports whether the first pending request may execute. In SQD only a request that has
// begun may.
func (q *qp) mayProceed() bool {
	switch verbs.QPState(q.state.Load()) {
	case verbs.QPRTS:
		return q.pendHead != q.pendTail
	case verbs.QPSQD:
		return q.headBegun()
	}
	return false
}

// headBegun reports whether the first pending request has been tried or overtaken.
func (q *qp) headBegun() bool {
	if q.pendHead == q.pendTail {
		return false
	}
	w := q.pendingAt(q.pendHead)
	return w.tried || w.overtakable
}

// engineOnly reports whether the request is a READ on a shuffling device. Polling threads leave it
// to the engine, since they must be able to observe the data while it arrives.
func (q *qp) engineOnly(wr *verbs.SendWR) bool {
	return wr.Opcode == verbs.OpRDMARead && q.ctx.dev.placement != ascending
}

// endDrain ends draining when no request has begun, and raises SQ_DRAINED if requested.
func (q *qp) endDrain() {
	if !q.draining || q.headBegun() {
		return
	}
	q.draining = false
	if q.attr.EnSQDNotify {
		q.raise(verbs.EventSQDrained)
	}
}

func (q *qp) isDraining() bool {
	q.lock()
	defer q.unlock()
	return q.draining
}

// flushPending completes all pending requests with WR_FLUSH_ERR, except a first one that has
// already executed.
func (q *qp) flushPending() {
	if len(q.quiescing) > 0 {
		if w := q.pendingAt(q.pendHead); q.quiesced() {
			q.pendHead++
			q.finish(&w.wr, w.number, verbs.WCSuccess)
		}
		q.quiescing = nil
	}
	for ; q.pendHead != q.pendTail; q.pendHead++ {
		w := q.pendingAt(q.pendHead)
		q.finish(&w.wr, w.number, verbs.WCWRFlushErr)
	}
}
