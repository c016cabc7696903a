package verbstest

import (
	"errors"

	"github.com/ibperf/ibperf/verbs"
)

// allRights are the rights that the suite's operations need.
const allRights = verbs.AccessLocalWrite | verbs.AccessRemoteWrite | verbs.AccessRemoteRead

// The depths of the queues, and how much inline data: what every device has.
const (
	depth     = 32
	maxSGE    = 4
	maxInline = 64
)

// config says what a side is made of; conf returns one that suits most statements.
type config struct {
	typ      verbs.QPType
	size     int // of the buffer
	cap      verbs.QPCap
	cqe      int
	sigAll   bool
	oneCQ    bool // for both queues
	srq      int  // depth of an SRQ that the QP takes from; 0: a receive queue of its own
	channel  bool // for all CQs
	inMemory bool // without scatter to CQE
	sendOps  verbs.SendOps
	extended bool // CQs, of which stamps are asked
	stamps   verbs.Timestamps
	access   verbs.Access
	qpAccess verbs.Access

	psn                                uint32
	rnrTimer, timeout, retry, rnrRetry uint8
	rdAtomic, destRdAtomic             uint8
	qkey                               uint32 // UD
}

func conf() config {
	return config{
		typ: verbs.QPTypeRC, size: 1 << 16, cqe: 4 * depth, access: allRights, qpAccess: allRights,
		cap: verbs.QPCap{
			MaxSendWR: depth, MaxRecvWR: depth, MaxSendSGE: maxSGE, MaxRecvSGE: maxSGE, MaxInlineData: maxInline,
		},
		rnrTimer: 12, timeout: 14, retry: 6, rnrRetry: 7, rdAtomic: 4, destRdAtomic: 4,
		qkey: 0x1234567,
	}
}

// of returns the configuration for QPs of a type.
func (c config) of(typ verbs.QPType) config {
	c.typ = typ
	return c
}

// impatient makes a requester give up after 2 * 67 ms without an answer.
func (c config) impatient() config {
	c.retry = 1
	return c
}

// side is one end of a connection with everything it needs.
type side struct {
	*env
	conf           config
	ctx            verbs.Context
	pd             verbs.PD
	ch             verbs.CompChannel // nil without
	sendCQ, recvCQ *queue
	srq            verbs.SRQ  // nil without
	xrcd           verbs.XRCD // of XRC_RECV
	remoteSRQ      uint32     // of XRC_SEND: what its requests name, unless they say so
	qp             verbs.QP
	buf            *verbs.Buffer
	mem            []byte
	mr             verbs.MR
	requests       *requests
	keptBack       int // SENDs of up to so many bytes need not be in memory before the CQ is polled
}

// side opens the device and makes a QP in RESET.
func (e *env) side(c config) *side {
	e.Helper()
	return e.sideOn(e.open(), c)
}

// sideOn makes a side in an opened context.
func (e *env) sideOn(ctx verbs.Context, c config) *side {
	e.Helper()
	s := &side{env: e, conf: c, ctx: ctx, pd: e.pd(ctx), buf: e.buffer(c.size), requests: e.newRequests()}
	s.mem = s.buf.Bytes()
	s.mr = e.register(s.pd, s.mem, c.access)
	if c.channel {
		ch, err := ctx.CreateCompChannel()
		s.ch = own(e, ch, err)
	}
	s.recvCQ = e.queueOf(e.cq(ctx, c, s.ch))
	s.sendCQ = s.recvCQ
	if !c.oneCQ {
		s.sendCQ = e.queueOf(e.cq(ctx, c, s.ch))
	}
	if c.typ == verbs.QPTypeXRCRecv {
		s.xrcd = e.xrcd(ctx)
		s.srq = s.xrcSRQ(s.recvCQ)
	}
	if c.srq > 0 {
		s.srq = s.newSRQ(verbs.SRQAttr{MaxWR: c.srq, MaxSGE: maxSGE})
	}
	s.newQP()
	return s
}

// newQP makes the side's QP, or a further one that takes its place.
func (s *side) newQP() {
	s.Helper()
	if s.conf.typ == verbs.QPTypeXRCRecv {
		qp, err := s.xrcd.CreateRecvQP()
		s.qp = own(s.env, qp, err)
		return
	}
	init := verbs.QPInitAttr{
		SendCQ: s.sendCQ.CQ, RecvCQ: s.recvCQ.CQ, Cap: s.conf.cap, Type: s.conf.typ, SigAll: s.conf.sigAll,
		SRQ: s.srq, NoScatterToCQE: s.conf.inMemory, SendOps: s.conf.sendOps,
	}
	qp, err := s.pd.CreateQP(&init)
	s.keptBack = init.MaxScatterToCQE
	if s.conf.typ != verbs.QPTypeRC && errors.Is(err, verbs.ErrNotSupported) {
		s.Skipf("the device offers no %s", s.conf.typ)
	}
	if s.conf.sendOps != 0 && errors.Is(err, verbs.ErrNotSupported) {
		s.Skipf("the device has no ibv_wr_post for operations %#x", uint64(s.conf.sendOps))
	}
	s.qp = own(s.env, qp, err)
}

// region registers new memory of the side.
func (s *side) region(size int, access verbs.Access) ([]byte, verbs.MR) {
	s.Helper()
	buf := s.buffer(size)
	return buf.Bytes(), s.register(s.pd, buf.Bytes(), access)
}

// foreign registers the side's memory in another domain.
func (s *side) foreign() verbs.MR {
	s.Helper()
	return s.register(s.env.pd(s.ctx), s.mem, allRights)
}

// pair makes two sides, each with a context of its own, connected in RTS.
func (e *env) pair(c config) (a, b *side) {
	e.Helper()
	a, b = e.side(c), e.side(c)
	connect(a, b)
	return a, b
}

// connect takes both QPs from RESET to RTS.
func connect(a, b *side) {
	a.Helper()
	for _, s := range []verbs.QPState{verbs.QPInit, verbs.QPRTR, verbs.QPRTS} {
		a.to(s, b)
		b.to(s, a)
	}
}

// recover takes both QPs from any state through RESET to RTS, with empty CQs.
func (a *side) recover(b *side) {
	a.Helper()
	a.to(verbs.QPReset, b)
	b.to(verbs.QPReset, a)
	for _, s := range []*side{a, b} {
		s.sendCQ.discard()
		s.recvCQ.discard()
	}
	connect(a, b)
}

// reconnect takes the side's QP through RESET to RTS again, alone.
func (s *side) reconnect(peer *side) {
	s.Helper()
	for _, state := range []verbs.QPState{verbs.QPReset, verbs.QPInit, verbs.QPRTR, verbs.QPRTS} {
		s.to(state, peer)
	}
}

// sge names n bytes of the side's buffer.
func (s *side) sge(off, n int) verbs.SGE { return sgeOf(s.mr, off, n) }

// sgeOf names n bytes of a region.
func sgeOf(mr verbs.MR, off, n int) verbs.SGE {
	return verbs.SGE{Addr: mr.Addr() + uint64(off), Length: uint32(n), LKey: mr.LKey()}
}
