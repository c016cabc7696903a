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

// TestTransfersAreByteExact covers SND-1, SND-22, SND-25, RCV-5, RCV-7, RCV-9,
// RMA-1 to RMA-3, RMA-18, RMA-20 and WC-2 to WC-5: every operation at the sizes
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

func TestGatherAndScatter(t *testing.T) {
	for _, device := range devices {
		c := conf()
		c.device = device
		t.Run(device+"/SND-24 SEND RCV-6", func(t *testing.T) {
			a, b := pair(t, c)
			copy(a.mem, "abcdefghijkl")
			b.mustRecv(t, recv{id: 1, sges: []verbs.SGE{b.sge(100, 5), b.sge(0, 0), b.sge(200, 5), b.sge(300, 20)}})
			a.mustPost(t, send{op: verbs.OpSend, sges: []verbs.SGE{a.sge(0, 3), a.sge(9, 0), a.sge(3, 8), a.sge(11, 1)}})
			if wc := pollOne(t, b.recvCQ, 1, verbs.WCSuccess); wc.ByteLen != 12 {
				t.Errorf("byte_len %d, want 12", wc.ByteLen)
			}
			wantBytes(t, b.mem[100:106], "abcde\x00")
			wantBytes(t, b.mem[200:206], "fghij\x00")
			wantBytes(t, b.mem[300:303], "kl\x00")
		})
		t.Run(device+"/SND-24 WRITE", func(t *testing.T) {
			a, b := pair(t, c)
			copy(a.mem, "abcdefghijkl")
			a.mustPost(t, send{flags: verbs.SendSignaled, sges: []verbs.SGE{a.sge(6, 6), a.sge(1, 0), a.sge(0, 6)}}.toward(b, 130))
			pollOne(t, a.sendCQ, 0, verbs.WCSuccess)
			wantBytes(t, b.mem[129:143], "\x00ghijklabcdef\x00")
		})
		t.Run(device+"/RMA-3 READ", func(t *testing.T) {
			a, b := pair(t, c)
			copy(b.mem[50:], "abcdefghijkl")
			a.mustPost(t, send{
				op: verbs.OpRDMARead, flags: verbs.SendSignaled,
				sges: []verbs.SGE{a.sge(7, 5), a.sge(0, 0), a.sge(127, 3), a.sge(400, 4)},
			}.toward(b, 50))
			if wc := pollOne(t, a.sendCQ, 0, verbs.WCSuccess); wc.ByteLen != 12 {
				t.Errorf("byte_len %d, want 12", wc.ByteLen)
			}
			wantBytes(t, a.mem[7:13], "abcde\x00")
			wantBytes(t, a.mem[127:131], "fgh\x00")
			wantBytes(t, a.mem[400:405], "ijkl\x00")
		})
	}
}

func wantBytes(t testing.TB, got []byte, want string) {
	t.Helper()
	if string(got) != want {
		t.Errorf("memory holds %q, want %q", got, want)
	}
}

// TestZeroLength: no key and no address counts where no byte is moved.
func TestZeroLength(t *testing.T) {
	for _, tr := range transfers {
		for what, sges := range map[string][]verbs.SGE{
			"no SGE":                    nil,
			"one of length 0, bad lkey": {{Addr: 1, LKey: 0xbad}},
		} {
			t.Run("SND-22 SND-23/"+tr.op.String()+"/"+what, func(t *testing.T) {
				a, b := pair(t, conf())
				if tr.receives {
					b.mustRecv(t, recv{id: 3})
				}
				a.mustPost(t, send{id: 2, op: tr.op, flags: verbs.SendSignaled, imm: imm, raddr: 5, rkey: 0xbad, sges: sges})
				pollOne(t, a.sendCQ, 2, verbs.WCSuccess)
				if tr.receives {
					checkReceived(t, what, pollOne(t, b.recvCQ, 3, verbs.WCSuccess), b, tr.received, 0, tr.imm)
				}
			})
		}
	}
}

func TestOrderOfOneQP(t *testing.T) {
	for _, device := range devices {
		c := conf()
		c.device, c.size = device, 1<<17
		t.Run(device+"/RMA-4 WRITE then SEND", func(t *testing.T) {
			a, b := pair(t, c)
			for i := range 20 {
				fill(a.mem[:40000], i)
				b.mustRecv(t, recv{id: uint64(i)})
				a.mustPost(t, send{sges: []verbs.SGE{a.sge(0, 40000)}}.toward(b, 1), send{op: verbs.OpSend, flags: verbs.SendSignaled})
				pollOne(t, b.recvCQ, uint64(i), verbs.WCSuccess)
				if !bytes.Equal(b.mem[1:40001], a.mem[:40000]) {
					t.Fatalf("message %d: the SEND overtook the WRITE", i)
				}
				poll(t, a.sendCQ, 1)
			}
		})
		t.Run(device+"/RMA-4 WRITE then READ, SND-19", func(t *testing.T) {
			a, b := pair(t, c)
			for i := range 20 {
				fill(a.mem[:1000], i)
				a.mustPost(t,
					send{sges: []verbs.SGE{a.sge(0, 1000)}}.toward(b, 0),
					send{op: verbs.OpRDMARead, sges: []verbs.SGE{a.sge(2000, 1000)}}.toward(b, 0),
					send{flags: verbs.SendFence | verbs.SendSignaled, sges: []verbs.SGE{a.sge(2000, 1000)}}.toward(b, 5000))
				pollOne(t, a.sendCQ, 0, verbs.WCSuccess)
				if !bytes.Equal(a.mem[2000:3000], a.mem[:1000]) || !bytes.Equal(b.mem[5000:6000], a.mem[:1000]) {
					t.Fatalf("message %d: READ or fenced WRITE came too early", i)
				}
			}
		})
	}
}
