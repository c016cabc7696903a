package shm

import (
	"encoding/binary"
	"math/rand"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/ibperf/ibperf/internal/testclock"
	"github.com/ibperf/ibperf/verbs"
)

// udNode is a context with a UD QP in RTS.
type udNode struct {
	ctx *context
	pd  *pd
	qp  *qp
	cq  verbs.CQ
	buf *verbs.Buffer
	mr  verbs.MR
}

const (
	testQKey        = 0x1234
	messageDeadline = 10 * time.Second
)

func newUDNode(t testing.TB) *udNode { return newUDNodeOn(t, listed[0]) }

func newUDNodeOn(t testing.TB, d *device) *udNode {
	t.Helper()
	ctx, err := open(d)
	check(t, err)
	t.Cleanup(func() { ctx.Close() })
	p, err := ctx.AllocPD()
	check(t, err)
	m := &udNode{ctx: ctx, pd: p.(*pd)}
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
	m.resetToRTS(t)
	return m
}

// resetToRTS takes the QP through RESET to RTS.
func (m *udNode) resetToRTS(t testing.TB) {
	t.Helper()
	check(t, m.qp.Modify(&verbs.QPAttr{State: verbs.QPReset}, verbs.MaskState))
	check(t, m.qp.Modify(&verbs.QPAttr{State: verbs.QPInit, PortNum: 1, QKey: testQKey},
		verbs.MaskState|verbs.MaskPort|verbs.MaskPKeyIndex|verbs.MaskQKey))
	check(t, m.qp.Modify(&verbs.QPAttr{State: verbs.QPRTR}, verbs.MaskState))
	check(t, m.qp.Modify(&verbs.QPAttr{State: verbs.QPRTS}, verbs.MaskState|verbs.MaskSQPSN))
}

func (m *udNode) postRecv(t testing.TB, id uint64, n int) {
	t.Helper()
	sge := verbs.SGE{Addr: m.mr.Addr(), Length: uint32(n), LKey: m.mr.LKey()}
	_, err := m.qp.PostRecv(&verbs.RecvWR{WRID: id, SGList: &sge, NumSGE: 1})
	check(t, err)
}

func (m *udNode) createAH(t testing.TB, to verbs.GID) verbs.AH {
	t.Helper()
	ah, err := m.pd.CreateAH(&verbs.AHAttr{IsGlobal: true, PortNum: 1, GRH: verbs.GlobalRoute{DGID: to, HopLimit: 1}})
	check(t, err)
	return ah
}

func (m *udNode) sendMessage(t testing.TB, ah verbs.AH, qpn uint32, n int) {
	t.Helper()
	sge := verbs.SGE{Addr: m.mr.Addr(), Length: uint32(n), LKey: m.mr.LKey()}
	wr := verbs.SendWR{WRID: 99, Opcode: verbs.OpSend, SendFlags: verbs.SendSignaled, SGList: &sge, NumSGE: 1}
	wr.SetUD(ah, qpn, testQKey)
	_, err := m.qp.PostSend(&wr)
	check(t, err)
	if wc := m.nextCompletion(t); wc.WRID != 99 || wc.Status != verbs.WCSuccess {
		t.Fatalf("completion %+v", wc)
	}
}

func (m *udNode) nextCompletion(t testing.TB) verbs.WC {
	t.Helper()
	var wc [1]verbs.WC
	for end := time.Now().Add(messageDeadline); time.Now().Before(end); {
		if n, err := m.cq.Poll(wc[:]); n == 1 || err != nil {
			check(t, err)
			return wc[0]
		}
	}
	t.Fatal("no completion")
	return wc[0]
}

