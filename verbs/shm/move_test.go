package shm_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/ibperf/ibperf/verbs"
)

var imm = [4]byte{1, 2, 3, 4}

// transfers are the operations with what their completions say.
var transfers = []struct {
	op       verbs.Opcode
	sent     verbs.WCOpcode
	received verbs.WCOpcode
	receives bool // takes a receive
	scatters bool // into the receive's buffer
	imm      bool
}{
	{op: verbs.OpSend, sent: verbs.WCSend, received: verbs.WCRecv, receives: true, scatters: true},
	{op: verbs.OpSendWithImm, sent: verbs.WCSend, received: verbs.WCRecv, receives: true, scatters: true, imm: true},
	{op: verbs.OpRDMAWrite, sent: verbs.WCRDMAWrite},
	{op: verbs.OpRDMAWriteWithImm, sent: verbs.WCRDMAWrite, received: verbs.WCRecvRDMAWithImm, receives: true, imm: true},
	{op: verbs.OpRDMARead, sent: verbs.WCRDMARead},
}

// TestTransfersAreByteExact: every placement by every operation, at the sizes
// and alignments at which copying changes its ways.
func TestTransfersAreByteExact(t *testing.T) {
	sizes := []int{0, 1, 7, 8, 9, 31, 127, 128, 129, 255, 4096, 65536, 1 << 20}
	for _, device := range devices {
		for _, tr := range transfers {
			t.Run(device+"/"+tr.op.String(), func(t *testing.T) {
				c := conf()
				c.device, c.size = device, 1<<20+3*pageSize
				m := mover{op: tr.op, receives: tr.receives, scatters: tr.scatters}
				m.a, m.b = pair(t, c)
				for _, size := range sizes {
					for _, off := range [][2]int{{0, 0}, {1, 0}, {0, 1}, {7, 127}, {pageSize - 1, pageSize - 3}} {
						sent, received := m.move(t, size, off[0], off[1])
						what := fmt.Sprintf("%d bytes from +%d to +%d", size, off[0], off[1])
						if sent.Opcode != tr.sent || sent.QPNum != m.a.qp.QPNum() {
							t.Errorf("%s: sender's completion %+v", what, sent)
						}
						if tr.op == verbs.OpRDMARead && sent.ByteLen != uint32(size) {
							t.Errorf("%s: read's byte_len %d", what, sent.ByteLen)
						}
						if tr.receives {
							checkReceived(t, what, received, m.b, tr.received, size, tr.imm)
						}
					}
				}
			})
		}
	}
}

func checkReceived(t *testing.T, what string, wc verbs.WC, b *side, op verbs.WCOpcode, size int, withImm bool) {
	t.Helper()
	want := verbs.WC{WRID: wc.WRID, Opcode: op, ByteLen: uint32(size), QPNum: b.qp.QPNum()}
	if withImm {
		want.Flags, want.Imm = verbs.WCWithImm, imm
	}
	if wc != want {
		t.Errorf("%s: receiver's completion %+v, want %+v", what, wc, want)
	}
}

// mover moves single messages from a to b, or by READ from b to a.
type mover struct {
	a, b               *side
	op                 verbs.Opcode
	receives, scatters bool
	count              int
}

// move moves one message and checks every byte of the target's buffer.
func (m *mover) move(t *testing.T, size, from, to int) (sent, received verbs.WC) {
	t.Helper()
	m.count++
	source, target := m.a, m.b
	if m.op == verbs.OpRDMARead {
		source, target = m.b, m.a
		from, to = to, from
	}
	lo, hi := max(0, to-256), min(to+size+256, len(target.mem))
	fill(source.mem[from:from+size], m.count)
	clear(target.mem[lo:hi])
	id := uint64(m.count)
	if m.receives {
		r := recv{id: id}
		if m.scatters {
			r.sges = []verbs.SGE{m.b.sge(to, size+100)}
		}
		m.b.mustRecv(t, r)
	}
	local, remote := from, to
	if m.op == verbs.OpRDMARead {
		local, remote = to, from
	}
	m.a.mustPost(t, send{
		id: id, op: m.op, flags: verbs.SendSignaled, imm: imm, sges: []verbs.SGE{m.a.sge(local, size)},
	}.toward(m.b, remote))
	sent = pollOne(t, m.a.sendCQ, id, verbs.WCSuccess)
	if m.receives {
		received = pollOne(t, m.b.recvCQ, id, verbs.WCSuccess)
	}
	pollNone(t, m.b.recvCQ)
	want := make([]byte, hi-lo)
	copy(want[to-lo:], source.mem[from:from+size])
	if !bytes.Equal(target.mem[lo:hi], want) {
		t.Fatalf("%d bytes from +%d to +%d did not arrive as sent", size, from, to)
	}
	return sent, received
}
