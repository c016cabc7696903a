package shm

import (
	"fmt"
	"runtime"
	"sync/atomic"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/internal/memfd"
	"github.com/ibperf/ibperf/verbs/internal/store"
	"github.com/ibperf/ibperf/verbs/shm/internal/lockorder"
)

// qp is a queue pair. Its requester runs in the thread that posts. Pending requests run in threads
// that poll or in the context's engine.
type qp struct {
	object
	pd             *pd
	sendCQ, recvCQ *cq
	num            uint32
	typ            verbs.QPType
	ops            uint32 // bit set of the type's opcodes
	immediate      bool   // requests execute when they are posted, unless others are pending
	cap            verbs.QPCap
	sigAll         bool
	entry          *qpEntry      // its entry in the directory
	raceLock       raceLock      // for lock and unlock
	doorbells      atomic.Uint32 // doorbells since the handling of the last one began

	modify lockorder.Mutex[lockorder.Modify] // serializes changes of state; closed is written under it and the context's lock

	initAttr      verbs.QPInitAttr            // for Query
	commEstRaised bool                        // COMM_EST was raised; guarded by modify
	generation    atomic.Uint32               // counts the moves to RESET, so that a late failure does not end a newer connection
	attr          verbs.QPAttr                // guarded by lock, written under modify too
	state         atomic.Uint32               // verbs.QPState
	peerCtx       atomic.Pointer[peerContext] // the peer's context; written under modify

	handlesMu lockorder.Mutex[lockorder.Handles]
	handles   []verbs.QP // open handles: any number for XRC_RECV, else the QP; guarded by handlesMu

	recv recvQueue
	srq  *srq     // source of receives, or nil
	pool *srqPool // of srq, or of the XRC domain; nil: PostRecv fills recv

	// The send queue and the requester, guarded by lock.
	posted       uint32
	sendDone     relaxedCounter // send queue slots freed
	pending      []pendingWR    // ring of pending requests, allocated with the first
	unseen       []unseenWrite  // in the order in which they were posted
	pendHead     uint32
	pendTail     uint32
	pendingNoted bool // the send CQ lists this QP in pendingQPs
	peer         *peerQP
	cache        requesterCache
	localMem     [][]byte          // local memory of the request
	remoteMem    [][]byte          // the peer's memory of the request
	sges         [maxSGE]verbs.SGE // SGEs of the receive that the request consumes
	shuffler     store.Shuffler    // source of each request's shuffler
	pieces       []store.Piece     // to be stored next
	packet       []byte            // UD: the packet being sent
	filledRecvs  uint64            // UD: receives filled
	linkDown     bool              // see Options.LinkDown
	rnrMessage   uint64            // number plus one of the last message with an injected RNR NAK
	messages     uint64            // messages subject to Options.RNR or Options.Loss
	afterUnlock  uint8             // actions of unlock
	draining     bool              // SQD: a request that had begun is not finished
	quiescing    []activeRequester // requesters that the first pending request, executed otherwise, waits for

	recvInUseByPeer bool // the requester of an earlier peer may still use recv's memory; guarded by modify
}

func (p *pd) CreateQP(init *verbs.QPInitAttr) (verbs.QP, error) {
	c := p.ctx
	sendCQ, ok1 := checkedObject[*cq](c, init.SendCQ)
	recvCQ, ok2 := checkedObject[*cq](c, init.RecvCQ)
	if init.Type == verbs.QPTypeXRCSend {
		recvCQ, ok2 = sendCQ, ok1 // XRC_SEND has no receive CQ
	}
	if init.SRQ != nil || init.Type == verbs.QPTypeXRCSend {
		init.Cap.MaxRecvWR, init.Cap.MaxRecvSGE = 0, 0
	}
	err, why := c.checkType(init), checkCap(init.Cap)
	switch {
	case p.isClosed():
		return nil, c.err("create_qp", ebadf, closedText)
	case !ok1 || !ok2:
		return nil, c.err("create_qp", einval, "send_cq and recv_cq must be of the same context, and open")
	case err != nil:
		return nil, err
	case why != "":
		return nil, c.err("create_qp", einval, why)
	}
	q := &qp{
		object: c.newObject(&p.object, &sendCQ.object, &recvCQ.object), pd: p, sendCQ: sendCQ, recvCQ: recvCQ,
		typ: init.Type, ops: operations[init.Type], cap: init.Cap, sigAll: init.SigAll,
		immediate: !c.dev.draws() && !c.dev.delays() && c.dev.options.RNR == 0,
	}
	q.handles = []verbs.QP{q}
	q.initAttr = verbs.QPInitAttr{
		SendCQ: sendCQ, RecvCQ: init.RecvCQ, SRQ: init.SRQ, Cap: init.Cap, Type: init.Type, SigAll: init.SigAll,
	}
	if q.typ == verbs.QPTypeXRCSend {
		q.initAttr.RecvCQ = nil
	}
	init.MaxScatterToCQE = 0 // all data is stored in memory, never in CQEs
	if s, ok := init.SRQ.(*srq); ok {
		q.srq, q.pool, q.parents = s, s.srqPool, append(q.parents, &s.object)
	}
	if err := c.addQP(q); err != nil {
		return nil, err
	}
	switch {
	case q.srq != nil && q.connected():
		q.pool.setQP(q, true)
	case q.completesReceives():
		recvCQ.setReceiver(q, true)
	}
	return q, nil
}

