package shm_test

import (
	"testing"

	"github.com/ibperf/ibperf/verbs"
	_ "github.com/ibperf/ibperf/verbs/shm"
)

// The embedded devices, and those that are listed.
var (
	devices = []string{"shm_whole", "shm_block128", "shm_unordered", "shm_liar"}
	listed  = devices[:3]
)

const (
	allRights = verbs.AccessLocalWrite | verbs.AccessRemoteWrite | verbs.AccessRemoteRead | verbs.AccessRemoteAtomic
	pageSize  = 4096
)

// config says what a side is made of; conf gives one that suits most tests.
type config struct {
	device   string
	typ      verbs.QPType
	size     int // of the buffer
	cap      verbs.QPCap
	cqe      int
	sigAll   bool
	oneCQ    bool // for both queues
	channel  bool // for the receive CQ
	stamps   verbs.Timestamps
	access   verbs.Access
	qpAccess verbs.Access

	// RTR and RTS
	psn, rnrTimer, timeout, retry, rnrRetry uint8
	rdAtomic, destRdAtomic                  uint8
}

func conf() config {
	return config{
		device: "shm_whole", typ: verbs.QPTypeRC, size: 1 << 16, cqe: 256, access: allRights, qpAccess: allRights,
		cap:      verbs.QPCap{MaxSendWR: 64, MaxRecvWR: 64, MaxSendSGE: 4, MaxRecvSGE: 4, MaxInlineData: 64},
		rnrTimer: 1, timeout: 8, retry: 1, rnrRetry: 1, rdAtomic: 16, destRdAtomic: 16,
	}
}

// side is one end of a connection with everything it needs.
type side struct {
	conf     config
	ctx      verbs.Context
	pd       verbs.PD
	ch       verbs.CompChannel
	sendCQ   verbs.CQ
	recvCQ   verbs.CQ
	qp       verbs.QP
	buf      *verbs.Buffer
	mem      []byte
	mr       verbs.MR
	requests *requests
}

// newSide opens a device of its own and makes a QP in RESET.
func newSide(t testing.TB, c config) *side {
	t.Helper()
	return newSideOn(t, openDevice(t, c.device), c)
}

func openDevice(t testing.TB, name string) verbs.Context {
	t.Helper()
	dev := must(verbs.Lookup(name))(t)
	ctx := must(dev.Open())(t)
	t.Cleanup(func() { noError(t, ctx.Close()) })
	return ctx
}

// newSideOn makes a side in an opened context.
func newSideOn(t testing.TB, ctx verbs.Context, c config) *side {
	t.Helper()
	s := &side{conf: c, ctx: ctx, requests: newRequests(t)}
	s.pd = must(s.ctx.AllocPD())(t)
	t.Cleanup(func() { noError(t, s.pd.Close()) })
	s.buf, s.mr = s.register(t, c.size, c.access)
	s.mem = s.buf.Bytes()
	if c.channel {
		s.ch = must(s.ctx.CreateCompChannel())(t)
		t.Cleanup(func() { noError(t, s.ch.Close()) })
	}
	s.recvCQ = s.newCQ(t, s.ch)
	s.sendCQ = s.recvCQ
	if !c.oneCQ {
		s.sendCQ = s.newCQ(t, nil)
	}
	s.newQP(t)
	return s
}

func (s *side) newCQ(t testing.TB, ch verbs.CompChannel) verbs.CQ {
	t.Helper()
	cq := must(s.ctx.(verbs.CQExCreator).CreateCQEx(&verbs.CQInitAttrEx{CQE: s.conf.cqe, Channel: ch, Timestamps: s.conf.stamps}))(t)
	t.Cleanup(func() { noError(t, cq.Close()) })
	return cq
}

// newQP makes the side's QP, or a further one.
func (s *side) newQP(t testing.TB) {
	t.Helper()
	init := verbs.QPInitAttr{
		SendCQ: s.sendCQ, RecvCQ: s.recvCQ, Cap: s.conf.cap, Type: s.conf.typ, SigAll: s.conf.sigAll,
	}
	qp := must(s.pd.CreateQP(&init))(t)
	t.Cleanup(func() { noError(t, qp.Close()) })
	s.qp = qp
}

