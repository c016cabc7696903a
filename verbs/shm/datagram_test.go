package shm

import (
	"encoding/binary"
	"math/rand"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// mailbox is an honest context with a UD QP in RTS.
type mailbox struct {
	ctx *context
	pd  *pd
	qp  *qp
	cq  verbs.CQ
	buf *verbs.Buffer
	mr  verbs.MR
}

const (
	testQKey        = 0x1234
	deadlineOfPeers = 10 * time.Second
)

func newMailbox(t testing.TB) *mailbox { return newMailboxOn(t, listed[0]) }

func newMailboxOn(t testing.TB, d *device) *mailbox {
	t.Helper()
	ctx, err := open(d)
	check(t, err)
	t.Cleanup(func() { ctx.Close() })
	p, err := ctx.AllocPD()
	check(t, err)
	m := &mailbox{ctx: ctx, pd: p.(*pd)}
	m.buf, err = verbs.NewBuffer(1 << 16)
	check(t, err)
	t.Cleanup(func() { m.buf.Close() })
	m.mr, err = p.RegMR(m.buf.Bytes(), verbs.AccessLocalWrite)
	check(t, err)
	m.cq, err = ctx.CreateCQ(1024, nil, 0)
	check(t, err)
	q, err := p.CreateQP(&verbs.QPInitAttr{
		SendCQ: m.cq, RecvCQ: m.cq, Type: verbs.QPTypeUD,
		Cap: verbs.QPCap{MaxSendWR: 256, MaxRecvWR: 256, MaxSendSGE: 1, MaxRecvSGE: 1},
	})
	check(t, err)
	m.qp = q.(*qp)
	m.revive(t)
	return m
}

// revive takes the QP through RESET to RTS.
func (m *mailbox) revive(t testing.TB) {
	t.Helper()
	check(t, m.qp.Modify(&verbs.QPAttr{State: verbs.QPReset}, verbs.MaskState))
	check(t, m.qp.Modify(&verbs.QPAttr{State: verbs.QPInit, PortNum: 1, QKey: testQKey},
		verbs.MaskState|verbs.MaskPort|verbs.MaskPKeyIndex|verbs.MaskQKey))
	check(t, m.qp.Modify(&verbs.QPAttr{State: verbs.QPRTR}, verbs.MaskState))
	check(t, m.qp.Modify(&verbs.QPAttr{State: verbs.QPRTS}, verbs.MaskState|verbs.MaskSQPSN))
}

func (m *mailbox) recv(t testing.TB, id uint64, n int) {
	t.Helper()
	sge := verbs.SGE{Addr: m.mr.Addr(), Length: uint32(n), LKey: m.mr.LKey()}
	_, err := m.qp.PostRecv(&verbs.RecvWR{WRID: id, SGList: &sge, NumSGE: 1})
	check(t, err)
}

func (m *mailbox) handle(t testing.TB, to verbs.GID) verbs.AH {
	t.Helper()
	ah, err := m.pd.CreateAH(&verbs.AHAttr{IsGlobal: true, PortNum: 1, GRH: verbs.GlobalRoute{DGID: to, HopLimit: 1}})
	check(t, err)
	return ah
}

func (m *mailbox) send(t testing.TB, ah verbs.AH, qpn uint32, n int) {
	t.Helper()
	sge := verbs.SGE{Addr: m.mr.Addr(), Length: uint32(n), LKey: m.mr.LKey()}
	wr := verbs.SendWR{WRID: 99, Opcode: verbs.OpSend, SendFlags: verbs.SendSignaled, SGList: &sge, NumSGE: 1}
	wr.SetUD(ah, qpn, testQKey)
	_, err := m.qp.PostSend(&wr)
	check(t, err)
	if wc := m.next(t); wc.WRID != 99 || wc.Status != verbs.WCSuccess {
		t.Fatalf("completion %+v", wc)
	}
}

func (m *mailbox) next(t testing.TB) verbs.WC {
	t.Helper()
	var wc [1]verbs.WC
	for end := time.Now().Add(deadlineOfPeers); time.Now().Before(end); {
		if n, err := m.cq.Poll(wc[:]); n == 1 || err != nil {
			check(t, err)
			return wc[0]
		}
	}
	t.Fatal("no completion")
	return wc[0]
}

// works checks that a message arrives from a new context, behind those that were
// on their way before.
func (m *mailbox) works(t *testing.T) {
	t.Helper()
	other := newMailbox(t)
	ah := other.handle(t, gidOf(m.ctx.id))
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); {
		m.recv(t, 7, verbs.GRHSize+datagramMTU)
		other.send(t, ah, m.qp.num, 8)
		wc := m.next(t)
		if wc.WRID != 7 || wc.Status != verbs.WCSuccess {
			t.Errorf("completion %+v", wc)
		}
		if wc.SrcQP == other.qp.num && wc.ByteLen == verbs.GRHSize+8 {
			return
		}
	}
	t.Error("other messages come, but not this one")
}

