//go:build linux && cgo

package ibv

import (
	"errors"
	"syscall"
	"testing"

	"github.com/ibperf/ibperf/verbs"
)

// TestSessionsEachWay runs the tests of QPs that are posted to by ibv_wr_post.
func TestSessionsEachWay(t *testing.T) {
	for name, forced := range ways {
		t.Run(name, func(t *testing.T) { runOnStub(t, "^TestSession[A-Z]", "IBPERF_CGO="+forced) })
	}
}

// session is an RC QP, connected with itself, that is made for some operations.
type session struct {
	*testing.T
	lane
	pd  verbs.PD
	mr  verbs.MR
	req *requests
}

const everything = verbs.AccessLocalWrite | verbs.AccessRemoteWrite | verbs.AccessRemoteRead

func newSession(t *testing.T, ops verbs.SendOps) *session {
	t.Helper()
	ctx := openLoopback(t)
	pd := made(ctx.AllocPD())(t)
	s := &session{T: t, req: outsideHeap(t), pd: pd}
	s.cq = made(ctx.CreateCQ(2*depth, nil, 0))(t)
	s.qp = made(pd.CreateQP(&verbs.QPInitAttr{
		Type: verbs.QPTypeRC, SendCQ: s.cq, RecvCQ: s.cq, SigAll: true, SendOps: ops,
		Cap: verbs.QPCap{MaxSendWR: depth, MaxRecvWR: depth, MaxSendSGE: 2, MaxRecvSGE: 2, MaxInlineData: 32},
	}))(t)
	gid := made(ctx.QueryGID(1, 0))(t)
	itself := verbs.Endpoint{QPNum: s.qp.QPNum(), GID: gid.GID, MTU: verbs.MTU1024, RdAtomic: 1}
	if err := verbs.Connect(s.qp, verbs.Path{Port: 1}, everything, itself, itself); err != nil {
		t.Fatal(err)
	}
	s.mem = made(verbs.NewBuffer(4096))(t)
	s.mr = made(pd.RegMR(s.mem.Bytes(), everything))(t)
	t.Cleanup(func() {
		if err := errors.Join(s.qp.Close(), s.mr.Close(), s.cq.Close(), pd.Close(), s.mem.Close()); err != nil {
			t.Error(err)
		}
	})
	return s
}

func (s *session) sge(i, at, n int) {
	s.req.sge[i] = verbs.SGE{Addr: s.mr.Addr() + uint64(at), Length: uint32(n), LKey: s.mr.LKey()}
}

// list makes a list of n requests; request i uses n elements from element 2*i on.
func (s *session) list(wrs ...verbs.SendWR) *verbs.SendWR {
	for i := range wrs {
		s.req.send[i] = wrs[i]
		s.req.send[i].WRID, s.req.send[i].SGList = uint64(i), &s.req.sge[2*i]
		if i > 0 {
			s.req.send[i-1].Next = &s.req.send[i]
		}
	}
	return &s.req.send[0]
}

// toward returns a request with its remote side in the same memory.
func (s *session) toward(op verbs.Opcode, at int) verbs.SendWR {
	wr := verbs.SendWR{Opcode: op, NumSGE: 1}
	wr.SetRDMA(s.mr.Addr()+uint64(at), s.mr.RKey())
	return wr
}

// completed returns the wr_ids and statuses of all completions that are there.
func (s *session) completed() (all []verbs.WC) {
	s.Helper()
	n, err := s.cq.Poll(s.req.wc)
	if err != nil {
		s.Fatal(err)
	}
	return s.req.wc[:n]
}

