package verbstest

import (
	"encoding/binary"
	"syscall"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

func behindGRH(e *env) {
	l := e.udPair()
	for _, n := range []int{64, 0, 1, 1000} {
		if wc := l.carries(n); wc.ByteLen != uint32(verbs.GRHSize+n) {
			e.Errorf("a message of %d bytes: byte_len %d", n, wc.ByteLen)
		}
	}
}

func udReceives(e *env) {
	e.sub("own", func(e *env) { e.udPair().intoReceives() })
	e.sub("SRQ", func(e *env) { e.udPairOf(conf().OnSRQ()).intoReceives() })
}

// intoReceives receives messages; one of the receives has exactly the length of its message.
func (l *udPair) intoReceives() {
	l.Helper()
	for i, spare := range []int{0, 1, 50} {
		area := l.b.Mem[i*200:][:200]
		fixture.Fill(area, 9)
		l.b.PostRecv(recv{ID: uint64(i), SGEs: []verbs.SGE{l.b.SGE(i*200, verbs.GRHSize+16+spare)}})
	}
	fixture.Fill(l.a.Mem[:16], 1)
	for i := range 3 {
		l.post(l.message(uint64(i), 16))
		l.b.RecvCQ.Expect(uint64(i), verbs.WCSuccess)
		area := l.b.Mem[i*200:][:200]
		l.holds(area[verbs.GRHSize:][:16], string(l.a.Mem[:16]))
		rest := make([]byte, 200)
		fixture.Fill(rest, 9)
		l.holds(area[verbs.GRHSize+16:], string(rest[verbs.GRHSize+16:]))
		if h := headerIn(area); h.destination != l.gid(l.b.Ctx) {
			l.Errorf("receive %d: a message to %s", i, h.destination)
		}
	}
}

func grhIsThere(e *env) {
	l := e.udPair()
	if wc := l.carries(8); wc.Flags&verbs.WCGRH == 0 {
		e.Fatalf("flags %#x", wc.Flags)
	}
	h := headerIn(l.b.Mem)
	if from, to := e.gid(l.a.Ctx), e.gid(l.b.Ctx); h.source != from || h.destination != to {
		e.Errorf("from %s to %s, want from %s to %s", h.source, h.destination, from, to)
	}
}

func grhIsIPHeader(e *env) {
	l := e.udPair()
	entry, err := l.b.Ctx.QueryGID(e.target.Port, e.target.GIDIndex)
	e.ok(err)
	if entry.Type != verbs.GIDTypeRoCEv2 {
		e.Skipf("the GID is %s", entry.Type)
	}
	l.carries(8)
	const udp = 17
	h := headerIn(l.b.Mem)
	if h.version != 6 && !(h.version == 4 && isMapped(entry.GID)) || h.next != udp || h.hop == 0 {
		e.Errorf("IP version %d, protocol %d, hop limit %d", h.version, h.next, h.hop)
	}
}

func splitReceive(e *env) {
	l := e.udPair()
	if l.b.Config.Cap.MaxRecvSGE < 3 {
		e.Skip("a receive of the device has fewer than 3 SGEs")
	}
	fixture.Fill(l.a.Mem[:20], 1)
	l.b.PostRecv(recv{ID: 1, SGEs: []verbs.SGE{l.b.SGE(500, verbs.GRHSize), l.b.SGE(100, 12), l.b.SGE(0, 100)}})
	l.post(l.message(1, 20))
	l.b.RecvCQ.Expect(1, verbs.WCSuccess)
	e.holds(l.b.Mem[100:112], string(l.a.Mem[:12]))
	e.holds(l.b.Mem[:8], string(l.a.Mem[12:20]))
	if h := headerIn(l.b.Mem[500:]); h.source != e.gid(l.a.Ctx) {
		e.Errorf("the first SGE's header is from %s", h.source)
	}
	for _, gap := range [][2]int{{8, 100}, {112, 500}, {500 + verbs.GRHSize, 600}} {
		if touched(l.b.Mem[gap[0]:gap[1]]) {
			e.Errorf("something is between %d and %d", gap[0], gap[1])
		}
	}
}

func senderAndImm(e *env) {
	l := e.udPair()
	second := e.side(l.a.Config)
	second.Enter(verbs.QPRTS, l.b)
	other := &udPair{env: e, a: second, b: l.b, ah: second.handle(l.b)}
	for _, l := range []*udPair{l, other} {
		if wc := l.carries(8); wc.SrcQP != l.a.QP.QPNum() || wc.Flags&verbs.WCWithImm != 0 {
			e.Errorf("%+v, sent by QP %#x", wc, l.a.QP.QPNum())
		}
		l.b.room(1, 0)
		l.post(l.marker(1))
		if wc := l.b.RecvCQ.Expect(1, verbs.WCSuccess); wc.SrcQP != l.a.QP.QPNum() || wc.Flags&verbs.WCWithImm == 0 || wc.Imm != imm {
			e.Errorf("%+v, sent by QP %#x with immediate data", wc, l.a.QP.QPNum())
		}
	}
}

func replyHandle(e *env) {
	l := e.udPair()
	wc := l.carries(8)
	attr, err := l.b.Ctx.InitAHFromWC(e.target.Port, &wc, l.b.Mem[:verbs.GRHSize])
	e.ok(err)
	h := headerIn(l.b.Mem)
	want := verbs.AHAttr{
		IsGlobal: true, PortNum: uint8(e.target.Port), DLID: wc.SLID, SL: wc.SL, SrcPathBits: wc.DLIDPathBits,
		GRH: verbs.GlobalRoute{
			DGID: e.gid(l.a.Ctx), FlowLabel: attr.GRH.FlowLabel, SGIDIndex: attr.GRH.SGIDIndex,
			HopLimit: h.hop, TrafficClass: h.class,
		},
	}
	if attr != want {
		e.Errorf("%+v, want %+v", attr, want)
	}
	entry, err := l.b.Ctx.QueryGID(e.target.Port, int(attr.GRH.SGIDIndex))
	if err != nil || entry.GID != e.gid(l.b.Ctx) {
		e.Errorf("sgid_index %d is %s, %v; the message went to %s", attr.GRH.SGIDIndex, entry.GID, err, e.gid(l.b.Ctx))
	}
}

// ipv6 returns a GRH of a RoCE v2 message.
func ipv6(from, to verbs.GID) []byte {
	grh := make([]byte, verbs.GRHSize)
	binary.BigEndian.PutUint32(grh, 6<<28)
	grh[6], grh[7] = 17, 64
	copy(grh[8:], from[:])
	copy(grh[24:], to[:])
	return grh
}

func noReplyHandle(e *env) {
	ctx := e.open()
	self := e.gid(ctx)
	attr, err := ctx.InitAHFromWC(e.target.Port, &verbs.WC{}, nil)
	e.ok(err)
	if attr.IsGlobal || attr.PortNum != uint8(e.target.Port) {
		e.Errorf("without a GRH: %+v", attr)
	}
	wc := &verbs.WC{Flags: verbs.WCGRH}
	_, err = ctx.InitAHFromWC(e.target.Port, wc, make([]byte, verbs.GRHSize))
	e.refused("a header of no version", err, syscall.EPROTONOSUPPORT)
	_, err = ctx.InitAHFromWC(e.target.Port, wc, ipv6(self, verbs.GID{0xff, 0x0e, 15: 1}))
	e.refused("a header to a group", err, syscall.EINVAL)
	if _, err = ctx.InitAHFromWC(e.target.Port, wc, ipv6(self, verbs.GID{0x20, 0x01, 0x0d, 0xb8, 15: 1})); err == nil {
		e.Error("a header to another host is accepted")
	}
}

func answered(e *env) {
	l := e.udPair()
	wc := l.carries(8)
	ah, err := l.b.PD.CreateAHFromWC(&wc, l.b.Mem[:verbs.GRHSize], e.target.Port)
	own(e, ah, err)
	back := &udPair{env: e, a: l.b, b: l.a, ah: ah, count: 50}
	w := back.message(1, 8)
	w.QPN = wc.SrcQP
	l.a.room(2, 8)
	back.post(w)
	if got := l.a.RecvCQ.Expect(2, verbs.WCSuccess); got.SrcQP != l.b.QP.QPNum() {
		e.Errorf("answered by QP %#x, want %#x", got.SrcQP, l.b.QP.QPNum())
	}
	if _, err := l.b.PD.CreateAHFromWC(&wc, make([]byte, verbs.GRHSize), e.target.Port); err == nil {
		e.Error("an address handle was made of an empty header")
	}
}
