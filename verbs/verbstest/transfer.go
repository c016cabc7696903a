package verbstest

import (
	"bytes"

	"github.com/ibperf/ibperf/verbs"
)

// transfer is an operation with what its completions say.
type transfer struct {
	op       verbs.Opcode
	sent     verbs.WCOpcode
	received verbs.WCOpcode
	receives bool // takes a receive
	scatters bool // into the receive's buffer
	imm      bool
}

var transfers = []transfer{
	{op: opSend, sent: verbs.WCSend, received: verbs.WCRecv, receives: true, scatters: true},
	{op: opSendImm, sent: verbs.WCSend, received: verbs.WCRecv, receives: true, scatters: true, imm: true},
	{op: opWrite, sent: verbs.WCRDMAWrite},
	{op: opWriteImm, sent: verbs.WCRDMAWrite, received: verbs.WCRecvRDMAWithImm, receives: true, imm: true},
	{op: opRead, sent: verbs.WCRDMARead},
}

// ofUC are those that UC has: all but READ.
var ofUC = transfers[:len(transfers)-1]

// mover moves single messages from a to b, or by READ from b to a.
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

// move moves a message of size bytes from one offset to another and checks
// every byte at the target and around it.
func (m *mover) move(size, from, to int) (sent, received verbs.WC) {
	m.Helper()
	m.count++
	source, target, local, remote := m.a, m.b, from, to
	if m.op == opRead {
		source, target, local, remote = m.b, m.a, to, from
	}
	lo, hi := max(0, to-256), min(to+size+256, len(target.mem))
	fill(source.mem[from:from+size], m.count)
	clear(target.mem[lo:hi])
	id := uint64(m.count)
	m.post(id, size, local, remote)
	sent = m.a.sendCQ.gives(id, verbs.WCSuccess)
	if m.receives {
		received = m.b.recvCQ.gives(id, verbs.WCSuccess)
	}
	m.b.recvCQ.empty()
	want := make([]byte, hi-lo)
	copy(want[to-lo:], source.mem[from:from+size])
	arrived := func() bool { return bytes.Equal(target.mem[lo:hi], want) }
	if m.a.conf.typ == verbs.QPTypeUC && !m.receives {
		until(patience, arrived) // the completion of UC says that the message has left
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
		r := recv{id: id}
		if m.scatters {
			r.sges = []verbs.SGE{m.b.sge(remote, size+100)}
		}
		m.b.recv(r)
	}
	m.a.post(send{
		id: id, op: m.op, flags: signaled, imm: imm, sges: []verbs.SGE{m.a.sge(local, size)},
	}.toward(m.b, remote))
}
