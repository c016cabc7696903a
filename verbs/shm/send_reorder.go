package shm

import (
	"slices"
	"sync/atomic"
	"time"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/internal/store"
)

// Requests that overtake each other. No device promises an order among requests before one of them has completed, except what the
// InfiniBand specification requires (volume 1, 9.5 and 10.8.3.3).
//
// A WRITE or SEND may be late, on shm_whole only if an option says so: it waits in the send queue while later WRITEs execute, whose
// completions wait for it. All other requests keep their order: SENDs, WRITEs with immediate data, READs and atomic operations find
// the data of all earlier requests in place. WRITEs to overlapping memory also keep their order, so that the last one prevails. A
// late request executes when the application polls, when a request follows that keeps its order, or in the engine some time later.
//
// On all devices that shuffle, the result of a READ or an atomic operation is late: the operation executes at the peer when it is
// posted, and its data is stored locally by the engine, that of an atomic operation also by a poll. A request after it that has no
// fence may execute before that, and reads its local memory without the result.
const (
	maxOvertaken  = 16                    // limit of requests in a send queue that begins with a late one
	maxLateness   = 20 * time.Microsecond // after which the engine executes it, within a tick
	maxLateResult = 4096                  // bytes of a READ whose result may be late
)

// opsLate are the opcodes that may be late.
const opsLate = opsSend | opsWrite

// overtake handles the request that was posted last if it is late, or may overtake late ones, and reports whether it has. A request
// that keeps its order is left to the caller.
func (q *qp) overtake(wr *verbs.SendWR) bool {
	before, fetches := q.pendTail-q.pendHead, opsFetch>>wr.Opcode&1 != 0
	switch {
	case q.typ == verbs.QPTypeUD || before >= maxOvertaken:
		return false
	case fetches && q.ctx.dev.placement == ascending || !fetches && (q.ctx.dev.late == 0 || opsLate>>wr.Opcode&1 == 0):
		return false
	}
	late := !fetches && q.draws(q.posted-1, q.ctx.dev.late)
	if before == 0 && !late && !fetches || !q.mayOvertake(wr, late) {
		return false
	}
	w := q.enqueue(wr)
	switch {
	case fetches:
		w.fetched = q.fetch(w)
		w.overtakable = w.fetched
	case late:
		w.overtakable, w.notBefore = true, time.Now().Add(maxLateness)
	default:
		w.stored = q.executeEarly(w)
		w.overtakable = w.stored
	}
	if before+1 == maxOvertaken {
		q.progress(true)
	}
	q.ctx.engine.addPending(q)
	return true
}

// tailOvertakable reports whether the send queue ends with a request that others may overtake, or that has overtaken others.
func (q *qp) tailOvertakable() bool {
	return q.pendHead != q.pendTail && q.pendingAt(q.pendTail-1).overtakable
}

// draws reports whether the request with the number is one of those that one in n is, according to the seed.
func (q *qp) draws(number uint32, n int) bool {
	s := q.shuffler.Of(^uint64(number)) // distinct from the shuffler that stores the data
	return s.OneIn(n)
}

// mayOvertake reports whether a request may execute before the pending ones, or may be late behind them.
func (q *qp) mayOvertake(wr *verbs.SendWR, late bool) bool {
	for i := q.pendHead; i != q.pendTail; i++ {
		switch w := q.pendingAt(i); {
		case w.stored:
		case w.fetched:
			if wr.SendFlags&verbs.SendFence != 0 {
				return false
			}
		case !w.overtakable || wr.Opcode != verbs.OpRDMAWrite || !late && q.overlap(&w.wr, wr):
			return false
		}
	}
	return true
}