// addQP creates the QP's receive queue and gives the QP its number.
func (c *context) addQP(q *qp) error {
	if err := q.recv.init(q, q.recvCap()); err != nil {
		return err
	}
	if !c.qps.insert(q, q.publish) {
		q.recv.file.Close()
		return c.err("create_qp", enomem, "all QPs are in use")
	}
	// A thread that polls the CQ may still read records when the QP is destroyed, so they stay
	// mapped until the QP is unreachable.
	runtime.AddCleanup(q, func(f *memfd.File) { f.Unmap() }, q.recv.file)
	q.shuffler, q.cache = c.dev.shuffler(q.num), emptyCache()
	q.retain(1)
	return nil
}

// recvPD returns the PD of the receives' memory.
func (q *qp) recvPD() *pd {
	if q.srq != nil {
		return q.srq.pd
	}
	return q.pd
}

// recvCap returns the size of the QP's receive queue. With SRQs it holds the receives that are
// supplied.
func (q *qp) recvCap() verbs.QPCap {
	if q.usesSRQ() && q.connected() {
		return verbs.QPCap{MaxRecvWR: srqRecvSlots - 1, MaxRecvSGE: maxSGE}
	}
	return q.cap
}

func checkCap(c verbs.QPCap) string {
	switch {
	case c.MaxSendWR < 0 || c.MaxSendWR > maxWR || c.MaxRecvWR < 0 || c.MaxRecvWR > maxWR:
		return "max_send_wr and max_recv_wr must be 0 to 32768"
	case c.MaxSendSGE < 0 || c.MaxSendSGE > maxSGE || c.MaxRecvSGE < 0 || c.MaxRecvSGE > maxSGE:
		return "max_send_sge and max_recv_sge must be 0 to 32"
	case c.MaxInlineData < 0 || c.MaxInlineData > maxInline:
		return "max_inline_data must be 0 to 1024"
	}
	return ""
}

// publish gives the QP its number and writes its entry in the directory.
func (q *qp) publish(num uint32) {
	q.num, q.initAttr.QPNumber, q.name = num, num, fmt.Sprintf(" qp %#x", num)
	q.entry = &q.ctx.dir.qps[numIndex(num)]
	e := q.entry
	e.typ, e.pd, e.recvPD, e.stamps = uint32(q.typ), q.pd.id, q.recvPD().id, uint32(q.recvCQ.stamps)
	e.usesSRQ, e.xrcd = 0, 0
	if q.usesSRQ() {
		e.usesSRQ, e.xrcd = 1, q.pool.id
	}
	e.slots, e.maxSGE, e.cq = q.recv.layout.n, q.recv.layout.maxSGE, q.recvCQ.notifier.number()
	q.publishRecvQueue()
	q.setState(verbs.QPReset)
	atomic.StoreUint32(&e.num, num)
}

// publishRecvQueue publishes the location of the receive queue.
func (q *qp) publishRecvQueue() {
	atomic.StoreUint32(&q.entry.fd, uint32(q.recv.file.FD()))
	atomic.StoreUint64(&q.entry.inode, q.recv.inode)
}

func (q *qp) QPNum() uint32 { return q.num }

func (q *qp) setState(s verbs.QPState) {
	q.state.Store(uint32(s))
	atomic.StoreUint32(&q.entry.state, uint32(s))
	q.ctx.dir.change()
}

// fail moves the QP to ERR: outstanding requests and receives complete with WR_FLUSH_ERR. It waits
// until the peer's requester has left this QP. The caller must not hold the QP's lock, or two QPs
// that fail each other would deadlock. It does nothing if another thread has reset the QP since the
// given generation.
func (q *qp) fail(generation uint32) {
	q.modify.Lock()
	defer q.modify.Unlock()
	if q.generation.Load() == generation {
		q.failLocked()
	}
}