// packet is an honest message to the mailbox.
func (m *mailbox) packet(n int) []byte {
	d := datagram{mark: datagramMark, dest: m.qp.num, src: 5, qkey: testQKey}
	d.grh = grhTo(&verbs.GlobalRoute{DGID: gidOf(m.ctx.id), HopLimit: 1}, gidOf(77), n)
	return append(viewBytes(&d), make([]byte, n)...)
}

// TestWildDatagrams: what is not a message to this QP is dropped.
func TestWildDatagrams(t *testing.T) {
	m := newMailbox(t)
	rc, err := m.pd.CreateQP(&verbs.QPInitAttr{SendCQ: m.cq, RecvCQ: m.cq, Type: verbs.QPTypeRC, Cap: verbs.QPCap{MaxRecvWR: 1}})
	check(t, err)
	self := verbs.Endpoint{QPNum: rc.QPNum(), GID: gidOf(m.ctx.id), MTU: verbs.MTU1024}
	check(t, verbs.Connect(rc, verbs.Path{Port: 1}, remoteRights, self, self))
	_, err = rc.PostRecv(&verbs.RecvWR{WRID: 8})
	check(t, err)
	cases := map[string]func(b []byte) []byte{
		"cut short":                func(b []byte) []byte { return b[:40] },
		"without its last byte":    func(b []byte) []byte { return b[:len(b)-1] },
		"longer than it says":      func(b []byte) []byte { return append(b, 1) },
		"longer than the MTU":      func(b []byte) []byte { return append(b, make([]byte, datagramMTU)...) },
		"to a QP beyond 24 bits":   func(b []byte) []byte { b[7] = 1; return b },
		"from a QP beyond 24 bits": func(b []byte) []byte { b[11] = 1; return b },
		"to all QPs of a context":  func(b []byte) []byte { copy(b[4:], "\xff\xff\xff"); return b },
		"to one QP of a group":     func(b []byte) []byte { b[48] = 0xff; return b },
		"to another context":       func(b []byte) []byte { b[63] ^= 1; return b },
		"to another QP":            func(b []byte) []byte { b[6] ^= 1; return b },
		"to an RC QP": func(b []byte) []byte {
			binary.LittleEndian.PutUint32(b[4:], rc.QPNum())
			clear(b[12:16]) // RC has no Q_Key
			return b
		},
		"with another Q_Key":     func(b []byte) []byte { b[12] ^= 1; return b },
		"with flags of nothing":  func(b []byte) []byte { b[16] = 4; return b },
		"with a GRH of IPv4":     func(b []byte) []byte { b[24] = 4 << 4; return b },
		"with a GRH without UDP": func(b []byte) []byte { b[30] = 6; return b },
		"without its mark":       func(b []byte) []byte { b[0]++; return b },
	}
	for name, spoil := range cases {
		t.Run(name, func(t *testing.T) {
			m.recv(t, 7, 4096)
			conn, _, err := dial(m.ctx.id)
			check(t, err)
			defer conn.Close()
			for _, b := range [][]byte{spoil(m.packet(16)), m.packet(17)} {
				_, err = conn.Write(b)
				check(t, err)
			}
			if wc := m.next(t); wc.ByteLen != verbs.GRHSize+17 || wc.Status != verbs.WCSuccess {
				t.Errorf("completion %+v", wc)
			}
		})
	}
	m.works(t)
}

// TestRandomDatagrams changes bytes of honest messages at random.
func TestRandomDatagrams(t *testing.T) {
	m := newMailbox(t)
	rng := rand.New(rand.NewSource(1))
	for range 300 {
		b := m.packet(rng.Intn(64))
		for range 1 + rng.Intn(4) {
			b[rng.Intn(len(b))] ^= byte(1 << rng.Intn(8))
		}
		conn, _, err := dial(m.ctx.id)
		check(t, err)
		conn.Write(b)
		conn.Close()
	}
	m.revive(t)
	m.works(t)
}

// TestReceiverThatStops: a context that does not read its messages does not hold
// up the sender, nor the other members of a group.
func TestReceiverThatStops(t *testing.T) {
	m, member := newMailbox(t), newMailbox(t)
	im := falsePeer(t, newVictim(t), goodQueue(t), goodQueue(t), nil)
	group := verbs.GID{0xff, 0x15, 15: byte(time.Now().UnixNano()), 14: 0x77}
	check(t, member.qp.AttachMcast(group, 0))
	defer member.qp.DetachMcast(group, 0)
	direct, toGroup := m.handle(t, gidOf(im.id)), m.handle(t, group)
	start := time.Now()
	const more = 2 * datagramRoom / 4096 // than there is room for
	for range more {
		m.send(t, direct, 1, 4096)
	}
	for i := range more {
		if i%20 == 0 {
			member.recv(t, 7, 4096+verbs.GRHSize)
		}
		m.send(t, toGroup, groupQPN, 4096)
	}
	if took := time.Since(start); took > deadlineOfPeers {
		t.Errorf("%d messages took %v", 2*more, took)
	}
	if wc := member.next(t); wc.Status != verbs.WCSuccess || wc.ByteLen != verbs.GRHSize+4096 {
		t.Errorf("the member's completion %+v", wc)
	}
}

