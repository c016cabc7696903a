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
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

// pairWithProcess starts a serving process and connects a side to it.
func pairWithProcess(t *testing.T, device string) (*side, *child, greeting) {
	t.Helper()
	c := conf()
	c.device = device
	s := newSide(t, c)
	other := startChild(t, "server", nil)
	noError(t, other.send.Encode(greeting{Device: device}))
	return s, other, s.connectProcess(t, other.send, other.recv)
}

// sendCommand sends a command to the process with a payload of n bytes.
func (s *side) sendCommand(t *testing.T, what byte, n int) []byte {
	t.Helper()
	b := s.Mem[40000:][:1+n]
	b[0] = what
	fixture.Fill(b[1:], int(what))
	s.Post(send{ID: 1, Op: verbs.OpSend, Flags: verbs.SendSignaled, SGEs: []verbs.SGE{s.SGE(40000, 1+n)}})
	s.SendCQ.Expect(1, verbs.WCSuccess)
	return b[1:]
}

// TestTwoProcesses covers MR-24: operations work between processes as within one.
func TestTwoProcesses(t *testing.T) {
	for _, device := range devices {
		t.Run(device, func(t *testing.T) {
			s, _, peer := pairWithProcess(t, device)
			t.Run("SEND in both directions", func(t *testing.T) {
				for _, n := range []int{0, 1, 8, 129, 999} {
					s.PostRecv(recv{ID: 2, SGEs: []verbs.SGE{s.SGE(2000, 1000)}})
					want := s.sendCommand(t, 'e', n)
					if wc := s.RecvCQ.Expect(2, verbs.WCSuccess); int(wc.ByteLen) != n || !bytes.Equal(s.Mem[2000:2000+n], want) {
						t.Errorf("%d bytes came back as %d", n, wc.ByteLen)
					}
				}
			})
			t.Run("incoming WRITE_WITH_IMM and READ", func(t *testing.T) {
				s.PostRecv(recv{ID: 3})
				want := s.sendCommand(t, 'w', 500)
				if wc := s.RecvCQ.Expect(3, verbs.WCSuccess); wc.Imm != imm || !bytes.Equal(s.Mem[:500], want) {
					t.Errorf("immediate data %v, or wrong bytes", wc.Imm)
				}
				fixture.Fill(s.Mem[:500], 77)
				s.PostRecv(recv{ID: 4, SGEs: []verbs.SGE{s.SGE(2000, 500)}})
				s.sendCommand(t, 'r', 500)
				s.RecvCQ.Expect(4, verbs.WCSuccess)
				if !bytes.Equal(s.Mem[:500], s.Mem[2000:2500]) {
					t.Error("the process has read other bytes")
				}
			})
			t.Run("outgoing WRITE and READ", func(t *testing.T) {
				fixture.Fill(s.Mem[:5000], 1)
				w := send{SGEs: []verbs.SGE{s.SGE(0, 5000)}, RemoteAddr: peer.Addr + 10000, RKey: peer.RKey}
				r := send{Op: verbs.OpRDMARead, Flags: verbs.SendSignaled, SGEs: []verbs.SGE{s.SGE(10000, 5000)}, RemoteAddr: w.RemoteAddr, RKey: w.RKey}
				s.Post(w, r)
				s.SendCQ.Expect(0, verbs.WCSuccess)
				if !bytes.Equal(s.Mem[:5000], s.Mem[10000:15000]) {
					t.Error("the bytes written and read differ")
				}
			})
		})
	}
}

// TestPeerKilled covers requests to a killed process: they end with RETRY_EXC_ERR in time,
// everything can be closed, and nothing is left behind.
func TestPeerKilled(t *testing.T) {
	for _, op := range []verbs.Opcode{verbs.OpRDMAWrite, verbs.OpSend, verbs.OpRDMARead} {
		t.Run("ERR-14/"+op.String(), func(t *testing.T) {
			s, other, peer := pairWithProcess(t, "shm_whole")
			w := send{Op: op, Flags: verbs.SendSignaled, RemoteAddr: peer.Addr, RKey: peer.RKey, SGEs: []verbs.SGE{s.SGE(0, 64)}}
			for range 3 {
				s.Post(w)
			}
			s.SendCQ.Next(3)
			noError(t, other.cmd.Process.Kill())
			other.cmd.Wait()
			limit := time.Now().Add(10 * time.Second) // eight timeouts of 67 ms, and a slow machine
			for status := verbs.WCSuccess; status == verbs.WCSuccess; {
				if time.Now().After(limit) {
					t.Fatal("sends to a dead process still succeed")
				}
				s.Post(w)
				if status = s.SendCQ.Next(1)[0].Status; status != verbs.WCSuccess && status != verbs.WCRetryExcErr {
					t.Fatalf("status %s, want RETRY_EXC_ERR", status)
				}
			}
			s.IsIn(verbs.QPErr)
			noError(t, s.QP.Close())
			own := s.greeting(t).Endpoint.GID
			noError(t, s.Ctx.Close())
			wantNothingLeft(t, peer.Endpoint.GID)
			wantNothingLeft(t, own)
		})
	}
}

