package shm

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/ibperf/ibperf/internal/memfd"
	"github.com/ibperf/ibperf/internal/place"
	"github.com/ibperf/ibperf/verbs"
)

// qp is a queue pair. Its requester runs in whatever thread posts work, and for work
// that could not proceed at once in those that poll, or in the context's engine.
type qp struct {
	object
	pd             *pd
	sendCQ, recvCQ *cq
	num            uint32
	typ            verbs.QPType
	ops            uint32 // bit per opcode that the type has
	prompt         bool   // requests are carried out as soon as they are posted
	cap            verbs.QPCap
	sigAll         bool
	entry          *qpEntry      // what peers see of it
	seen           seen          // of lock and unlock
	asked          atomic.Uint32 // looks that peers have asked for since the one under way began

	modify sync.Mutex // one change of state at a time; closed is written under it and the context's lock

	initAttr verbs.QPInitAttr       // what Query tells of it
	reached  bool                   // COMM_EST has been raised; guarded by modify
	life     atomic.Uint32          // counts the moves to RESET, so that a failure ends no later connection
	attr     verbs.QPAttr           // guarded by lock, written under modify too
	state    atomic.Uint32          // verbs.QPState
	remote   atomic.Pointer[remote] // where the peer is; written under modify

	opened  sync.Mutex
	handles []verbs.QP // that are not closed: of XRC_RECV any number, else the QP; guarded by opened

	recv recvQueue
	srq  *srq  // that receives are taken from
	pool *pool // of that, or of the domain; nil: recv is filled by PostRecv

	// The send side, guarded by lock.
	posted   uint32
	sendDone relaxedCounter // places in the send queue given back
	pend     []waiting      // ring of work that waits, made when the first does
	pendHead uint32
	pendTail uint32
	waits    bool // the send CQ knows of work that waits for those who poll
	peer     *peer
	known    known
	near     [][]byte          // memory of the request being executed
	far      [][]byte          // and the peer's
	sges     [maxSGE]verbs.SGE // of the receive that it takes
	shuffler place.Shuffler    // of which each request has its own
	message  []place.Piece     // that is placed next
	packet   []byte            // of UD, the one that is sent
	filled   uint64            // receives of UD that were filled
	down     bool              // the link; see Options
	metRNR   uint64            // the message, and one, whose peer was last found not ready on purpose
	messages uint64            // that count for RNR or loss
	then     uint8             // what unlock does afterwards
	draining bool              // in SQD, work that had begun is not finished
	leaving  []turn            // that the first request waits for, which is carried out but for that

	peerInside bool // an earlier peer's requester may be at work in recv's memory; guarded by modify
}

func (p *pd) CreateQP(init *verbs.QPInitAttr) (verbs.QP, error) {
	c := p.ctx
	sendCQ, ok1 := own[*cq](c, init.SendCQ)
	recvCQ, ok2 := own[*cq](c, init.RecvCQ)
	if init.Type == verbs.QPTypeXRCSend {
		recvCQ, ok2 = sendCQ, ok1 // in place of one that has nothing to do
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
		prompt: c.dev.place == ascending && !c.dev.delays() && c.dev.options.RNR == 0,
	}
	q.handles = []verbs.QP{q}
	q.initAttr = verbs.QPInitAttr{
		SendCQ: sendCQ, RecvCQ: init.RecvCQ, SRQ: init.SRQ, Cap: init.Cap, Type: init.Type, SigAll: init.SigAll,
	}
	if q.typ == verbs.QPTypeXRCSend {
		q.initAttr.RecvCQ = nil
	}
	init.MaxScatterToCQE = 0 // all data goes to memory
	if s, ok := init.SRQ.(*srq); ok {
		q.srq, q.pool, q.of = s, s.pool, append(q.of, &s.object)
	}
	if err := c.addQP(q); err != nil {
		return nil, err
	}
	switch {
	case q.srq != nil && q.connected():
		q.pool.setQP(q, true)
	case q.srq == nil && q.typ != verbs.QPTypeXRCSend:
		recvCQ.setReceiver(q, true)
	}
	return q, nil
}

// addQP makes the QP's receive queue, and gives the QP its number.
func (c *context) addQP(q *qp) error {
	if err := q.recv.init(q, q.recvCap()); err != nil {
		return err
	}
	if !c.qps.enter(q, q.show) {
		q.recv.file.Close()
		return c.err("create_qp", enomem, "all QPs are in use")
	}
	// A thread that polls the CQ may still look at the records when the QP is
	// destroyed: they stay mapped until nobody can.
	runtime.AddCleanup(q, func(f *memfd.File) { f.Unmap() }, q.recv.file)
	q.shuffler, q.known = c.dev.shuffler(q.num), nothing()
	q.retain(1)
	return nil
}

// recvPD is the domain of the receives' memory.
func (q *qp) recvPD() *pd {
	if q.srq != nil {
		return q.srq.pd
	}
	return q.pd
}

// recvCap is the size of the QP's own receive queue, which holds what is lent if receives
// come from shared ones.
func (q *qp) recvCap() verbs.QPCap {
	if q.sharing() && q.connected() {
		return verbs.QPCap{MaxRecvWR: sharedSlots - 1, MaxRecvSGE: maxSGE}
	}
	return q.cap
}

