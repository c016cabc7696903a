package shm_test

import (
	"testing"

	"github.com/ibperf/ibperf/verbs"
)

func sendEight(_ *testing.T, a, _ *side) send {
	return send{op: verbs.OpSend, sges: []verbs.SGE{a.sge(0, 8)}}
}

func writeEight(_ *testing.T, a, b *side) send {
	return send{sges: []verbs.SGE{a.sge(0, 8)}}.toward(b, 0)
}

func readEight(_ *testing.T, a, b *side) send {
	return send{op: verbs.OpRDMARead, sges: []verbs.SGE{a.sge(0, 8)}}.toward(b, 0)
}

func intoRegion(op verbs.Opcode, access verbs.Access) func(*testing.T, *side, *side) send {
	return func(t *testing.T, a, b *side) send {
		_, mr := b.register(t, 64, access)
		return send{op: op, sges: []verbs.SGE{a.sge(0, 8)}, raddr: mr.Addr(), rkey: mr.RKey()}
	}
}

func otherPD(t *testing.T, s *side) verbs.MR {
	t.Helper()
	pd := must(s.ctx.AllocPD())(t)
	t.Cleanup(func() { noError(t, pd.Close()) })
	mr := must(pd.RegMR(s.mem, allRights))(t)
	t.Cleanup(func() { noError(t, mr.Close()) })
	return mr
}

// TestFailures posts the failing request unsignaled (SND-11) with others behind
// it (ERR-22) and receives on the other side, on every device.
func TestFailures(t *testing.T) {
	for _, device := range devices {
		for _, f := range failures {
			t.Run(device+"/"+f.name, func(t *testing.T) { f.run(t, device) })
		}
	}
}

func (f failure) run(t *testing.T, device string) {
	c := conf()
	c.device = device
	if f.conf != nil {
		f.conf(&c)
	}
	a, b := pair(t, c)
	fill(a.mem, 1)
	if f.setup != nil {
		f.setup(t, a, b)
	} else {
		b.mustRecv(t, recv{id: 100, sges: []verbs.SGE{b.sge(0, 64)}})
	}
	b.mustRecv(t, recv{id: 101}, recv{id: 102})
	w := f.req(t, a, b)
	w.id, w.flags = 7, 0
	a.mustPost(t, w, send{id: 8, op: verbs.OpSend}, send{id: 9}.toward(b, 0))
	pollOne(t, a.sendCQ, 7, f.want)
	pollOne(t, a.sendCQ, 8, verbs.WCWRFlushErr)
	pollOne(t, a.sendCQ, 9, verbs.WCWRFlushErr)
	a.wantState(t, verbs.QPErr) // QPS-29
	b.wantState(t, f.state)
	if f.recv != verbs.WCSuccess {
		pollOne(t, b.recvCQ, 100, f.recv)
		pollOne(t, b.recvCQ, 101, verbs.WCWRFlushErr)
		pollOne(t, b.recvCQ, 102, verbs.WCWRFlushErr)
	}
	pollNone(t, a.sendCQ)
	pollNone(t, b.recvCQ)
	if w.op == verbs.OpRDMAWrite && anyByte(b.mem[:128]) {
		t.Error("MR-11: a refused WRITE placed bytes")
	}
}