func (q *qp) failLocked() {
	if s := verbs.QPState(q.state.Load()); s == verbs.QPReset || s == verbs.QPErr && q.recv.closed.Load() {
		return
	}
	q.lock()
	q.storeAllUnseen()
	q.draining = false
	q.setState(verbs.QPErr)
	q.flushPending()
	q.afterUnlock &^= failQP
	q.unlock()
	q.awaitPeerRequester()
	q.raiseFailureEvent()
	if !q.usesSRQ() {
		q.recv.mu.Lock()
		q.recv.flush()
		q.recv.mu.Unlock()
		return
	}
	q.reclaimAll()
	q.raise(verbs.EventQPLastWQE)
}

func (q *qp) Query(verbs.QPAttrMask) (verbs.QPAttr, verbs.QPInitAttr, error) {
	if q.closed.Load() {
		return verbs.QPAttr{}, verbs.QPInitAttr{}, q.err("query_qp", ebadf, closedText)
	}
	q.servicePeer()
	q.lock()
	defer q.unlock()
	a := q.attr
	a.SQDraining = q.draining
	a.EnSQDNotify = a.EnSQDNotify && verbs.QPState(q.state.Load()) == verbs.QPSQD
	a.State, a.CurState, a.Cap = verbs.QPState(q.state.Load()), verbs.QPState(q.state.Load()), q.cap
	return a, q.initAttr, nil
}

func (q *qp) QueryDataInOrder(op verbs.Opcode, flags verbs.OrderFlags) (verbs.OrderCaps, error) {
	if q.closed.Load() {
		return 0, q.err("query_qp_data_in_order", ebadf, closedText)
	}
	if verbs.QPState(q.state.Load()) != verbs.QPRTS {
		return 0, nil
	}
	return q.ctx.dev.orderCaps(op, flags), nil
}

// Close destroys the QP and waits until its fetched events are acknowledged.
func (q *qp) Close() error {
	err := q.destroy()
	q.ctx.async.awaitAcks(&q.acks)
	return err
}

func (q *qp) destroy() error {
	q.modify.Lock()
	defer q.modify.Unlock()
	if q.closed.Load() {
		return nil
	}
	c := q.ctx
	c.mu.Lock()
	if c.attached(q) && !c.isClosed() {
		c.mu.Unlock()
		return q.err("destroy_qp", ebusy, "the QP is attached to a multicast group")
	}
	q.closed.Store(true)
	c.mu.Unlock()
	if q.usesSRQ() {
		q.pool.setQP(q, false)
	}
	q.disconnect(verbs.QPErr)
	q.recv.closed.Store(true)
	q.recvCQ.setReceiver(q, false)
	atomic.StoreUint32(&q.entry.num, 0)
	c.qps.slot(q.num).Store(nil) // after disconnect: deregistration waits for the requesters of all QPs in the table
	c.async.forget(&q.acks)
	q.retain(-1)
	_ = q.recv.file.Discard() // a poller may still read the mapping, which the collector unmaps, also where the kernel cannot do this
	return q.recv.file.CloseFD()
}

// disconnect moves the QP to a state without a peer, and removes its requests and completions.
func (q *qp) disconnect(state verbs.QPState) {
	q.lock()
	q.storeAllUnseen()
	q.setState(state)
	q.attr, q.posted, q.pendHead, q.pendTail = verbs.QPAttr{}, 0, 0, 0
	q.afterUnlock &^= failQP
	q.draining, q.quiescing = false, nil
	q.unlock()
	if q.awaitPeerRequester() != nil {
		q.recvInUseByPeer = true
	}
	if q.usesSRQ() {
		q.reclaimAll()
	}
	q.sendCQ.purge(q)
	q.recvCQ.purge(q)
	q.lock()
	r, p := q.peerCtx.Swap(nil), q.peer
	q.peer, q.cache = nil, emptyCache()
	q.unlock()
	if p != nil {
		p.unmap()
	}
	switch {
	case r == nil:
	case q.completesReceives():
		q.recvCQ.disconnectReceiver(q, r)
	case q.srq != nil:
		q.recvCQ.disconnectSRQReceiver(q, r)
	}
	q.ctx.release(r)
}

// raise raises an event for each handle of the QP.
func (q *qp) raise(event verbs.EventType) {
	q.handlesMu.Lock()
	defer q.handlesMu.Unlock()
	for _, h := range q.handles {
		q.ctx.raise(verbs.AsyncEvent{Type: event, QP: h})
	}
}
