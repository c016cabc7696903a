package shm

import (
	"syscall"

	"github.com/ibperf/ibperf/verbs"
)

// work is a send request as the requester executes it. What it refers to is the
// caller's memory while it is being posted, and the queue's own copy later.
type work struct {
	wrid   uint64
	place  uint32 // in the send queue
	op     verbs.Opcode
	flags  verbs.SendFlags
	imm    [4]byte
	raddr  uint64   // of UD: the address handle
	rkey   uint32   // of UD: the destination's QP number
	qkey   uint32   // of UD
	srq    uint32   // of XRC
	word   operands // of an atomic operation
	sges   []verbs.SGE
	inline bool   // sges name unregistered memory
	data   []byte // inline data already taken from the caller
}

// PostSend executes the list in the calling thread, as far as it can proceed at
// once; the rest waits, see pending.
func (q *qp) PostSend(wr *verbs.SendWR) (*verbs.SendWR, error) {
	if !q.tryLock() { // which is inlined
		q.lock()
	}
	if wr = q.rush(wr); wr == nil {
		q.leave()
		return nil, nil
	}
	return q.postSlowly(wr)
}

// postSlowly posts requests that the fast path leaves, each with all checks, and
// gives the lock back.
func (q *qp) postSlowly(wr *verbs.SendWR) (*verbs.SendWR, error) {
	var errno syscall.Errno
	var why string
	for ; wr != nil; wr = q.rush(wr.Next) {
		if errno, why = q.refuse(wr); errno != 0 {
			break
		}
		q.take(wr)
		q.start()
	}
	broken, life := q.broken, q.life.Load()
	q.unlock()
	if broken {
		q.fail(life)
	}
	if errno != 0 {
		return wr, q.err("post_send", errno, why)
	}
	return nil, nil
}

// refuse tells what is wrong with a request that cannot even be queued.
func (q *qp) refuse(wr *verbs.SendWR) (syscall.Errno, string) {
	switch s := verbs.QPState(q.state.Load()); {
	case q.closed.Load():
		return ebadf, closedText
	case s < verbs.QPRTS:
		return einval, "QP is in " + s.String() + "; it sends from RTS on"
	case q.ops>>wr.Opcode&1 == 0:
		return einval, "opcode " + wr.Opcode.String() + " is not legal on " + q.typ.String()
	case wr.NumSGE < 0 || int(wr.NumSGE) > q.cap.MaxSendSGE:
		return einval, "num_sge exceeds max_send_sge"
	case q.posted-q.sendDone.Load() >= uint32(q.cap.MaxSendWR):
		return enomem, "send queue is full: poll completions first"
	case opsFetch>>wr.Opcode&1 != 0:
		return q.refuseFetch(wr)
	case wr.SendFlags&verbs.SendInline != 0 && total(sgesOf(wr.SGList, wr.NumSGE)) > uint64(q.cap.MaxInlineData):
		return einval, "inline data exceeds max_inline_data"
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

// take makes the request the one at hand.
func (q *qp) take(wr *verbs.SendWR) {
	w := &q.now
	w.wrid, w.place, w.op, w.flags, w.imm = wr.WRID, q.posted, wr.Opcode, wr.SendFlags, wr.Imm
	w.raddr, w.rkey = wr.RDMA()
	if opsAtomic>>w.op&1 != 0 {
		w.raddr, w.rkey, w.word.compareAdd, w.word.swap = wr.Atomic()
	} else if q.typ == verbs.QPTypeUD {
		w.raddr, w.rkey, w.qkey = wr.UD()
	}
	if q.typ == verbs.QPTypeXRCSend {
		w.srq = wr.XRC()
	}
	w.sges, w.inline, w.data = sgesOf(wr.SGList, wr.NumSGE), wr.SendFlags&verbs.SendInline != 0, nil
	q.posted++
}

// start executes the request at hand, or queues it behind work that waits.
func (q *qp) start() {
	state := verbs.QPState(q.state.Load())
	if state >= verbs.QPSQE {
		q.flushPending() // older work that waits: the thread that failed the QP has not come to it yet
		q.finish(&q.now, verbs.WCWRFlushErr)
		return
	}
	if state == verbs.QPRTS && q.reorders() && q.overtake() {
		return
	}
	if q.now.op == verbs.OpRDMARead && q.ctx.dev.place != ascending {
		q.enqueue(&q.now)
		q.ctx.engine.wake(q)
		return
	}
	if q.pendHead != q.pendTail || state != verbs.QPRTS {
		late := q.lateLast()
		q.enqueue(&q.now)
		if late {
			q.progressLocked(true)
		}
		q.ctx.engine.watch(q)
		return
	}
	out, status := q.execute(&q.now)
	for out == unanswered && q.answerSoon() {
		out, status = q.execute(&q.now)
	}
	if out == done {
		q.finish(&q.now, status)
		return
	}
	p := q.enqueue(&q.now)
	if status = q.wait(p, out); status != verbs.WCSuccess {
		q.pendHead++
		q.finish(&p.work, status)
		return
	}
	if q.sendCQ.bell.armed() {
		q.ctx.engine.wake(q)
	} else {
		q.ctx.engine.watch(q)
	}
}

// finish completes a request: with a completion if it was asked for or if the
// request failed. A failure breaks the connection, but of types without
// acknowledgements only the send queue.
func (q *qp) finish(w *work, status verbs.WCStatus) {
	if status == verbs.WCSuccess && !q.sigAll && w.flags&verbs.SendSignaled == 0 {
		return
	}
	e := q.sent(w.place, w.wrid, w.op, status, total(w.sges))
	if status != verbs.WCSuccess {
		q.failed(status)
	}
	q.sendCQ.push(&e, status != verbs.WCSuccess)
}

// failed changes the state after a request that failed.
func (q *qp) failed(status verbs.WCStatus) {
	switch {
	case status == verbs.WCWRFlushErr:
	case q.unreliable():
		q.setState(verbs.QPSQE)
	default:
		q.broken = true
		q.setState(verbs.QPErr)
	}
}

// The opcodes of completions, of the requester and of the responder.
var sendOpcodes = [...]verbs.WCOpcode{
	verbs.OpRDMAWrite:        verbs.WCRDMAWrite,
	verbs.OpRDMAWriteWithImm: verbs.WCRDMAWrite,
	verbs.OpSend:             verbs.WCSend,
	verbs.OpSendWithImm:      verbs.WCSend,
	verbs.OpRDMARead:         verbs.WCRDMARead,

	verbs.OpAtomicCmpAndSwp:   verbs.WCCompSwap,
	verbs.OpAtomicFetchAndAdd: verbs.WCFetchAdd,
}

var recvOpcodes = [...]verbs.WCOpcode{
	verbs.OpRDMAWriteWithImm: verbs.WCRecvRDMAWithImm,
	verbs.OpSend:             verbs.WCRecv,
	verbs.OpSendWithImm:      verbs.WCRecv,
}