// TestLoss: every third message of a QP is lost, and its sender is not told.
func TestLoss(t *testing.T) {
	d, err := Device("shm_whole", Options{Loss: 3})
	check(t, err)
	m, sender := newMailbox(t), newMailboxOn(t, d.(*device))
	ah := sender.handle(t, gidOf(m.ctx.id))
	for range 10 {
		m.recv(t, 7, verbs.GRHSize+datagramMTU)
	}
	var came []uint32
	for n := range 9 {
		sender.send(t, ah, m.qp.num, n)
	}
	for range 6 {
		came = append(came, m.next(t).ByteLen-verbs.GRHSize)
	}
	if !slices.Equal(came, []uint32{0, 1, 3, 4, 6, 7}) {
		t.Errorf("messages of %d bytes came", came)
	}
}

// TestReceiverThatEnds: messages to a context that is gone are lost, as all that
// find nobody.
func TestReceiverThatEnds(t *testing.T) {
	m, gone := newMailbox(t), newMailbox(t)
	ah := m.handle(t, gidOf(gone.ctx.id))
	check(t, gone.ctx.Close())
	for range 3 {
		m.send(t, ah, gone.qp.num, 8)
	}
	check(t, ah.Close())
	m.works(t)
}

// TestDeregisterWhileReceiving: memory that is deregistered is not written any
// more, while messages come.
func TestDeregisterWhileReceiving(t *testing.T) {
	m, sender := newMailbox(t), newMailbox(t)
	ah := sender.handle(t, gidOf(m.ctx.id))
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				sender.send(t, ah, m.qp.num, 2048)
			}
		}
	})
	for range 100 {
		buf, err := verbs.NewBuffer(1 << 14)
		check(t, err)
		mr, err := m.pd.RegMR(buf.Bytes(), verbs.AccessLocalWrite)
		check(t, err)
		for i := range 4 {
			sge := verbs.SGE{Addr: mr.Addr() + uint64(i)<<12, Length: 4096, LKey: mr.LKey()}
			_, err := m.qp.PostRecv(&verbs.RecvWR{SGList: &sge, NumSGE: 1})
			check(t, err)
		}
		m.next(t)
		check(t, mr.Close())
		check(t, buf.Close())
		m.revive(t)
	}
	close(stop)
	wg.Wait()
	m.works(t)
}

// FuzzDatagram feeds the decoder of what comes over the socket.
func FuzzDatagram(f *testing.F) {
	d := datagram{mark: datagramMark, dest: 5, src: 6, qkey: 7, flags: datagramWithImm, imm: [4]byte{1, 2, 3, 4}}
	d.grh = grhTo(&verbs.GlobalRoute{HopLimit: 3, FlowLabel: 4, TrafficClass: 5}, gidOf(1), 2)
	f.Add(append(viewBytes(&d), 8, 9))
	f.Fuzz(func(t *testing.T, b []byte) {
		d := decodeDatagram(b)
		if d == nil {
			return
		}
		route := d.route()
		again := datagram{mark: datagramMark, dest: d.dest, src: d.src, qkey: d.qkey, flags: d.flags, imm: d.imm}
		again.grh = grhTo(&route, d.sgid, len(b)-datagramHeader-verbs.GRHSize)
		again.dgid = d.dgid
		if again != *d {
			t.Errorf("%x decodes to %+v", b, d)
		}
		if d.length() > datagramMTU || d.dest > qpnMask || (d.dest == groupQPN) != isMulticast(d.dgid) {
			t.Errorf("%x is accepted", b)
		}
	})
}

// TestDatagramKeepsBlocks: a message is stored by the blocks of memory that it goes to, whatever
// addresses a region has.
func TestDatagramKeepsBlocks(t *testing.T) {
	m := newMailbox(t)
	for _, from := range []int{0, 1, 64, 127} {
		mr, err := m.pd.RegMR(m.buf.Bytes()[from:], verbs.AccessLocalWrite|verbs.AccessZeroBased)
		check(t, err)
		sges := []verbs.SGE{{Addr: 0, Length: 100, LKey: mr.LKey()}, {Addr: 200, Length: 300, LKey: mr.LKey()}}
		if status := m.qp.fill(sges, make([]byte, 400)); status != verbs.WCSuccess {
			t.Fatal(status)
		}
		for i, p := range m.qp.message[:len(sges)] { // what was placed
			if at := addressOf(p.Dst); p.Base%verbs.BlockSize != at%verbs.BlockSize {
				t.Errorf("region from byte %d: piece %d goes to %#x, and is placed as one to %#x", from, i, at, p.Base)
			}
		}
		check(t, mr.Close())
	}
}
