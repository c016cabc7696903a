package shm

import (
	"errors"
	"math"
	"syscall"
	"testing"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// Counters of 32 bits wrap after 2^32 messages. These tests begin a little before that, where an
// empty connection is that has used up as many messages as its counters say.

// link is a connection of two QPs that has carried nothing yet.
type link struct {
	from, to *qp
	srq      *srq // that the receiver takes from, or nil
	sge      verbs.SGE
	raddr    uint64
	rkey     uint32
}

// newLink connects two QPs of the type. The receiver is on an SRQ if shared.
func newLink(t *testing.T, typ verbs.QPType, shared bool) *link {
	t.Helper()
	a, b := newVictim(t), newVictim(t)
	l := &link{sge: verbs.SGE{Addr: a.mr.Addr(), Length: 64, LKey: a.mr.LKey()}, raddr: b.mr.Addr(), rkey: b.mr.RKey()}
	l.from = a.qpOf(t, verbs.QPInitAttr{Type: typ})
	init := verbs.QPInitAttr{Type: typ}
	if shared {
		made, err := b.qp.pd.CreateSRQ(&verbs.SRQInitAttr{Attr: verbs.SRQAttr{MaxWR: 16, MaxSGE: 1}})
		check(t, err)
		l.srq, init.SRQ = made.(*srq), made
	}
	l.to = b.qpOf(t, init)
	check(t, l.connect())
	check(t, l.back())
	return l
}

// qpOf makes another QP of the victim's.
func (v *victim) qpOf(t *testing.T, init verbs.QPInitAttr) *qp {
	t.Helper()
	init.SendCQ, init.RecvCQ = v.cq, v.cq
	init.Cap = verbs.QPCap{MaxSendWR: 16, MaxRecvWR: 16, MaxSendSGE: 1, MaxRecvSGE: 1}
	q, err := v.qp.pd.CreateQP(&init)
	check(t, err)
	return q.(*qp)
}

// connect takes the sender to RTS, back the receiver.
func (l *link) connect() error { return connectTo(l.from, l.to) }
func (l *link) back() error    { return connectTo(l.to, l.from) }

func connectTo(q, peer *qp) error {
	own, far := &victim{ctx: q.ctx, qp: q}, &victim{ctx: peer.ctx, qp: peer}
	connect := verbs.Connect
	if q.typ == verbs.QPTypeUC {
		connect = verbs.ConnectUC
	}
	return connect(q, verbs.Path{Port: 1}, remoteRights|verbs.AccessLocalWrite, own.endpoint(), far.endpoint())
}

// beforeWrap takes all counters to so many laps of the records before they are 0.
func (l *link) beforeWrap(t *testing.T, laps uint32) {
	t.Helper()
	r, n := &l.to.recv, -laps*l.to.recv.layout.n
	q := l.from
	q.lock()
	p, _ := q.reach()
	if p == nil {
		t.Fatal("the peer is not reached")
	}
	p.next, p.posted = n, n
	q.posted, q.pendHead, q.pendTail = n, n, n
	q.sendDone.Store(n)
	q.unlock()
	for _, c := range []*cq{q.sendCQ, l.to.recvCQ} {
		c.head = n
		c.tail.Store(n)
		c.headSeen.Store(n)
	}
	for _, c := range []*relaxedCounter{&r.posted, &r.next, &r.freed} {
		c.Store(n)
	}
	r.header.posted, r.header.lent = n, uint64(n)<<32|uint64(n)
	if l.srq != nil {
		l.srq.added = n
		l.srq.polled.Store(n)
	}
}

func (l *link) receives(t *testing.T, id uint64) {
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

func (l *link) posts(t *testing.T, id uint64, op verbs.Opcode) {
	t.Helper()
	wr := verbs.SendWR{WRID: id, Opcode: op, SendFlags: verbs.SendSignaled, SGList: &l.sge, NumSGE: 1}
	wr.SetRDMA(l.raddr, l.rkey)
	_, err := l.from.PostSend(&wr)
	check(t, err)
}

// completes polls until both sides have their completions of n messages, the first of which has the id.
func (l *link) completes(t *testing.T, id uint64, n int, received bool) {
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
			t.Fatalf("message %d has not completed at both sides; the QP's next record is %#x", id, l.to.recv.next.Load())
		}
	}
}

// across sends messages until the counters have wrapped and a lap more is done. A receive is posted
// before each message, or after it, and of each eight messages the last two are posted at once.
func (l *link) across(t *testing.T, late bool) {
	t.Helper()
	for id := uint64(0); l.to.recv.next.Load()-l.to.recv.layout.n > 1<<31 || id%8 != 0; id++ {
		if id%8 == 6 {
			l.receives(t, id)
			l.receives(t, id+1)
			l.posts(t, id, verbs.OpSend)
			l.posts(t, id+1, verbs.OpSend)
			l.completes(t, id, 2, true)
			id++
			continue
		}
		if !late {
			l.receives(t, id)
		}
		l.posts(t, id, verbs.OpSend)
		if late {
			_, err := l.to.recvCQ.Poll(nil) // who polls serves the peer that asks
			check(t, err)
			l.receives(t, id)
		}
		l.completes(t, id, 1, true)
		if l.srq != nil { // as after a message of another QP of the SRQ: this one has to ask again
			l.srq.mu.Lock()
			l.srq.last = nil
			l.srq.mu.Unlock()
		}
	}
}