// checkWorks checks that a message from a new context arrives, after those sent before.
func (m *udNode) checkWorks(t *testing.T) {
	t.Helper()
	other := newUDNode(t)
	ah := other.createAH(t, gidOf(m.ctx.id))
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); {
		m.postRecv(t, 7, verbs.GRHSize+datagramMTU)
		other.sendMessage(t, ah, m.qp.num, 8)
		wc := m.nextCompletion(t)
		if wc.WRID != 7 || wc.Status != verbs.WCSuccess {
			t.Errorf("completion %+v", wc)
		}
		if wc.SrcQP == other.qp.num && wc.ByteLen == verbs.GRHSize+8 {
			return
		}
	}
	t.Error("the message did not arrive within 20 s")
}

// honestPacket returns a valid message to the node.
func (m *udNode) honestPacket(n int) []byte {
	d := datagram{mark: datagramMark, dest: m.qp.num, src: 5, qkey: testQKey}
	d.grh = grhTo(&verbs.GlobalRoute{DGID: gidOf(m.ctx.id), HopLimit: 1}, gidOf(77), n)
	return append(viewBytes(&d), make([]byte, n)...)
}

// TestInvalidDatagramsAreDropped covers that packets other than valid messages to this QP are
// dropped.
func TestInvalidDatagramsAreDropped(t *testing.T) {
	m := newUDNode(t)
	rc, err := m.pd.CreateQP(&verbs.QPInitAttr{SendCQ: m.cq, RecvCQ: m.cq, Type: verbs.QPTypeRC, Cap: verbs.QPCap{MaxRecvWR: 1}})
	check(t, err)
	self := verbs.Endpoint{QPNum: rc.QPNum(), GID: gidOf(m.ctx.id), MTU: verbs.MTU1024}
	check(t, verbs.Connect(rc, verbs.Path{Port: 1}, remoteAccessFlags, self, self))
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
		"with unknown flags":     func(b []byte) []byte { b[16] = 4; return b },
		"with a GRH of IPv4":     func(b []byte) []byte { b[24] = 4 << 4; return b },
		"with a GRH without UDP": func(b []byte) []byte { b[30] = 6; return b },
		"without its mark":       func(b []byte) []byte { b[0]++; return b },
	}
	for name, spoil := range cases {
		t.Run(name, func(t *testing.T) {
			m.postRecv(t, 7, 4096)
			conn, _, err := dial(m.ctx.id)
			check(t, err)
			defer conn.Close()
			for _, b := range [][]byte{spoil(m.honestPacket(16)), m.honestPacket(17)} {
				_, err = conn.Write(b)
				check(t, err)
			}
			if wc := m.nextCompletion(t); wc.ByteLen != verbs.GRHSize+17 || wc.Status != verbs.WCSuccess {
				t.Errorf("completion %+v", wc)
			}
		})
	}
	m.checkWorks(t)
}

// TestRandomlyCorruptedDatagrams flips random bits of valid messages.
func TestRandomlyCorruptedDatagrams(t *testing.T) {
	m := newUDNode(t)
	rng := rand.New(rand.NewSource(1))
	for range 300 {
		b := m.honestPacket(rng.Intn(64))
		for range 1 + rng.Intn(4) {
			b[rng.Intn(len(b))] ^= byte(1 << rng.Intn(8))
		}
		conn, _, err := dial(m.ctx.id)
		check(t, err)
		conn.Write(b)
		conn.Close()
	}
	m.resetToRTS(t)
	m.checkWorks(t)
}

