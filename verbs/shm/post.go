package shm

import (
	"fmt"
	"syscall"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// PostSend executes the list in the calling thread, as far as it can proceed at
// once; the rest waits, see queue.go.
func (q *qp) PostSend(wr *verbs.SendWR) (*verbs.SendWR, error) {
	q.prefetch(wr)
	if !q.tryLock() { // which is inlined
		q.lock()
	}
	var errno syscall.Errno
	var why string
	if wr != nil && wr.Opcode != verbs.OpSend {
		wr = q.rdmaAgain(wr)
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

// postList executes or queues the requests of a list, up to the first that is refused, which it
// returns.
func (q *qp) postList(wr *verbs.SendWR) (bad *verbs.SendWR, errno syscall.Errno, why string) {
	for wr != nil {
		if rest := q.again(wr); rest != wr {
			wr = rest
			continue
		}
		if !q.known.current() {
			q.endRun()
			q.renew()
		}
		if errno, why = q.refuse(wr); errno != 0 {
			return wr, errno, why
		}
		q.posted++
		q.post(wr)
		wr = wr.Next
	}
	return nil, 0, ""
}

// post executes the request that was posted last, or queues it.
func (q *qp) post(wr *verbs.SendWR) {
	alone := q.pendHead == q.pendTail && q.known.state == verbs.QPRTS
	if !(alone && q.prompt) && !q.atOnce(wr, alone) {
		return
	}
	if out, status := q.execute(wr, q.posted-1); out != done {
		q.startWaiting(wr, out)
	} else {
		q.finish(wr, q.posted-1, status)
	}
}

// sendRoom counts the free places of the send queue.
func (q *qp) sendRoom() uint32 { return uint32(q.cap.MaxSendWR) - (q.posted - q.sendDone.Load()) }

// refuse tells what is wrong with a request that cannot even be queued.
func (q *qp) refuse(wr *verbs.SendWR) (syscall.Errno, string) {
	switch {
	case q.known.state > verbs.QPRTS && q.closed.Load():
		return ebadf, closedText
	case q.known.state < verbs.QPRTS:
		return einval, "QP is in " + q.known.state.String() + "; it sends from RTS on"
	case q.ops>>wr.Opcode&1 == 0:
		return einval, "opcode " + wr.Opcode.String() + " is not legal on " + q.typ.String()
	case wrongList(wr.SGList, wr.NumSGE, q.cap.MaxSendSGE):
		return einval, listText(wr.NumSGE, q.cap.MaxSendSGE, "max_send_sge")
	case q.sendRoom() == 0:
		return enomem, "send queue is full: poll completions first"
	case opsFetch>>wr.Opcode&1 != 0:
		return q.refuseFetch(wr)
	case wr.SendFlags&verbs.SendInline != 0:
		return q.refuseInline(sgesOf(wr.SGList, wr.NumSGE))
	}
	return 0, ""
}

// wrongList tells whether a request of a queue has a list of SGEs that cannot be read, or more of
// them than the queue takes.
func wrongList(list *verbs.SGE, n int32, most int) bool {
	return n < 0 || int(n) > most || n > 0 && list == nil
}

// listText says what is wrong with such a list. The limit is the name of most.
func listText(n int32, most int, limit string) string {
	if n < 0 || int(n) > most {
		return fmt.Sprintf("num_sge %d: 0 to %s, which is %d", n, limit, most)
	}
	return fmt.Sprintf("num_sge %d, but sg_list is nil", n)
}

// refuseInline tells what is wrong with a request's inline data.
func (q *qp) refuseInline(sges []verbs.SGE) (syscall.Errno, string) {
	if total(sges) > uint64(q.cap.MaxInlineData) {
		return einval, "inline data exceeds max_inline_data"
	}
	for i := range sges {
		if s := &sges[i]; s.Length > 0 && !addressable(s.Addr) {
			return efault, fmt.Sprintf("sg_list[%d]: no process has memory at address %#x", i, s.Addr)
		}
	}
	return 0, ""
}

// refuseFetch tells what is wrong with a READ or an atomic operation.
func (q *qp) refuseFetch(wr *verbs.SendWR) (syscall.Errno, string) {
	addr, _ := wr.RDMA() // an atomic operation has it in the same place
	atomic := wr.Opcode != verbs.OpRDMARead
	switch {
	case wr.SendFlags&verbs.SendInline != 0:
		return einval, wr.Opcode.String() + " brings data here and cannot be inline"
	case q.attr.MaxRdAtomic == 0:
		return einval, wr.Opcode.String() + " needs max_rd_atomic above 0"
	case atomic && addr%wordSize != 0:
		return einval, wr.Opcode.String() + " needs a remote address that is a multiple of 8"
	case atomic && total(sgesOf(wr.SGList, wr.NumSGE)) != wordSize:
		return einval, wr.Opcode.String() + " needs local memory of 8 bytes"
	}
	return 0, ""
}

func total(sges []verbs.SGE) (n uint64) {
	for i := range sges {
		n += uint64(sges[i].Length)
	}
	return n
}

// atOnce tells whether the request that was posted last is to be executed at once. Otherwise
// it has been flushed, or queued.
func (q *qp) atOnce(wr *verbs.SendWR, alone bool) bool {
	switch state := q.known.state; {
	case state >= verbs.QPSQE:
		q.flushPending() // older work that waits: the thread that failed the QP has not come to it yet
		q.finish(wr, q.posted-1, verbs.WCWRFlushErr)
		return false
	case q.ctx.dev.delays():
		w := q.enqueue(wr)
		w.delayed, w.notBefore = true, time.Now().Add(q.delay(w.number))
		q.ctx.engine.add(q)
		return false
	case state == verbs.QPRTS && q.overtake(wr):
		return false
	case alone && !q.engineOnly(wr):
		return true
	}
	late := q.lateLast()
	q.enqueue(wr)
	if late {
		q.proceed(true)
	}
	q.ctx.engine.add(q)
	return false
}

// startWaiting queues a request that could not be finished at once.
func (q *qp) startWaiting(wr *verbs.SendWR, out outcome) {
	if status := q.wait(q.enqueue(wr), out); status != verbs.WCSuccess {
		q.pendHead++
		q.finish(wr, q.posted-1, status)
		return
	}
	q.ctx.engine.add(q)
}

// finish completes a request: with a completion if it was asked for or if the
// request failed. A failure breaks the connection, but of types without
// acknowledgements only the send queue.
func (q *qp) finish(wr *verbs.SendWR, number uint32, status verbs.WCStatus) {
	if status == verbs.WCSuccess && !q.sigAll && wr.SendFlags&verbs.SendSignaled == 0 {
		return
	}
	e := ownWC{places: &q.sendDone, sends: number + 1, send: true}
	e.wc = verbs.WC{WRID: wr.WRID, Status: status, QPNum: q.num, Opcode: sendOpcodes[wr.Opcode]}
	if opsFetch>>wr.Opcode&1 != 0 {
		e.wc.ByteLen = uint32(total(sgesOf(wr.SGList, wr.NumSGE)))
	}
	switch {
	case status == verbs.WCSuccess || status == verbs.WCWRFlushErr:
	case q.unreliable():
		q.setState(verbs.QPSQE)
	default:
		q.then |= endQP
		q.setState(verbs.QPErr)
	}
	q.sendCQ.push(&e, status != verbs.WCSuccess)
}

// The opcodes of completions, of the requester and of the responder.
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
