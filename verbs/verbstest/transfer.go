package verbstest

import (
	"bytes"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

// transfer is an operation with the opcodes of its completions.
type transfer struct {
	op       verbs.Opcode
	sent     verbs.WCOpcode
	received verbs.WCOpcode
	receives bool // consumes a receive
	scatters bool // the data arrives in the receive's buffer
	imm      bool
}

var transfers = []transfer{
	{op: opSend, sent: verbs.WCSend, received: verbs.WCRecv, receives: true, scatters: true},
	{op: opSendImm, sent: verbs.WCSend, received: verbs.WCRecv, receives: true, scatters: true, imm: true},
	{op: opWrite, sent: verbs.WCRDMAWrite},
	{op: opWriteImm, sent: verbs.WCRDMAWrite, received: verbs.WCRecvRDMAWithImm, receives: true, imm: true},
	{op: opRead, sent: verbs.WCRDMARead},
}

// ucTransfers are the operations of UC: all but READ.
var ucTransfers = transfers[:len(transfers)-1]

// mover transfers single messages from a to b, or by READ from b to a.
type mover struct {
	transfer
	*env
	a, b  *side
	count int
}

func (e *env) mover(tr transfer, c config) *mover {
	e.Helper()
	m := &mover{transfer: tr, env: e}
	m.a, m.b = e.pair(c)
	return m
}

// move transfers a message of size bytes from one offset to another, and checks every byte at the
// target and around it.
func (m *mover) move(size, from, to int) (sent, received verbs.WC) {
	m.Helper()
	m.count++
	source, target, local, remote := m.a, m.b, from, to
	if m.op == opRead {
		source, target, local, remote = m.b, m.a, to, from
	}
	lo, hi := max(0, to-256), min(to+size+256, len(target.Mem))
	fixture.Fill(source.Mem[from:from+size], m.count)
	clear(target.Mem[lo:hi])
	id := uint64(m.count)
	m.post(id, size, local, remote)
	sent = m.a.SendCQ.Expect(id, verbs.WCSuccess)
	if m.receives {
		received = m.b.RecvCQ.Expect(id, verbs.WCSuccess)
	}
	m.b.RecvCQ.ExpectEmpty()
	want := make([]byte, hi-lo)
	copy(want[to-lo:], source.Mem[from:from+size])
	arrived := func() bool { return bytes.Equal(target.Mem[lo:hi], want) }
	if m.a.Config.Type == verbs.QPTypeUC && !m.receives {
		fixture.Until(fixture.WaitTimeout, arrived) // a sender's completion over UC means only that the message has left
	}
	if !arrived() {
		m.Fatalf("%s: %d bytes from +%d to +%d did not arrive as sent", m.op, size, from, to)
	}
	return sent, received
}

// post posts the receive, if the operation takes one, and the request.
func (m *mover) post(id uint64, size, local, remote int) {
	m.Helper()
	if m.receives {
		r := recv{ID: id}
		if m.scatters {
			r.SGEs = []verbs.SGE{m.b.SGE(remote, size+100)}
		}
		m.b.PostRecv(r)
	}
	m.a.Post(send{
		ID: id, Op: m.op, Flags: signaled, Imm: imm, SGEs: []verbs.SGE{m.a.SGE(local, size)},
	}.Toward(m.b, remote))
}
