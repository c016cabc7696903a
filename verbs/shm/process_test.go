package shm_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// partnered starts a partner process and connects a side with it.
func partnered(t *testing.T, device string) (*side, *child, greeting) {
	t.Helper()
	c := conf()
	c.device = device
	s := newSide(t, c)
	other := startChild(t, "partner", nil)
	noError(t, other.send.Encode(greeting{Device: device}))
	return s, other, s.meet(t, other.send, other.recv)
}

// command sends a command to the partner with a payload of n bytes.
func (s *side) command(t *testing.T, what byte, n int) []byte {
	t.Helper()
	b := s.mem[40000:][:1+n]
	b[0] = what
	fill(b[1:], int(what))
	s.mustPost(t, send{id: 1, op: verbs.OpSend, flags: verbs.SendSignaled, sges: []verbs.SGE{s.sge(40000, 1+n)}})
	pollOne(t, s.sendCQ, 1, verbs.WCSuccess)
	return b[1:]
}

// TestTwoProcesses covers MR-24: everything works between processes as within one.
func TestTwoProcesses(t *testing.T) {
	for _, device := range devices {
		t.Run(device, func(t *testing.T) {
			s, _, peer := partnered(t, device)
			t.Run("SEND both ways", func(t *testing.T) {
				for _, n := range []int{0, 1, 8, 129, 999} {
					s.mustRecv(t, recv{id: 2, sges: []verbs.SGE{s.sge(2000, 1000)}})
					want := s.command(t, 'e', n)
					if wc := pollOne(t, s.recvCQ, 2, verbs.WCSuccess); int(wc.ByteLen) != n || !bytes.Equal(s.mem[2000:2000+n], want) {
						t.Errorf("%d bytes came back as %d", n, wc.ByteLen)
					}
				}
			})
			t.Run("incoming WRITE_WITH_IMM and READ", func(t *testing.T) {
				s.mustRecv(t, recv{id: 3})
				want := s.command(t, 'w', 500)
				if wc := pollOne(t, s.recvCQ, 3, verbs.WCSuccess); wc.Imm != imm || !bytes.Equal(s.mem[:500], want) {
					t.Errorf("immediate data %v, or wrong bytes", wc.Imm)
				}
				fill(s.mem[:500], 77)
				s.mustRecv(t, recv{id: 4, sges: []verbs.SGE{s.sge(2000, 500)}})
				s.command(t, 'r', 500)
				pollOne(t, s.recvCQ, 4, verbs.WCSuccess)
				if !bytes.Equal(s.mem[:500], s.mem[2000:2500]) {
					t.Error("the partner read something else")
				}
			})
			t.Run("outgoing WRITE and READ", func(t *testing.T) {
				fill(s.mem[:5000], 1)
				w := send{sges: []verbs.SGE{s.sge(0, 5000)}, raddr: peer.Addr + 10000, rkey: peer.RKey}
				r := send{op: verbs.OpRDMARead, flags: verbs.SendSignaled, sges: []verbs.SGE{s.sge(10000, 5000)}, raddr: w.raddr, rkey: w.rkey}
				s.mustPost(t, w, r)
				pollOne(t, s.sendCQ, 0, verbs.WCSuccess)
				if !bytes.Equal(s.mem[:5000], s.mem[10000:15000]) {
					t.Error("what was written and what was read differ")
				}
			})
		})
	}
}

// TestPeerKilled: whatever was under way, sends end with RETRY_EXC_ERR in time,
// everything can be closed, and nothing is left behind.
func TestPeerKilled(t *testing.T) {
	for _, op := range []verbs.Opcode{verbs.OpRDMAWrite, verbs.OpSend, verbs.OpRDMARead} {
		t.Run("ERR-14/"+op.String(), func(t *testing.T) {
			s, other, peer := partnered(t, "shm_whole")
			w := send{op: op, flags: verbs.SendSignaled, raddr: peer.Addr, rkey: peer.RKey, sges: []verbs.SGE{s.sge(0, 64)}}
			for range 3 {
				s.mustPost(t, w)
			}
			poll(t, s.sendCQ, 3)
			noError(t, other.cmd.Process.Kill())
			other.cmd.Wait()
			limit := time.Now().Add(10 * time.Second) // eight timeouts of 67 ms, and a slow machine
			for status := verbs.WCSuccess; status == verbs.WCSuccess; {
				if time.Now().After(limit) {
					t.Fatal("sends to a dead process go on succeeding")
				}
				s.mustPost(t, w)
				if status = poll(t, s.sendCQ, 1)[0].Status; status != verbs.WCSuccess && status != verbs.WCRetryExcErr {
					t.Fatalf("status %s", status)
				}
			}
			s.wantState(t, verbs.QPErr)
			noError(t, s.qp.Close())
			own := s.greeting(t).Endpoint.GID
			noError(t, s.ctx.Close())
			nothingLeft(t, peer.Endpoint.GID)
			nothingLeft(t, own)
		})
	}
}