// TestCountersWrap: a connection goes on after message 2^32-1, whether receives are there before
// the messages or not, and whether the peer has to ask for them.
func TestCountersWrap(t *testing.T) {
	t.Run("RC", func(t *testing.T) { wrapped(t, verbs.QPTypeRC, false, false) })
	t.Run("RC, receives posted late", func(t *testing.T) { wrapped(t, verbs.QPTypeRC, false, true) })
	t.Run("UC", func(t *testing.T) { wrapped(t, verbs.QPTypeUC, false, false) })
	t.Run("SRQ", func(t *testing.T) { wrapped(t, verbs.QPTypeRC, true, false) })
	t.Run("SRQ, receives posted late", func(t *testing.T) { wrapped(t, verbs.QPTypeRC, true, true) })
}

func wrapped(t *testing.T, typ verbs.QPType, shared, late bool) {
	l := newLink(t, typ, shared)
	l.beforeWrap(t, 2)
	l.across(t, late)
}

// TestWritesWrap: WRITEs and READs go on after request 2^32-1, and the send queue is as long as before.
func TestWritesWrap(t *testing.T) {
	l := newLink(t, verbs.QPTypeRC, false)
	l.beforeWrap(t, 1)
	for id := uint64(0); l.from.posted-16 > 1<<31; id += 16 {
		for i := range uint64(16) {
			l.posts(t, id+i, [...]verbs.Opcode{verbs.OpRDMAWrite, verbs.OpRDMAWrite, verbs.OpRDMARead}[i%3])
		}
		wr := verbs.SendWR{Opcode: verbs.OpRDMAWrite}
		if _, err := l.from.PostSend(&wr); !errors.Is(err, enomem) {
			t.Fatalf("a 17th request in a send queue of 16 ends with %v", err)
		}
		l.completes(t, id, 16, false)
	}
}

// TestDatagramsWrap: a UD QP goes on after receive 2^32-1.
func TestDatagramsWrap(t *testing.T) {
	from, to := newMailbox(t), newMailbox(t)
	const before = 16
	n := uint32(math.MaxUint32 - before + 1)
	for _, c := range []*relaxedCounter{&to.qp.recv.posted, &to.qp.recv.next, &to.qp.recv.freed} {
		c.Store(n)
	}
	slots := to.qp.recv.layout.n
	for i := n - slots; i != n; i++ { // as the messages before have left them: none is empty any more
		to.qp.recv.records[i%slots] = record{0, uint64(i+1) << recSeqAt}
	}
	from.qp.posted, from.qp.pendHead, from.qp.pendTail = n, n, n
	from.qp.sendDone.Store(n)
	ah := from.handle(t, gidOf(to.ctx.id))
	for id := range uint64(2 * before) {
		to.recv(t, id, verbs.GRHSize+8)
		from.send(t, ah, to.qp.num, 8)
		if wc := to.next(t); wc.WRID != id || wc.Status != verbs.WCSuccess {
			t.Fatalf("completion %+v", wc)
		}
	}
	check(t, ah.Close())
}

// TestUCGoesOnLate: a requester of UC that was reset goes on where it was after any number of messages.
func TestUCGoesOnLate(t *testing.T) {
	l := newLink(t, verbs.QPTypeUC, false)
	l.beforeWrap(t, 2)
	n := uint64(l.to.recv.layout.n)
	for id := range 3 * n {
		if id >= n { // from then on all records are of this connection
			check(t, l.from.Modify(&verbs.QPAttr{State: verbs.QPReset}, verbs.MaskState))
			check(t, l.connect())
		}
		l.receives(t, id)
		l.posts(t, id, verbs.OpSend)
		l.completes(t, id, 1, true)
	}
}

// TestNumbersOfConnectionsWrap: the first connection after 2^32-1 others has a number that does not
// stand for none.
func TestNumbersOfConnectionsWrap(t *testing.T) {
	l := newLink(t, verbs.QPTypeRC, false)
	check(t, l.to.Modify(&verbs.QPAttr{State: verbs.QPReset}, verbs.MaskState))
	l.to.entry.epoch = math.MaxUint32
	check(t, l.back())
	if l.to.entry.epoch == 0 {
		t.Error("the QP moves to RTR and its connection has number 0")
	}
}

// TestNumbersOfDomainsWrap: no domain has number 0, which in an SRQ stands for no XRC domain.
func TestNumbersOfDomainsWrap(t *testing.T) {
	v := newVictim(t)
	v.ctx.lastID.Store(math.MaxUint32)
	x, err := v.ctx.OpenXRCD(-1, syscall.O_CREAT)
	check(t, err)
	v.ctx.lastID.Store(math.MaxUint32)
	p, err := v.ctx.AllocPD()
	check(t, err)
	if x.(*xrcd).pool.id == 0 || p.(*pd).id == 0 {
		t.Error("a domain has number 0")
	}
}
