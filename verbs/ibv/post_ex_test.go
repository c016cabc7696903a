//go:build linux && cgo

package ibv

import (
	"errors"
	"syscall"
	"testing"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

// TestSessionsEachCallMode runs the tests of ibv_wr_post in each call mode.
func TestSessionsEachCallMode(t *testing.T) {
	t.Parallel()
	for name, forced := range callModes {
		t.Run(name, func(t *testing.T) { runOnStub(t, "^TestSession[A-Z]", "IBPERF_CGO="+forced) })
	}
}

// session is a loopback QP that was created for some operations.
type session struct {
	loopback
	req *requests
}

func newSession(t *testing.T, ops verbs.SendOps) *session {
	t.Helper()
	c := fixture.Default()
	c.SendOps = ops
	return &session{connectLoopback(t, openLoopback(t), c), outsideHeap(t)}
}

// sge sets element i of the session's requests to n bytes of its memory.
func (s *session) sge(i, at, n int) { s.req.sge[i] = s.SGE(at, n) }

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

// toward returns a request with its remote address in the same memory.
func (s *session) toward(op verbs.Opcode, at int) verbs.SendWR {
	wr := verbs.SendWR{Opcode: op, NumSGE: 1}
	wr.SetRDMA(s.MR.Addr()+uint64(at), s.MR.RKey())
	return wr
}

// completed returns all queued completions.
func (s *session) completed() (all []verbs.WC) {
	s.T.Helper()
	n, err := s.RecvCQ.Poll(s.req.wc)
	if err != nil {
		s.T.Fatal(err)
	}
	return s.req.wc[:n]
}

// TestSessionOfAllOperations: each operation has the same effect as with ibv_post_send.
func TestSessionOfAllOperations(t *testing.T) {
	const all = verbs.SendOpRDMAWrite | verbs.SendOpSend | verbs.SendOpSendWithImm | verbs.SendOpRDMARead
	s := newSession(t, all)
	copy(s.Mem, "written.sent....in two parts.....inlined.")
	for i := range 3 {
		s.req.recv[i] = verbs.RecvWR{WRID: uint64(100 + i), SGList: &s.req.sge[40+i], NumSGE: 1}
		s.sge(40+i, 1024+64*i, 64)
		if _, err := s.QP.PostRecv(&s.req.recv[i]); err != nil {
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
	if bad, err := s.QP.PostSend(list); err != nil || bad != nil {
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
		if got := string(s.Mem[at:][:len(want)]); got != want {
			t.Errorf("at %d: %q, want %q", at, got, want)
		}
	}
}

// TestSessionRefusals: the bad request is the one with an operation that the QP was created
// without, or the first one of a session that the device refuses.
func TestSessionRefusals(t *testing.T) {
	s := newSession(t, verbs.SendOpRDMAWrite)
	s.sge(0, 0, 8)
	s.sge(2, 0, 8)
	for _, op := range []verbs.Opcode{verbs.OpRDMARead, verbs.OpSend, 99} {
		bad, err := s.QP.PostSend(s.list(s.toward(verbs.OpRDMAWrite, 512), s.toward(op, 512)))
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
		bad, err := s.QP.PostSend(s.list(s.toward(verbs.OpRDMAWrite, 512), many))
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
		_, _ = s.QP.PostSend(list)
		if n, err := s.RecvCQ.Poll(s.req.wc); n != 1 || err != nil {
			t.Fatal(n, err)
		}
	}); allocations != 0 {
		t.Errorf("%v allocations for a list posted and polled", allocations)
	}
}
