package shm

import (
	"errors"
	"math"
	"syscall"
	"testing"
	"time"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/shm/internal/ring"
)

// Counters of 32 bits wrap after 2^32 messages. These tests begin shortly before that, with an
// empty connection whose counters are set as if it had carried as many messages.

// connection is a connection of two QPs that has carried no message.
type connection struct {
	from, to *qp
	srq      *srq // SRQ of the receiver, or nil
	sge      verbs.SGE
	raddr    uint64
	rkey     uint32
}

// newConnection connects two QPs of the type. With shared the receiver is on an SRQ.
func newConnection(t *testing.T, typ verbs.QPType, shared bool) *connection {
	t.Helper()
	a, b := newNode(t), newNode(t)
	l := &connection{sge: verbs.SGE{Addr: a.mr.Addr(), Length: 64, LKey: a.mr.LKey()}, raddr: b.mr.Addr(), rkey: b.mr.RKey()}
	l.from = a.createQP(t, verbs.QPInitAttr{Type: typ})
	init := verbs.QPInitAttr{Type: typ}
	if shared {
		made, err := b.qp.pd.CreateSRQ(&verbs.SRQInitAttr{Attr: verbs.SRQAttr{MaxWR: 16, MaxSGE: 1}})
		check(t, err)
		l.srq, init.SRQ = made.(*srq), made
	}
	l.to = b.createQP(t, init)
	check(t, l.connectSender())
	check(t, l.connectReceiver())
	return l
}

// createQP creates another QP of the node.
func (v *node) createQP(t *testing.T, init verbs.QPInitAttr) *qp {
	t.Helper()
	init.SendCQ, init.RecvCQ = v.cq, v.cq
	init.Cap = verbs.QPCap{MaxSendWR: 16, MaxRecvWR: 16, MaxSendSGE: 1, MaxRecvSGE: 1}
	q, err := v.qp.pd.CreateQP(&init)
	check(t, err)
	return q.(*qp)
}

// connectSender takes the sender to RTS, connectReceiver the receiver.
func (l *connection) connectSender() error   { return connectQP(l.from, l.to) }
func (l *connection) connectReceiver() error { return connectQP(l.to, l.from) }

func connectQP(q, peer *qp) error {
	own, far := &node{ctx: q.ctx, qp: q}, &node{ctx: peer.ctx, qp: peer}
	connect := verbs.Connect
	if q.typ == verbs.QPTypeUC {
		connect = verbs.ConnectUC
	}
	return connect(q, verbs.Path{Port: 1}, remoteAccessFlags|verbs.AccessLocalWrite, own.endpoint(), far.endpoint())
}

// setCounters sets all counters to a number of passes over the records before 0.
func (l *connection) setCounters(t *testing.T, passes uint32) {
	t.Helper()
	r, n := &l.to.recv, -passes*l.to.recv.layout.n
	q := l.from
	q.lock()
	p, _ := q.reachPeer()
	if p == nil {
		t.Fatal("the peer does not respond")
	}
	p.next, p.postedSeen = n, n
	q.posted, q.pendHead, q.pendTail = n, n, n
	q.sendDone.Store(n)
	q.unlock()
	for _, c := range []*cq{q.sendCQ, l.to.recvCQ} {
		c.head = n
		c.tail.Store(n)
		c.headCopy.Store(n)
	}
	for _, c := range []*relaxedCounter{&r.posted, &r.next, &r.freed} {
		c.Store(n)
	}
	r.header.posted, r.header.supplied = n, uint64(n)<<32|uint64(n)
	if l.srq != nil {
		l.srq.completionsAdded = n
		l.srq.completionsPolled.Store(n)
	}
}

func (l *connection) postReceive(t *testing.T, id uint64) {
	t.Helper()
	wr, into := &verbs.RecvWR{WRID: id}, verbs.SGE{Addr: l.raddr, Length: l.sge.Length, LKey: l.rkey}
	wr.SGList, wr.NumSGE = &into, 1
	var err error
	if l.srq != nil {
		_, err = l.srq.PostRecv(wr)
	} else {
		_, err = l.to.PostRecv(wr)
	}
	check(t, err)
}

func (l *connection) postSend(t *testing.T, id uint64, op verbs.Opcode) {
	t.Helper()
	wr := verbs.SendWR{WRID: id, Opcode: op, SendFlags: verbs.SendSignaled, SGList: &l.sge, NumSGE: 1}
	wr.SetRDMA(l.raddr, l.rkey)
	_, err := l.from.PostSend(&wr)
	check(t, err)
}

// wantCompletions polls until both sides have the completions of n messages, the first of which has
// the id.
func (l *connection) wantCompletions(t *testing.T, id uint64, n int, received bool) {
	t.Helper()
	next := map[*cq]uint64{l.from.sendCQ: id, l.to.recvCQ: id}
	if !received {
		next[l.to.recvCQ] += uint64(n)
	}
	var wc [4]verbs.WC
	for end := time.Now().Add(10 * time.Second); next[l.from.sendCQ]+next[l.to.recvCQ] < 2*(id+uint64(n)); {
		for q := range next {
			got, err := q.Poll(wc[:])
			check(t, err)
			for _, c := range wc[:got] {
				if c.WRID != next[q] || c.Status != verbs.WCSuccess {
					t.Fatalf("completion wr_id %d %s, want wr_id %d SUCCESS", c.WRID, c.Status, next[q])
				}
				next[q]++
			}
		}
		if time.Now().After(end) {
			t.Fatalf("message %d did not complete on both sides; the QP's next record is %#x", id, l.to.recv.next.Load())
		}
	}
}