// TestSessionOfAllOperations: each operation does what it does by ibv_post_send.
func TestSessionOfAllOperations(t *testing.T) {
	const all = verbs.SendOpRDMAWrite | verbs.SendOpSend | verbs.SendOpSendWithImm | verbs.SendOpRDMARead
	s := newSession(t, all)
	copy(s.mem.Bytes(), "written.sent....in two parts.....inlined.")
	for i := range 3 {
		s.req.recv[i] = verbs.RecvWR{WRID: uint64(100 + i), SGList: &s.req.sge[40+i], NumSGE: 1}
		s.sge(40+i, 1024+64*i, 64)
		if _, err := s.qp.PostRecv(&s.req.recv[i]); err != nil {
			t.Fatal(err)
		}
	}
	s.sge(0, 0, 8)    // WRITE to 512
	s.sge(2, 8, 8)    // SEND
	s.sge(4, 16, 6)   // SEND_WITH_IMM of two elements
	s.sge(5, 22, 6)   //
	s.sge(6, 33, 8)   // SEND, inline
	s.sge(8, 2048, 8) // READ what was written
	sendImm := verbs.SendWR{Opcode: verbs.OpSendWithImm, NumSGE: 2, Imm: [4]byte{1, 2, 3, 4}, SendFlags: verbs.SendSolicited}
	inline := verbs.SendWR{Opcode: verbs.OpSend, NumSGE: 1, SendFlags: verbs.SendInline}
	list := s.list(s.toward(verbs.OpRDMAWrite, 512), verbs.SendWR{Opcode: verbs.OpSend, NumSGE: 1}, sendImm, inline, s.toward(verbs.OpRDMARead, 512))
	if bad, err := s.qp.PostSend(list); err != nil || bad != nil {
		t.Fatal(bad, err)
	}
	for _, wc := range s.completed() {
		if wc.Status != verbs.WCSuccess {
			t.Errorf("%+v", wc)
		}
		if wc.WRID == 101 && (wc.Flags != verbs.WCWithImm || wc.Imm != sendImm.Imm) {
			t.Errorf("immediate data: %+v", wc)
		}
	}
	for at, want := range map[int]string{512: "written.", 1024: "sent....", 1088: "in two parts", 1152: "inlined.", 2048: "written."} {
		if got := string(s.mem.Bytes()[at:][:len(want)]); got != want {
			t.Errorf("at %d: %q, want %q", at, got, want)
		}
	}
}

// TestSessionRefusals: what the QP was not made for is refused where it stands in the list,
// and a session that the device refuses as a whole.
func TestSessionRefusals(t *testing.T) {
	s := newSession(t, verbs.SendOpRDMAWrite)
	s.sge(0, 0, 8)
	s.sge(2, 0, 8)
	for _, op := range []verbs.Opcode{verbs.OpRDMARead, verbs.OpSend, 99} {
		bad, err := s.qp.PostSend(s.list(s.toward(verbs.OpRDMAWrite, 512), s.toward(op, 512)))
		if bad != &s.req.send[1] || !errors.Is(err, verbs.ErrNotSupported) {
			t.Errorf("%s: %v, request %p of %p", op, err, bad, &s.req.send[0])
		}
		if got := s.completed(); len(got) != 1 || got[0].WRID != 0 || got[0].Status != verbs.WCSuccess {
			t.Errorf("%s: completions %+v", op, got)
		}
	}
	many := s.toward(verbs.OpRDMAWrite, 512)
	for _, c := range []struct {
		elements int32
		bad      int
	}{{9, 0}, {33, 1}, {-1, 1}} { // the QP takes 2, a session 32
		many.NumSGE = c.elements
		bad, err := s.qp.PostSend(s.list(s.toward(verbs.OpRDMAWrite, 512), many))
		if bad != &s.req.send[c.bad] || !errors.Is(err, syscall.EINVAL) || len(s.completed()) != c.bad {
			t.Errorf("%d elements: %v, request %p of %p", c.elements, err, bad, &s.req.send[0])
		}
	}
}

func TestSessionDoesNotAllocate(t *testing.T) {
	s := newSession(t, verbs.SendOpRDMAWrite)
	s.sge(0, 0, 8)
	list := s.list(s.toward(verbs.OpRDMAWrite, 512))
	if allocations := testing.AllocsPerRun(1000, func() {
		_, _ = s.qp.PostSend(list)
		if n, err := s.cq.Poll(s.req.wc); n != 1 || err != nil {
			t.Fatal(n, err)
		}
	}); allocations != 0 {
		t.Errorf("%v allocations for a list posted and polled", allocations)
	}
}