func checkCap(c verbs.QPCap) string {
	switch {
	case c.MaxSendWR < 0 || c.MaxSendWR > maxWR || c.MaxRecvWR < 0 || c.MaxRecvWR > maxWR:
		return "a queue holds 0 to 32768 work requests"
	case c.MaxSendSGE < 0 || c.MaxSendSGE > maxSGE || c.MaxRecvSGE < 0 || c.MaxRecvSGE > maxSGE:
		return "a work request has 0 to 32 SGEs"
	case c.MaxInlineData < 0 || c.MaxInlineData > maxInline:
		return "inline data is 0 to 1024 bytes"
	}
	return ""
}

// show gives the QP its number and shows it to peers.
func (q *qp) show(num uint32) {
	q.num, q.initAttr.QPNumber, q.name = num, num, fmt.Sprintf(" qp %#x", num)
	q.entry = &q.ctx.dir.qps[numIndex(num)]
	e := q.entry
	e.typ, e.pd, e.recvPD, e.stamps = uint32(q.typ), q.pd.id, q.recvPD().id, uint32(q.recvCQ.stamps)
	e.sharing, e.xrcd = 0, 0
	if q.sharing() {
		e.sharing, e.xrcd = 1, q.pool.id
	}
	e.slots, e.maxSGE, e.cq = q.recv.layout.n, q.recv.layout.maxSGE, q.recvCQ.notifier.number()
	q.showQueue()
	q.setState(verbs.QPReset)
	atomic.StoreUint32(&e.num, num)
}

// showQueue shows peers where the receive queue is.
func (q *qp) showQueue() {
	atomic.StoreUint32(&q.entry.fd, uint32(q.recv.file.FD()))
	atomic.StoreUint64(&q.entry.inode, q.recv.inode)
}

func (q *qp) QPNum() uint32 { return q.num }

func (q *qp) setState(s verbs.QPState) {
	q.state.Store(uint32(s))
	atomic.StoreUint32(&q.entry.state, uint32(s))
	q.ctx.dir.change()
}

// fail moves the QP to ERR: outstanding work completes with WR_FLUSH_ERR. It
// waits until the peer's requester is out of this QP, so it must be called
// without lock: two failing peers would wait for each other. A failure in a life
// that another thread has ended by RESET meanwhile is over.
func (q *qp) fail(life uint32) {
	q.modify.Lock()
	defer q.modify.Unlock()
	if q.life.Load() == life {
		q.failLocked()
	}
}

func (q *qp) failLocked() {
	if s := verbs.QPState(q.state.Load()); s == verbs.QPReset || s == verbs.QPErr && q.recv.closed.Load() {
		return
	}
	q.lock()
	q.draining = false
	q.setState(verbs.QPErr)
	q.flushPending()
	q.then &^= endQP
	q.unlock()
	q.awaitPeerOut()
	q.tellWhy()
	if !q.sharing() {
		q.recv.mu.Lock()
		q.recv.flush()
		q.recv.mu.Unlock()
		return
	}
	q.reclaimReceives()
	q.raise(verbs.EventQPLastWQE)
}

func (q *qp) Query(verbs.QPAttrMask) (verbs.QPAttr, verbs.QPInitAttr, error) {
	if q.closed.Load() {
		return verbs.QPAttr{}, verbs.QPInitAttr{}, q.err("query_qp", ebadf, closedText)
	}
	q.look()
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

// Close destroys the QP and waits until its events that were fetched are acknowledged.
func (q *qp) Close() error {
	err := q.destroy()
	q.ctx.async.await(&q.acks)
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
	if q.sharing() {
		q.pool.setQP(q, false)
	}
	q.disconnect(verbs.QPErr)
	q.recv.closed.Store(true)
	q.recvCQ.setReceiver(q, false)
	atomic.StoreUint32(&q.entry.num, 0)
	c.qps.at(q.num).Store(nil) // not before: who deregisters memory waits for the QPs that are here
	c.async.forget(&q.acks)
	q.retain(-1)
	return q.recv.file.CloseFD()
}

// disconnect takes the QP to a state in which it has no peer: all work and all completions of it are gone.
func (q *qp) disconnect(state verbs.QPState) {
	q.lock()
	q.setState(state)
	q.attr, q.posted, q.pendHead, q.pendTail = verbs.QPAttr{}, 0, 0, 0
	q.then &^= endQP
	q.draining, q.leaving = false, nil
	q.unlock()
	if q.awaitPeerOut() != nil {
		q.peerInside = true
	}
	if q.sharing() {
		q.reclaimReceives()
	}
	q.sendCQ.purge(q)
	q.recvCQ.purge(q)
	q.lock()
	r, p := q.remote.Swap(nil), q.peer
	q.peer, q.known = nil, nothing()
	q.unlock()
	if p != nil {
		p.unmap()
	}
	q.ctx.release(r)
}

// raise raises the event for each handle of the QP.
func (q *qp) raise(event verbs.EventType) {
	q.opened.Lock()
	defer q.opened.Unlock()
	for _, h := range q.handles {
		q.ctx.raise(verbs.AsyncEvent{Type: event, QP: h})
	}
}