// overlap reports whether a late request and a WRITE go to memory that overlaps, perhaps through different regions with other
// addresses. A request whose memory is in no region counts as overlapping; that of a SEND is the peer's receive.
func (q *qp) overlap(late, wr *verbs.SendWR) bool {
	if opsSend>>late.Opcode&1 != 0 {
		return false
	}
	x, ok1 := q.remoteSpan(late)
	y, ok2 := q.remoteSpan(wr)
	return !ok1 || !ok2 || x.overlaps(y)
}

// span is memory of the peer: the bytes from one offset to another of a memfd.
type span struct{ inode, from, to uint64 }

func (s span) overlaps(o span) bool { return s.inode == o.inode && s.from < o.to && o.from < s.to }

// remoteSpan returns the memory that a WRITE goes to. ok is false if the key is of no region, or of
// one that does not contain all of the memory.
func (q *qp) remoteSpan(wr *verbs.SendWR) (s span, ok bool) {
	return q.remoteSpanOf(wr, totalLength(sgesOf(wr.SGList, wr.NumSGE)))
}

// remoteSpanOf is remoteSpan for a WRITE of n bytes.
func (q *qp) remoteSpanOf(wr *verbs.SendWR, n uint64) (s span, ok bool) {
	if n == 0 {
		return s, true
	}
	addr, key := wr.RDMA()
	r, i := q.peerCtx.Load(), keyIndex(key)
	if r == nil || i >= maxMR || key == 0 {
		return s, false
	}
	e := &r.dir.mrs[i]
	exists := atomic.LoadUint32(&e.key) == key
	off, length := addr-atomic.LoadUint64(&e.addr), atomic.LoadUint64(&e.length) // off wraps to a huge value if addr is below
	from := atomic.LoadUint64(&e.offset) + off
	s = span{atomic.LoadUint64(&e.inode), from, from + n}
	return s, exists && off <= length && n <= length-off && atomic.LoadUint32(&e.key) == key
}

// executeEarly executes a WRITE or SEND before the pending requests, and reports whether it succeeded. If not, it has had no effect,
// and fails or waits in its order.
func (q *qp) executeEarly(w *pendingWR) bool {
	q.endBatch()
	k := &opKinds[w.wr.Opcode]
	n, status := q.resolveLocal(&w.wr, k)
	if status != verbs.WCSuccess {
		return false
	}
	out, status := q.executeAtPeer(&w.wr, k, n, w.number)
	if out != done || status != verbs.WCSuccess {
		return false
	}
	if k.takesReceive {
		q.cache.peer.publish(&w.wr, n, status)
	}
	return true
}

// fetch executes a READ or an atomic operation at the peer, keeps the result in w.data, and reports whether it succeeded. If not, it
// has had no effect, and fails or waits in its order.
func (q *qp) fetch(w *pendingWR) bool {
	q.endBatch()
	k := &opKinds[w.wr.Opcode]
	n, status := q.resolveLocal(&w.wr, k)
	if status != verbs.WCSuccess || n > maxLateResult {
		return false
	}
	if out, status := q.resolveAtPeer(&w.wr, k, n, w.number); out != done || status != verbs.WCSuccess {
		return false
	}
	w.data = slices.Grow(w.data[:0], int(n))[:n]
	if k.remote == remoteAtomic {
		q.localMem = append(q.localMem[:0], w.data)
		out, status := q.atomic(&w.wr)
		return out == done && status == verbs.WCSuccess
	}
	if n > 0 {
		store.Ordered(w.data, q.remoteMem[0])
	}
	return true
}

// storeResult stores the result that fetch has kept.
func (q *qp) storeResult(w *pendingWR) verbs.WCStatus {
	k := &opKinds[w.wr.Opcode]
	n, status := q.resolveLocal(&w.wr, k)
	if status != verbs.WCSuccess {
		return status
	}
	if k.remote == remoteAtomic {
		q.storeWord(w.data)
		return verbs.WCSuccess
	}
	q.remoteMem = append(q.remoteMem[:0], w.data)
	_, status = q.copyData(nil, &w.wr, k, n, w.number)
	return status
}
