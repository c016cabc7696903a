package wrap_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/wrap"
)

const (
	depth = 16          // of all queues
	from  = 0           // where messages are sent from in a side's memory
	into  = 1 << 15     // and where they come to
	room  = into - from // for a message
)

// side is one end of a connection.
type side struct {
	ctx  verbs.Context
	pd   verbs.PD
	ch   verbs.CompChannel
	sent verbs.CQ // completions of requests
	came verbs.CQ // completions of receives
	qp   verbs.QP
	mr   verbs.MR
	mem  []byte
	send []verbs.SendWR
	recv []verbs.RecvWR
	sges []verbs.SGE
	wc   []verbs.WC
}

// pair returns two connected sides with the options of each. The first one is wrapped
// once more for each of further.
func pair(t testing.TB, a, b wrap.Options, further ...wrap.Options) (x, y *side) {
	t.Helper()
	x, y = newSide(t, append([]wrap.Options{a}, further...)), newSide(t, []wrap.Options{b})
	at := func(s *side) verbs.Endpoint {
		gid := must(s.ctx.QueryGID(1, 0))(t)
		return verbs.Endpoint{QPNum: s.qp.QPNum(), GID: gid.GID, MTU: verbs.MTU4096, RdAtomic: depth}
	}
	rights := verbs.AccessLocalWrite | verbs.AccessRemoteWrite | verbs.AccessRemoteRead
	ok(t, verbs.Connect(x.qp, verbs.Path{Port: 1}, rights, at(x), at(y)))
	ok(t, verbs.Connect(y.qp, verbs.Path{Port: 1}, rights, at(y), at(x)))
	return x, y
}

func newSide(t testing.TB, options []wrap.Options) *side {
	t.Helper()
	s := &side{ctx: must(lookup(t, "shm_whole").Open())(t)}
	for _, o := range options {
		s.ctx = wrap.Context(s.ctx, o)
	}
	s.pd = must(s.ctx.AllocPD())(t)
	s.ch = must(s.ctx.CreateCompChannel())(t)
	s.sent, s.came = must(s.ctx.CreateCQ(depth, nil, 0))(t), must(s.ctx.CreateCQ(depth, s.ch, 0))(t)
	buf := must(verbs.NewBuffer(into + room))(t)
	s.mem = buf.Bytes()
	s.mr = must(s.pd.RegMR(s.mem, verbs.AccessLocalWrite|verbs.AccessRemoteWrite|verbs.AccessRemoteRead))(t)
	s.qp = must(s.pd.CreateQP(&verbs.QPInitAttr{
		Type: verbs.QPTypeRC, SendCQ: s.sent, RecvCQ: s.came,
		Cap: verbs.QPCap{MaxSendWR: depth, MaxRecvWR: depth, MaxSendSGE: 1, MaxRecvSGE: 1},
	}))(t)
	s.send, s.recv = must(verbs.Make[verbs.SendWR](depth))(t), must(verbs.Make[verbs.RecvWR](depth))(t)
	s.sges, s.wc = must(verbs.Make[verbs.SGE](depth+1))(t), must(verbs.Make[verbs.WC](depth))(t)
	t.Cleanup(func() {
		for _, o := range []interface{ Close() error }{s.qp, s.sent, s.came, s.ch, s.mr, s.pd, s.ctx, buf} {
			ok(t, o.Close())
		}
	})
	return s
}

// list makes a list of n requests of so many bytes each, from this side's memory at
// from to the peer's at into or back, of which the last is signaled.
func (s *side) list(peer *side, op verbs.Opcode, n, bytes int) *verbs.SendWR {
	for i := range n {
		s.sges[i] = verbs.SGE{Addr: s.mr.Addr() + from, Length: uint32(bytes), LKey: s.mr.LKey()}
		s.send[i] = verbs.SendWR{WRID: uint64(i), SGList: &s.sges[i], NumSGE: 1, Opcode: op}
		s.send[i].SetRDMA(peer.mr.Addr()+into, peer.mr.RKey())
		if i > 0 {
			s.send[i-1].Next = &s.send[i]
		}
	}
	s.send[n-1].SendFlags = verbs.SendSignaled
	return &s.send[0]
}

// post posts a list.
func (s *side) post(t testing.TB, list *verbs.SendWR) {
	t.Helper()
	if bad, err := s.qp.PostSend(list); bad != nil || err != nil {
		t.Fatalf("bad %v, %v", bad, err)
	}
}

// expect posts a receive.
func (s *side) expect(t testing.TB) {
	t.Helper()
	s.expectUpTo(t, room)
}

// expectUpTo posts a receive for so many bytes.
func (s *side) expectUpTo(t testing.TB, bytes int) {
	t.Helper()
	s.recv[0] = verbs.RecvWR{SGList: &s.sges[depth], NumSGE: 1}
	s.sges[depth] = verbs.SGE{Addr: s.mr.Addr() + into, Length: uint32(bytes), LKey: s.mr.LKey()}
	must(s.qp.PostRecv(&s.recv[0]))(t)
}

// next waits for a completion.
func (s *side) next(t testing.TB, of verbs.CQ) verbs.WC {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); runtime.Gosched() {
		if n := must(of.PollSpin(s.wc[:1], 100))(t); n == 1 {
			if s.wc[0].Status != verbs.WCSuccess {
				t.Fatalf("%+v", s.wc[0])
			}
			return s.wc[0]
		}
	}
	t.Fatal("no completion came")
	return verbs.WC{}
}

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		ok(t, err)
		return v
	}
}