// TestPeerIsEnding: memory of a region that can no longer be opened is a peer that does not
// answer, and not one that refuses.
func TestPeerIsEnding(t *testing.T) {
	s := newSide(t, conf())
	other := startChild(t, "ending", nil)
	noError(t, other.send.Encode(greeting{}))
	peer := s.meet(t, other.send, other.recv)
	w := send{flags: verbs.SendSignaled, raddr: peer.Addr, rkey: peer.RKey}
	s.mustPost(t, w)
	pollOne(t, s.sendCQ, 0, verbs.WCSuccess)
	noError(t, other.send.Encode(greeting{}))
	noError(t, other.recv.Decode(&peer))
	w.sges = []verbs.SGE{s.sge(0, 64)}
	s.mustPost(t, w)
	pollOne(t, s.sendCQ, 0, verbs.WCRetryExcErr)
}

func socketName(gid verbs.GID) string {
	return fmt.Sprintf("@ibperf-shm-%016x", binary.BigEndian.Uint64(gid[8:]))
}

// nothingLeft looks where a device could leave something.
func nothingLeft(t *testing.T, gid verbs.GID) {
	t.Helper()
	sockets := must(os.ReadFile("/proc/net/unix"))(t)
	if bytes.Contains(sockets, []byte(socketName(gid))) {
		t.Errorf("socket %s is left", socketName(gid))
	}
	files, err := os.ReadDir("/dev/shm")
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for _, f := range files {
		if strings.Contains(f.Name(), "ibperf-shm") {
			t.Errorf("/dev/shm/%s is left", f.Name())
		}
	}
}

// TestDescriptorsAreGivenBack opens, connects and closes many times.
func TestDescriptorsAreGivenBack(t *testing.T) {
	count := func() int { return len(must(os.ReadDir("/proc/self/fd"))(t)) }
	cycle := func(t *testing.T) {
		c := conf()
		c.channel = true
		a, b := pair(t, c)
		b.mustRecv(t, recv{})
		a.mustPost(t, send{op: verbs.OpSend}, send{sges: []verbs.SGE{a.sge(0, 8)}}.toward(b, 0))
		pollOne(t, b.recvCQ, 0, verbs.WCSuccess)
	}
	t.Run("once", cycle)
	before := count()
	for range 10 {
		t.Run("again", cycle)
	}
	// The goroutines that serve peers close their ends a little later.
	eventually(t, "descriptors closed", func() bool { return count() <= before })
}

// TestAnotherUser: a process of another user gets nothing.
func TestAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root, to start a process as the user nobody")
	}
	s := newSide(t, conf())
	nobody := startChild(t, "stranger", &syscall.Credential{Uid: 65534, Gid: 65534})
	noError(t, nobody.send.Encode(s.greeting(t)))
	var connect, raw greeting
	noError(t, nobody.recv.Decode(&connect))
	noError(t, nobody.recv.Decode(&raw))
	if !strings.Contains(connect.Note, "another user") {
		t.Errorf("connecting said %q", connect.Note)
	}
	if raw.Note != "nothing" {
		t.Errorf("asking the socket said %q", raw.Note)
	}
}

// askRaw sends a packet to the device at the GID, without checking whose that is, and tells what
// comes back.
func askRaw(t *testing.T, gid verbs.GID) string {
	t.Helper()
	conn, err := net.DialUnix("unixpacket", nil, &net.UnixAddr{Net: "unixpacket", Name: socketName(gid)})
	noError(t, err)
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(deadline))
	conn.Write([]byte{1, 0, 0, 0, 0, 0, 0, 0})
	var b [64]byte
	oob := make([]byte, 64)
	n, on, _, _, err := conn.ReadMsgUnix(b[:], oob)
	if n > 0 || on > 0 {
		return fmt.Sprintf("%d bytes and %d of descriptors", n, on)
	}
	if ne, ok := err.(net.Error); ok && ne.Timeout() {
		return "silence"
	}
	return "nothing"
}