// sendAcrossWrap sends messages until the counters have wrapped and one further pass is done. A
// receive is posted before each message, or with late after it. Of every eight messages the last
// two are posted together.
func (l *connection) sendAcrossWrap(t *testing.T, late bool) {
	t.Helper()
	for id := uint64(0); l.to.recv.next.Load()-l.to.recv.layout.n > 1<<31 || id%8 != 0; id++ {
		if id%8 == 6 {
			l.postReceive(t, id)
			l.postReceive(t, id+1)
			l.postSend(t, id, verbs.OpSend)
			l.postSend(t, id+1, verbs.OpSend)
			l.wantCompletions(t, id, 2, true)
			id++
			continue
		}
		if !late {
			l.postReceive(t, id)
		}
		l.postSend(t, id, verbs.OpSend)
		if late {
			_, err := l.to.recvCQ.Poll(nil) // the poll services the peer's request
			check(t, err)
			l.postReceive(t, id)
		}
		l.wantCompletions(t, id, 1, true)
		if l.srq != nil { // as after a message to another QP of the SRQ: this one has to ask again
			l.srq.mu.Lock()
			l.srq.batchQP = nil
			l.srq.mu.Unlock()
		}
	}
}

// TestMessageCountersWrap covers messages after number 2^32-1, with receives posted before or after
// the messages, and with receives of an SRQ.
func TestMessageCountersWrap(t *testing.T) {
	t.Run("RC", func(t *testing.T) { testCounterWrap(t, verbs.QPTypeRC, false, false) })
	t.Run("RC, receives posted late", func(t *testing.T) { testCounterWrap(t, verbs.QPTypeRC, false, true) })
	t.Run("UC", func(t *testing.T) { testCounterWrap(t, verbs.QPTypeUC, false, false) })
	t.Run("SRQ", func(t *testing.T) { testCounterWrap(t, verbs.QPTypeRC, true, false) })
	t.Run("SRQ, receives posted late", func(t *testing.T) { testCounterWrap(t, verbs.QPTypeRC, true, true) })
}

func testCounterWrap(t *testing.T, typ verbs.QPType, shared, late bool) {
	l := newConnection(t, typ, shared)
	l.setCounters(t, 2)
	l.sendAcrossWrap(t, late)
}

// TestSendQueueCountersWrap covers WRITEs and READs after request 2^32-1, and that the send queue
// keeps its depth.
func TestSendQueueCountersWrap(t *testing.T) {
	l := newConnection(t, verbs.QPTypeRC, false)
	l.setCounters(t, 1)
	for id := uint64(0); l.from.posted-16 > 1<<31; id += 16 {
		for i := range uint64(16) {
			l.postSend(t, id+i, [...]verbs.Opcode{verbs.OpRDMAWrite, verbs.OpRDMAWrite, verbs.OpRDMARead}[i%3])
		}
		wr := verbs.SendWR{Opcode: verbs.OpRDMAWrite}
		if _, err := l.from.PostSend(&wr); !errors.Is(err, enomem) {
			t.Fatalf("request 17 in a send queue of 16: %v, want ENOMEM", err)
		}
		l.wantCompletions(t, id, 16, false)
	}
}

// TestDatagramCountersWrap covers a UD QP after receive 2^32-1.
func TestDatagramCountersWrap(t *testing.T) {
	from, to := newUDNode(t), newUDNode(t)
	const before = 16
	n := uint32(math.MaxUint32 - before + 1)
	for _, c := range []*relaxedCounter{&to.qp.recv.posted, &to.qp.recv.next, &to.qp.recv.freed} {
		c.Store(n)
	}
	slots := to.qp.recv.layout.n
	for i := n - slots; i != n; i++ { // as earlier messages have left them: no record is empty
		to.qp.recv.records[i%slots] = record{0, uint64(i+1) << ring.NumberAt}
	}
	from.qp.posted, from.qp.pendHead, from.qp.pendTail = n, n, n
	from.qp.sendDone.Store(n)
	ah := from.createAH(t, gidOf(to.ctx.id))
	for id := range uint64(2 * before) {
		to.postRecv(t, id, verbs.GRHSize+8)
		from.sendMessage(t, ah, to.qp.num, 8)
		if wc := to.nextCompletion(t); wc.WRID != id || wc.Status != verbs.WCSuccess {
			t.Fatalf("completion %+v", wc)
		}
	}
	check(t, ah.Close())
}

// TestConnectionEpochWraps covers that the epoch after 2^32-1 is not 0, which means none.
func TestConnectionEpochWraps(t *testing.T) {
	l := newConnection(t, verbs.QPTypeRC, false)
	check(t, l.to.Modify(&verbs.QPAttr{State: verbs.QPReset}, verbs.MaskState))
	l.to.entry.epoch = math.MaxUint32
	check(t, l.connectReceiver())
	if l.to.entry.epoch == 0 {
		t.Error("the epoch of a QP in RTR is 0")
	}
}

// TestDomainNumbersWrap covers that no domain gets number 0, which means no XRC domain in an SRQ.
func TestDomainNumbersWrap(t *testing.T) {
	v := newNode(t)
	v.ctx.lastID.Store(math.MaxUint32)
	x, err := v.ctx.OpenXRCD(-1, syscall.O_CREAT)
	check(t, err)
	v.ctx.lastID.Store(math.MaxUint32)
	p, err := v.ctx.AllocPD()
	check(t, err)
	if x.(*xrcd).srqPool.id == 0 || p.(*pd).id == 0 {
		t.Error("a domain has number 0")
	}
}
