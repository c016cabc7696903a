package shm_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

var imm = [4]byte{1, 2, 3, 4}

// transfers holds the operations and what their completions contain.
var transfers = []struct {
	op       verbs.Opcode
	sent     verbs.WCOpcode
	received verbs.WCOpcode
	receives bool // consumes a receive
	scatters bool // stores into the receive's buffer
	imm      bool
}{
	{op: verbs.OpSend, sent: verbs.WCSend, received: verbs.WCRecv, receives: true, scatters: true},
	{op: verbs.OpSendWithImm, sent: verbs.WCSend, received: verbs.WCRecv, receives: true, scatters: true, imm: true},
	{op: verbs.OpRDMAWrite, sent: verbs.WCRDMAWrite},
	{op: verbs.OpRDMAWriteWithImm, sent: verbs.WCRDMAWrite, received: verbs.WCRecvRDMAWithImm, receives: true, imm: true},
	{op: verbs.OpRDMARead, sent: verbs.WCRDMARead},
}

// TestTransfersAreByteExact covers every device and operation, at the sizes and alignments at which
// the copying code changes.
func TestTransfersAreByteExact(t *testing.T) {
	sizes := []int{0, 1, 7, 8, 9, 31, 127, 128, 129, 255, 4096, 65536, 1 << 20}
	for _, device := range devices {
		for _, tr := range transfers {
			t.Run(device+"/"+tr.op.String(), func(t *testing.T) {
				c := conf()
				c.device, c.BufferSize = device, 1<<20+3*pageSize
				m := messageTest{op: tr.op, receives: tr.receives, scatters: tr.scatters}
				m.a, m.b = pair(t, c)
				for _, size := range sizes {
					for _, off := range [][2]int{{0, 0}, {1, 0}, {0, 1}, {7, 127}, {pageSize - 1, pageSize - 3}} {
						sent, received := m.transfer(t, size, off[0], off[1])
						what := fmt.Sprintf("%d bytes from +%d to +%d", size, off[0], off[1])
						if sent.Opcode != tr.sent || sent.QPNum != m.a.QP.QPNum() {
							t.Errorf("%s: sender's completion %+v", what, sent)
						}
						if tr.op == verbs.OpRDMARead && sent.ByteLen != uint32(size) {
							t.Errorf("%s: byte_len of the READ is %d", what, sent.ByteLen)
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
	want := verbs.WC{WRID: wc.WRID, Opcode: op, ByteLen: uint32(size), QPNum: b.QP.QPNum()}
	if withImm {
		want.Flags, want.Imm = verbs.WCWithImm, imm
	}
	if wc != want {
		t.Errorf("%s: receiver's completion %+v, want %+v", what, wc, want)
	}
}

// messageTest transfers single messages from a to b, or by READ from b to a.
type messageTest struct {
	a, b               *side
	op                 verbs.Opcode
	receives, scatters bool
	count              int
}

// transfer transfers one message and checks every byte of the target's buffer.
func (m *messageTest) transfer(t *testing.T, size, from, to int) (sent, received verbs.WC) {
	t.Helper()
	m.count++
	source, target := m.a, m.b
	if m.op == verbs.OpRDMARead {
		source, target = m.b, m.a
		from, to = to, from
	}
	lo, hi := max(0, to-256), min(to+size+256, len(target.Mem))
	fixture.Fill(source.Mem[from:from+size], m.count)
	clear(target.Mem[lo:hi])
	id := uint64(m.count)
	if m.receives {
		r := recv{ID: id}
		if m.scatters {
			r.SGEs = []verbs.SGE{m.b.SGE(to, size+100)}
		}
		m.b.PostRecv(r)
	}
	local, remote := from, to
	if m.op == verbs.OpRDMARead {
		local, remote = to, from
	}
	m.a.Post(send{
		ID: id, Op: m.op, Flags: verbs.SendSignaled, Imm: imm, SGEs: []verbs.SGE{m.a.SGE(local, size)},
	}.Toward(m.b, remote))
	sent = m.a.SendCQ.Expect(id, verbs.WCSuccess)
	if m.receives {
		received = m.b.RecvCQ.Expect(id, verbs.WCSuccess)
	}
	m.b.RecvCQ.ExpectEmpty()
	want := make([]byte, hi-lo)
	copy(want[to-lo:], source.Mem[from:from+size])
	if !bytes.Equal(target.Mem[lo:hi], want) {
		t.Fatalf("%d bytes from +%d to +%d were corrupted", size, from, to)
	}
	return sent, received
}
