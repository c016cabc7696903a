package shm

import (
	"fmt"
	"syscall"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// PostSend executes the list in the calling thread. Requests that cannot execute now wait in the
// send queue; see send_queue.go.
func (q *qp) PostSend(wr *verbs.SendWR) (*verbs.SendWR, error) {
	q.prefetch(wr)
	if !q.tryLock() { // tryLock is inlined
		q.lock()
	}
	var errno syscall.Errno
	var why string
	if wr != nil && wr.Opcode != verbs.OpSend {
		wr = q.postFastRDMA(wr)
	}
	if wr != nil {
		wr, errno, why = q.postList(wr)
	}
	q.unlock()
	if wr != nil {
		return wr, q.err("post_send", errno, why)
	}
	return nil, nil
}

// postList executes or queues the requests of a list, up to the first invalid one, which it
// returns.
func (q *qp) postList(wr *verbs.SendWR) (bad *verbs.SendWR, errno syscall.Errno, why string) {
	for wr != nil {
		if rest := q.postFast(wr); rest != wr {
			wr = rest
			continue
		}
		if !q.cache.valid() {
			q.endBatch()
			q.refreshCache()
		}
		if errno, why = q.checkSend(wr); errno != 0 {
			return wr, errno, why
		}
		q.posted++
		q.post(wr)
		wr = wr.Next
	}
	return nil, 0, ""
}

// post executes or queues the request that was posted last.
func (q *qp) post(wr *verbs.SendWR) {
	unblocked := q.pendHead == q.pendTail && q.cache.state == verbs.QPRTS
	if !(unblocked && q.immediate) && !q.executesNow(wr, unblocked) {
		return
	}
	if out, status := q.execute(wr, q.posted-1); out != done {
		q.startWaiting(wr, out)
	} else {
		q.finish(wr, q.posted-1, status)
	}
}

// sendRoom returns the number of free slots of the send queue.
func (q *qp) sendRoom() uint32 { return uint32(q.cap.MaxSendWR) - (q.posted - q.sendDone.Load()) }

// checkSend returns an error for a request that cannot be queued.
func (q *qp) checkSend(wr *verbs.SendWR) (syscall.Errno, string) {
	switch {
	case q.cache.state > verbs.QPRTS && q.closed.Load():
		return ebadf, closedText
	case q.cache.state < verbs.QPRTS:
		return einval, "QP is in " + q.cache.state.String() + "; requests can be posted from RTS on"
	case q.ops>>wr.Opcode&1 == 0:
		return einval, "opcode " + wr.Opcode.String() + " is not legal on " + q.typ.String()
	case badSGList(wr.SGList, wr.NumSGE, q.cap.MaxSendSGE):
		return einval, sgListError(wr.NumSGE, q.cap.MaxSendSGE, "max_send_sge")
	case q.sendRoom() == 0:
		return enomem, "send queue is full: poll completions first"
	case opsFetch>>wr.Opcode&1 != 0:
		return q.checkFetch(wr)
	case wr.SendFlags&verbs.SendInline != 0:
		return q.checkInline(sgesOf(wr.SGList, wr.NumSGE))
	}
	return 0, ""
}

// badSGList reports whether a request's list of SGEs is missing or longer than the queue allows.
func badSGList(list *verbs.SGE, n int32, limit int) bool {
	return n < 0 || int(n) > limit || n > 0 && list == nil
}

// sgListError describes the error in such a list. limitName is the name of the limit's attribute.
func sgListError(n int32, limit int, limitName string) string {
	if n < 0 || int(n) > limit {
		return fmt.Sprintf("num_sge %d: 0 to %s, which is %d", n, limitName, limit)
	}
	return fmt.Sprintf("num_sge %d, but sg_list is nil", n)
}

// checkInline returns an error for invalid inline data.
func (q *qp) checkInline(sges []verbs.SGE) (syscall.Errno, string) {
	if totalLength(sges) > uint64(q.cap.MaxInlineData) {
		return einval, "inline data exceeds max_inline_data"
	}
	for i := range sges {
		if s := &sges[i]; s.Length > 0 && !addressable(s.Addr) {
			return efault, fmt.Sprintf("sg_list[%d]: no process has memory at address %#x", i, s.Addr)
		}
	}
	return 0, ""
}

// checkFetch returns an error for an invalid READ or atomic operation.
func (q *qp) checkFetch(wr *verbs.SendWR) (syscall.Errno, string) {
	addr, _ := wr.RDMA() // an atomic operation has its address in the same field
	atomic := wr.Opcode != verbs.OpRDMARead
	switch {
	case wr.SendFlags&verbs.SendInline != 0:
		return einval, wr.Opcode.String() + " stores data locally and cannot be inline"
	case q.attr.MaxRdAtomic == 0:
		return einval, wr.Opcode.String() + " needs max_rd_atomic above 0"
	case atomic && addr%wordSize != 0:
		return einval, wr.Opcode.String() + " needs a remote address that is a multiple of 8"
	case atomic && totalLength(sgesOf(wr.SGList, wr.NumSGE)) != wordSize:
		return einval, wr.Opcode.String() + " needs local memory of 8 bytes"
	}
	return 0, ""
}

func totalLength(sges []verbs.SGE) (n uint64) {
	for i := range sges {
		n += uint64(sges[i].Length)
	}
	return n
}

// executesNow reports whether the request that was posted last can execute now. If not, it has
// queued or flushed the request.
func (q *qp) executesNow(wr *verbs.SendWR, unblocked bool) bool {
	if len(q.unseen) > 0 {
		q.storeUnseenBefore(wr)
	}
	switch state := q.cache.state; {
	case state >= verbs.QPSQE:
		q.flushPending() // older pending requests: the thread that moved the QP to ERR has not flushed them yet
		q.finish(wr, q.posted-1, verbs.WCWRFlushErr)
		return false
	case q.ctx.dev.delays():
		w := q.enqueue(wr)
		w.delayed, w.notBefore = true, time.Now().Add(q.drawDelay(w.number))
		q.ctx.engine.addPending(q)
		return false
	case state == verbs.QPRTS && (q.completeEarly(wr) || q.overtake(wr)):
		return false
	case unblocked && !q.engineOnly(wr):
		return true
	}
	late := q.tailOvertakable()
	q.enqueue(wr)
	if late {
		q.progress(true)
	}
	q.ctx.engine.addPending(q)
	return false
}

// startWaiting queues a request whose first attempt did not finish.
func (q *qp) startWaiting(wr *verbs.SendWR, out outcome) {
	if status := q.startWait(q.enqueue(wr), out); status != verbs.WCSuccess {
		q.pendHead++
		q.finish(wr, q.posted-1, status)
		return
	}
	q.ctx.engine.addPending(q)
}

// finish completes a request. It adds a completion if the request is signaled or has failed. A
// failure breaks the connection; for unreliable types only the send queue stops.
func (q *qp) finish(wr *verbs.SendWR, number uint32, status verbs.WCStatus) {
	if status == verbs.WCSuccess && !q.sigAll && wr.SendFlags&verbs.SendSignaled == 0 {
		return
	}
	e := ringWC{counter: &q.sendDone, sendCount: number + 1, send: true}
	e.wc = verbs.WC{WRID: wr.WRID, Status: status, QPNum: q.num, Opcode: sendOpcodes[wr.Opcode]}
	if opsFetch>>wr.Opcode&1 != 0 {
		e.wc.ByteLen = uint32(totalLength(sgesOf(wr.SGList, wr.NumSGE)))
	}
	switch {
	case status == verbs.WCSuccess || status == verbs.WCWRFlushErr:
	case q.unreliable():
		q.setState(verbs.QPSQE)
	default:
		q.afterUnlock |= failQP
		q.setState(verbs.QPErr)
	}
	q.sendCQ.push(&e, status != verbs.WCSuccess)
}

// Opcodes of completions at the requester and the responder.
var sendOpcodes = [...]verbs.WCOpcode{
	verbs.OpRDMAWrite:        verbs.WCRDMAWrite,
	verbs.OpRDMAWriteWithImm: verbs.WCRDMAWrite,
	verbs.OpSend:             verbs.WCSend,
	verbs.OpSendWithImm:      verbs.WCSend,
	verbs.OpSendWithInv:      verbs.WCSend,
	verbs.OpRDMARead:         verbs.WCRDMARead,

	verbs.OpAtomicCmpAndSwp:   verbs.WCCompSwap,
	verbs.OpAtomicFetchAndAdd: verbs.WCFetchAdd,

	verbs.OpBindMW:   verbs.WCBindMW,
	verbs.OpLocalInv: verbs.WCLocalInv,
}

var recvOpcodes = [...]verbs.WCOpcode{
	verbs.OpRDMAWriteWithImm: verbs.WCRecvRDMAWithImm,
	verbs.OpSend:             verbs.WCRecv,
	verbs.OpSendWithImm:      verbs.WCRecv,
	verbs.OpSendWithInv:      verbs.WCRecv,
}