// TestDatagramsToStalledReceiver covers a context that does not read its messages: it blocks
// neither the sender nor other members of a group.
func TestDatagramsToStalledReceiver(t *testing.T) {
	m, member := newUDNode(t), newUDNode(t)
	im := newFakePeer(t, newNode(t), newQueueMemory(t), newQueueMemory(t), nil)
	group := verbs.GID{0xff, 0x15, 15: byte(time.Now().UnixNano()), 14: 0x77}
	check(t, member.qp.AttachMcast(group, 0))
	defer member.qp.DetachMcast(group, 0)
	direct, toGroup := m.createAH(t, gidOf(im.id)), m.createAH(t, group)
	start := testclock.Start()
	const more = 2 * socketBufferSize / 4096 // more than the socket holds
	for range more {
		m.sendMessage(t, direct, 1, 4096)
	}
	for i := range more {
		if i%20 == 0 {
			member.postRecv(t, 7, 4096+verbs.GRHSize)
		}
		m.sendMessage(t, toGroup, groupQPN, 4096)
	}
	if took := start.Took(); took > messageDeadline {
		t.Errorf("%d messages took %v", 2*more, took)
	}
	if wc := member.nextCompletion(t); wc.Status != verbs.WCSuccess || wc.ByteLen != verbs.GRHSize+4096 {
		t.Errorf("completion of the other member: %+v", wc)
	}
}

// TestInjectedLoss covers that every third message of a QP is lost without notice to the sender.
func TestInjectedLoss(t *testing.T) {
	d, err := Device("shm_whole", Options{Loss: 3})
	check(t, err)
	m, sender := newUDNode(t), newUDNodeOn(t, d.(*device))
	ah := sender.createAH(t, gidOf(m.ctx.id))
	for range 10 {
		m.postRecv(t, 7, verbs.GRHSize+datagramMTU)
	}
	var arrived []uint32
	for n := range 9 {
		sender.sendMessage(t, ah, m.qp.num, n)
	}
	for range 6 {
		arrived = append(arrived, m.nextCompletion(t).ByteLen-verbs.GRHSize)
	}
	if !slices.Equal(arrived, []uint32{0, 1, 3, 4, 6, 7}) {
		t.Errorf("messages of %d bytes arrived", arrived)
	}
}

// TestDatagramsToClosedContext covers that messages to a closed context are lost.
func TestDatagramsToClosedContext(t *testing.T) {
	m, gone := newUDNode(t), newUDNode(t)
	ah := m.createAH(t, gidOf(gone.ctx.id))
	check(t, gone.ctx.Close())
	for range 3 {
		m.sendMessage(t, ah, gone.qp.num, 8)
	}
	check(t, ah.Close())
	m.checkWorks(t)
}

// TestDeregisterWhileReceivingDatagrams covers that deregistered memory is not written while
// messages arrive.
func TestDeregisterWhileReceivingDatagrams(t *testing.T) {
	m, sender := newUDNode(t), newUDNode(t)
	ah := sender.createAH(t, gidOf(m.ctx.id))
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				sender.sendMessage(t, ah, m.qp.num, 2048)
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
		m.nextCompletion(t)
		check(t, mr.Close())
		check(t, buf.Close())
		m.resetToRTS(t)
	}
	close(stop)
	wg.Wait()
	m.checkWorks(t)
}

// FuzzDatagram fuzzes the decoder of packets.
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
			t.Errorf("invalid packet %x was accepted", b)
		}
	})
}

// TestDatagramsAreStoredByBlocks covers that messages are stored in blocks of memory addresses,
// independent of the region's addresses.
func TestDatagramsAreStoredByBlocks(t *testing.T) {
	m := newUDNode(t)
	for _, from := range []int{0, 1, 64, 127} {
		mr, err := m.pd.RegMR(m.buf.Bytes()[from:], verbs.AccessLocalWrite|verbs.AccessZeroBased)
		check(t, err)
		sges := []verbs.SGE{{Addr: 0, Length: 100, LKey: mr.LKey()}, {Addr: 200, Length: 300, LKey: mr.LKey()}}
		if status := m.qp.fill(sges, make([]byte, 400)); status != verbs.WCSuccess {
			t.Fatal(status)
		}
		for i, p := range m.qp.pieces[:len(sges)] { // the pieces that were stored
			if at := addressOf(p.Dst); p.Base%verbs.BlockSize != at%verbs.BlockSize {
				t.Errorf("region from byte %d: piece %d goes to %#x, and is stored with base %#x", from, i, at, p.Base)
			}
		}
		check(t, mr.Close())
	}
}