// TestPeerProcessIsEnding covers a region whose memory can no longer be opened: the peer counts as
// not responding, which is no access error.
func TestPeerProcessIsEnding(t *testing.T) {
	s := newSide(t, conf())
	other := startChild(t, "close descriptors", nil)
	noError(t, other.send.Encode(greeting{}))
	peer := s.connectProcess(t, other.send, other.recv)
	w := send{Flags: verbs.SendSignaled, RemoteAddr: peer.Addr, RKey: peer.RKey}
	s.Post(w)
	s.SendCQ.Expect(0, verbs.WCSuccess)
	noError(t, other.send.Encode(greeting{}))
	noError(t, other.recv.Decode(&peer))
	w.SGEs = []verbs.SGE{s.SGE(0, 64)}
	s.Post(w)
	s.SendCQ.Expect(0, verbs.WCRetryExcErr)
}

func socketName(gid verbs.GID) string {
	return fmt.Sprintf("@ibperf-shm-%016x", binary.BigEndian.Uint64(gid[8:]))
}

// wantNothingLeft checks the places where a device could leave something.
func wantNothingLeft(t *testing.T, gid verbs.GID) {
	t.Helper()
	sockets := must(os.ReadFile("/proc/net/unix"))(t)
	if bytes.Contains(sockets, []byte(socketName(gid))) {
		t.Errorf("socket %s still exists", socketName(gid))
	}
	files, err := os.ReadDir("/dev/shm")
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for _, f := range files {
		if strings.Contains(f.Name(), "ibperf-shm") {
			t.Errorf("/dev/shm/%s still exists", f.Name())
		}
	}
}

// TestDescriptorsAreClosed covers that repeated opening, connecting and closing leaks no
// descriptor.
func TestDescriptorsAreClosed(t *testing.T) {
	count := func() int { return len(must(os.ReadDir("/proc/self/fd"))(t)) }
	cycle := func(t *testing.T) {
		c := conf()
		c.Channel = true
		a, b := pair(t, c)
		b.PostRecv(recv{})
		a.Post(send{Op: verbs.OpSend}, send{SGEs: []verbs.SGE{a.SGE(0, 8)}}.Toward(b, 0))
		b.RecvCQ.Expect(0, verbs.WCSuccess)
	}
	t.Run("once", cycle)
	before := count()
	for range 10 {
		t.Run("again", cycle)
	}
	// The goroutines that serve peers close their ends a little later.
	fixture.Eventually(t, "descriptors closed", func() bool { return count() <= before })
}

// TestAnotherUser covers that a process of another user is refused by the connection and by the
// socket.
func TestAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root, to start a process as another user")
	}
	s := newSide(t, conf())
	otherUser := startChild(t, "other user", &syscall.Credential{Uid: 65534, Gid: 65534})
	noError(t, otherUser.send.Encode(s.greeting(t)))
	var connect, raw greeting
	noError(t, otherUser.recv.Decode(&connect))
	noError(t, otherUser.recv.Decode(&raw))
	if !strings.Contains(connect.Note, "another user") {
		t.Errorf("connecting: %q, want an error about another user", connect.Note)
	}
	if raw.Note != "nothing" {
		t.Errorf("sending to the socket: %q", raw.Note)
	}
}

// sendRaw sends a packet to the device at the GID without checking its user, and returns what comes
// back.
func sendRaw(t *testing.T, gid verbs.GID) string {
	t.Helper()
	conn, err := net.DialUnix("unixpacket", nil, &net.UnixAddr{Net: "unixpacket", Name: socketName(gid)})
	noError(t, err)
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(fixture.WaitTimeout))
	conn.Write([]byte{1, 0, 0, 0, 0, 0, 0, 0})
	var b [64]byte
	oob := make([]byte, 64)
	n, on, _, _, err := conn.ReadMsgUnix(b[:], oob)
	if n > 0 || on > 0 {
		return fmt.Sprintf("%d bytes and %d bytes of descriptors", n, on)
	}
	if ne, ok := err.(net.Error); ok && ne.Timeout() {
		return "silence"
	}
	return "nothing"
}
