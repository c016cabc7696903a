package testdevice_test

import (
	"testing"

	"github.com/ibperf/ibperf/internal/testdevice"
	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

const (
	depth = 16          // of all queues
	from  = 0           // offset of outgoing messages in a side's memory
	into  = 1 << 15     // offset of incoming messages
	room  = into - from // for a message
)

// side is one end of a connection, with a list of requests.
type side struct {
	*fixture.Side
	send []verbs.SendWR
	sges []verbs.SGE
}

// pair returns two connected sides with the options of each. The first device is wrapped once
// more for each of further.
func pair(t testing.TB, a, b testdevice.Options, further ...testdevice.Options) (x, y *side) {
	t.Helper()
	x, y = newSide(t, append([]testdevice.Options{a}, further...)), newSide(t, []testdevice.Options{b})
	fixture.Connect(x, y)
	return x, y
}

func newSide(t testing.TB, options []testdevice.Options) *side {
	t.Helper()
	ctx := must(lookup(t, "shm_whole").Open())(t)
	for _, o := range options {
		ctx = testdevice.Context(ctx, o)
	}
	fixture.Own(t, ctx, nil)
	c := fixture.Default()
	c.Channel, c.CQE = true, depth
	c.Cap.MaxSendWR, c.Cap.MaxRecvWR = depth, depth
	return &side{fixture.New(t, ctx, c), fixture.Array[verbs.SendWR](t, depth), fixture.Array[verbs.SGE](t, depth)}
}

// list makes a list of n requests of size bytes each, from this side's memory to the peer's, or
// back with READ. The last one is signaled.
func (s *side) list(peer *side, op verbs.Opcode, n, size int) *verbs.SendWR {
	for i := range n {
		s.sges[i] = s.SGE(from, size)
		s.send[i] = verbs.SendWR{WRID: uint64(i), SGList: &s.sges[i], NumSGE: 1, Opcode: op}
		s.send[i].SetRDMA(peer.MR.Addr()+into, peer.MR.RKey())
		if i > 0 {
			s.send[i-1].Next = &s.send[i]
		}
	}
	s.send[n-1].SendFlags = verbs.SendSignaled
	return &s.send[0]
}

// post posts a list.
func (s *side) post(list *verbs.SendWR) {
	s.T.Helper()
	if bad, err := s.QP.PostSend(list); bad != nil || err != nil {
		s.T.Fatalf("bad %v, %v", bad, err)
	}
}

// expect posts a receive for size bytes.
func (s *side) expect(size int) {
	s.T.Helper()
	s.PostRecv(fixture.Recv{SGEs: []verbs.SGE{s.SGE(into, size)}})
}

// next waits for a successful completion.
func (s *side) next(q *fixture.Queue) verbs.WC {
	s.T.Helper()
	wc := q.Next(1)[0]
	if wc.Status != verbs.WCSuccess {
		s.T.Fatalf("%+v", wc)
	}
	return wc
}

func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		fixture.OK(t, err)
		return v
	}
}