// register makes a buffer and a region on all of it.
func (s *side) register(t testing.TB, size int, access verbs.Access) (*verbs.Buffer, verbs.MR) {
	t.Helper()
	buf := must(verbs.NewBuffer(size))(t)
	t.Cleanup(func() { noError(t, buf.Close()) })
	mr := must(s.pd.RegMR(buf.Bytes(), access))(t)
	t.Cleanup(func() { noError(t, mr.Close()) })
	return buf, mr
}

// pair makes two sides, each with a context of its own, connected in RTS.
func pair(t testing.TB, c config) (a, b *side) {
	t.Helper()
	a, b = newSide(t, c), newSide(t, c)
	connect(t, a, b)
	return a, b
}

func connect(t testing.TB, a, b *side) {
	t.Helper()
	for _, s := range []verbs.QPState{verbs.QPInit, verbs.QPRTR, verbs.QPRTS} {
		a.to(t, s, b)
		b.to(t, s, a)
	}
}

// to moves the side's QP to the state, with the peer as its other end.
func (s *side) to(t testing.TB, state verbs.QPState, peer *side) {
	t.Helper()
	attr, mask := s.move(t, state, peer)
	noError(t, s.qp.Modify(attr, mask))
}

// move returns what Modify needs for the move to the state.
func (s *side) move(t testing.TB, state verbs.QPState, peer *side) (*verbs.QPAttr, verbs.QPAttrMask) {
	t.Helper()
	a, mask := &verbs.QPAttr{State: state}, verbs.MaskState
	switch state {
	case verbs.QPInit:
		a.PortNum, a.AccessFlags = 1, s.conf.qpAccess
		mask |= verbs.MaskPort | verbs.MaskPKeyIndex | verbs.MaskAccessFlags
	case verbs.QPRTR:
		gid := must(peer.ctx.QueryGID(1, 0))(t)
		a.PathMTU, a.DestQPNum, a.RQPSN = verbs.MTU1024, peer.qp.QPNum(), uint32(peer.conf.psn)
		a.MaxDestRdAtomic, a.MinRNRTimer = s.conf.destRdAtomic, s.conf.rnrTimer
		a.AH = verbs.AHAttr{IsGlobal: true, PortNum: 1, GRH: verbs.GlobalRoute{DGID: gid.GID, HopLimit: 255}}
		mask |= verbs.MaskAV | verbs.MaskPathMTU | verbs.MaskDestQPN | verbs.MaskRQPSN
		if s.conf.typ == verbs.QPTypeRC {
			mask |= verbs.MaskMaxDestRdAtomic | verbs.MaskMinRNRTimer
		}
	case verbs.QPRTS:
		a.SQPSN, a.Timeout, a.RetryCnt = uint32(s.conf.psn), s.conf.timeout, s.conf.retry
		a.RNRRetry, a.MaxRdAtomic = s.conf.rnrRetry, s.conf.rdAtomic
		mask |= verbs.MaskSQPSN
		if s.conf.typ == verbs.QPTypeRC {
			mask |= verbs.MaskTimeout | verbs.MaskRetryCnt | verbs.MaskRNRRetry | verbs.MaskMaxRdAtomic
		}
	}
	return a, mask
}

// state asks the QP.
func (s *side) state(t testing.TB) verbs.QPState {
	t.Helper()
	a, _, err := s.qp.Query(verbs.MaskState)
	noError(t, err)
	return a.State
}

func (s *side) wantState(t testing.TB, want verbs.QPState) {
	t.Helper()
	if got := s.state(t); got != want {
		t.Errorf("QP %#x is in %s, want %s", s.qp.QPNum(), got, want)
	}
}

// sge names n bytes of the side's buffer.
func (s *side) sge(off, n int) verbs.SGE {
	return verbs.SGE{Addr: s.mr.Addr() + uint64(off), Length: uint32(n), LKey: s.mr.LKey()}
}
