package oob

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

func randomBytes(n int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// incompatible holds the first bytes of peers that do not speak this protocol and version.
var incompatible = []struct {
	name string
	says []byte
	want string
}{
	{"HTTP request", []byte("GET / HTTP/1.1\r\nHost: a\r\n\r\n"), `received "GET / HTTP/1.1\r\n`},
	{"HTTP response", []byte("HTTP/1.1 400 Bad Request\r\n\r\n"), `received "HTTP/1.1 400`},
	{"SSH", []byte("SSH-2.0-OpenSSH_9.2\r\n"), `received "SSH-2.0`},
	{"perftest", append([]byte("6.23"), make([]byte, 12)...), "is perftest 6.23; run ibperf on both sides"},
	{"almost perftest", []byte("6.23\x00\x01"), `received "6.23\x00\x01`},
	{"a number that does not end", []byte("6.2345678"), `received "6.234567`},
	{"C perftest's keys", []byte("0000:0016:000101:9c1f43:00180d00:00007f1a2c400000"), `received "0000:0016:`},
	{"random bytes", randomBytes(100), "received"},
	{"one byte", []byte{0}, `received "\x00"`},
	{"escape sequences", []byte("\x1b[2J\x1b]0;x\x07"), `received "\x1b[2J`},
	{"almost the magic", []byte("IBPG\x01\x01\x00\x00"), `received "IBPG`},
	{"a newer version", preamble{version: 4}.appendTo(nil), "speaks version 4 of ibperf's protocol, this side version 3; update ibperf on this side"},
	{"an older version, without preambles", []byte("IBPF\x02"), "speaks version 2 of ibperf's protocol, this side version 3; update ibperf on the peer's side"},
	{"this version, without preambles", []byte("IBPF\x03"), "received a frame before its preamble"},
	{"an unknown kind", afterPreamble("IBPF\x03\x09\x00\x00\x00\x00\x00\x00"), "unknown frame kind 9"},
	{"the reserved byte", afterPreamble("IBPF\x03\x01\x00\x01\x00\x00\x00\x01"), "reserved byte"},
	{"an oversize payload", afterPreamble("IBPF\x03\x02\x01\x00\xff\xff\xff\xff"), "the limit is 4194304"},
	{"an oversize hello", afterPreamble("IBPF\x03\x01\x00\x00\x00\x00\x00\x03"), "the limit is 2"},
	{"an oversize name", afterPreamble("IBPF\x03\x02\x21\x00\x00\x00\x00\x00"), "the limit is 32"},
	{"data before hello", frame{kindData, "plan", nil}.appendTo(preambleBytes()), "received a data frame before its hello"},
	{"a proof before hello", frame{kind: kindProof, payload: make([]byte, proofSize)}.appendTo(preambleBytes()), "received a proof frame before its hello"},
	{"an unknown role", helloOf(7, 0), "unknown role 7"},
	{"an unknown flag", helloOf(byte(roleClient), 2), "a hello whose secret byte is 2, want 0 or 1"},
	{"an empty hello", frame{kind: kindHello}.appendTo(preambleBytes()), "hello of 0 bytes"},
}

func afterPreamble(frame string) []byte { return append(preambleBytes(), frame...) }

// helloOf returns the wire form of a hello, which may be invalid.
func helloOf(role, secret byte) []byte {
	return frame{kind: kindHello, payload: []byte{role, secret}}.appendTo(preambleBytes())
}

// wantIncompatible checks the error about an incompatible peer.
func wantIncompatible(t *testing.T, err error, want string) {
	t.Helper()
	wantPeerError(t, err, false, want)
	if !errors.Is(err, ErrProtocol) {
		t.Errorf("error = %v, want ErrProtocol", err)
	}
	if strings.ContainsAny(err.Error(), "\x00\x07\x1b\n") {
		t.Errorf("error = %q has control characters", err)
	}
}

// The peer stays connected and waits for an answer, so that the error is made of its bytes alone.
func TestClientMeetsIncompatiblePeer(t *testing.T) {
	limits := short
	limits.farewell = 10 * time.Millisecond // these peers do not close
	for _, tt := range append(incompatible, sameRole(roleClient)) {
		t.Run(tt.name, func(t *testing.T) {
			addr, peers := rawListener(t, tt.says)
			_, err := dial(t.Context(), addr, DialOptions{Timeout: time.Minute}, limits)
			wantIncompatible(t, err, tt.want)
			_ = (<-peers).nc.Close()
		})
	}
}

func TestServerRejectsIncompatiblePeerAndServesOn(t *testing.T) {
	limits := short
	limits.farewell = 10 * time.Millisecond
	for _, tt := range append(incompatible, sameRole(roleServer)) {
		t.Run(tt.name, func(t *testing.T) {
			l, rejected := watchedListener(t, limits)
			dialRaw(t, l, tt.says)
			wantIncompatible(t, <-rejected, tt.want)
			client, server := serveOne(t, l, limits)
			swap(t, client, server, "plan", []byte("c"), []byte("s"))
		})
	}
}

// sameRole returns a peer that has the same role as this side.
func sameRole(r role) (peer struct {
	name string
	says []byte
	want string
}) {
	peer.name = "two of a role"
	peer.says = greetingOf(newHello(r, nil))
	peer.want = "received the hello of a " + r.String()
	return peer
}

func TestGreetingThatNeverArrives(t *testing.T) {
	limits := short
	limits.hello = 50 * time.Millisecond
	l, rejected := watchedListener(t, limits)
	dialRaw(t, l, []byte("IBP"))
	wantPeerError(t, <-rejected, false, "has not sent its hello within 50ms")
}

func TestClientLeavesBeforeHello(t *testing.T) {
	for _, says := range []string{"", string(preambleBytes()) + "IBPF\x03\x01\x00"} {
		l, rejected := watchedListener(t, short)
		drain(t, dialRaw(t, l, []byte(says)), says != "")
		wantPeerError(t, <-rejected, false, "is gone before its hello: connection")
	}
}

func TestGarbageAfterHello(t *testing.T) {
	flood := []byte(nil)
	for range maxWaitingOfPeer + 1 {
		flood = frame{kindData, "flood", []byte("x")}.appendTo(flood)
	}
	for _, tt := range []struct {
		name string
		says []byte
		want string
	}{
		{"text", []byte("hello?\n"), `received "hello?\n"`},
		{"a second hello", newHello(roleServer, nil).frame().appendTo(nil), "received a hello frame after the greeting"},
		{"a flood", flood, `received exchange "flood" beyond the limit of waiting payloads, 4`},
		{"a name of control characters", frame{kindData, "\x1b[2J", nil}.appendTo(nil), `name "\x1b[2J"`},
		{"an oversize abort", []byte("IBPF\x03\x04\x00\x00\x00\x00\x04\x01"), "the limit is 1024"},
		{"an abort with a long class", []byte("IBPF\x03\x04\x11\x00\x00\x00\x00\x00"), "name of 17 bytes, the limit is 16"},
		{"an abort with a class of control characters", []byte("IBPF\x03\x04\x02\x00\x00\x00\x00\x00\x1b["), `class "\x1b["`},
		{"an abort with a class of capitals", []byte("IBPF\x03\x04\x01\x00\x00\x00\x00\x00A"), `class "A"`},
		{"a ping with a name", []byte("IBPF\x03\x03\x01\x00\x00\x00\x00\x00s"), "ping frame with a name"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, raw := rawServer(t, short)
			raw.sendBytes(tt.says)
			<-c.Lost()
			wantIncompatible(t, c.Err(), tt.want)
		})
	}
}

func TestHostileAbortTextIsCleaned(t *testing.T) {
	for _, tt := range []struct{ name, says, want string }{
		{"control characters", "a\x1b[2J\x07b\x7f\u009b1m", "a\ufffd[2J\ufffdb\ufffd\ufffd1m"},
		{"lines", "one\r\ntwo\tthree", "one  two three"},
		{"direction marks", "abc\u202edef\u200b", "abc\ufffddef\ufffd"},
		{"not UTF-8", "abc\xff\xfedef", "abc\ufffddef"},
		{"letters of the world", "Ende: größer, 終わり", "Ende: größer, 終わり"},
		{"nothing", " \n ", "no reason given"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, raw := rawServer(t, short)
			raw.send(frame{kind: kindAbort, payload: []byte(tt.says)})
			wantLost(t, c, true, "ended the run: "+tt.want)
			var peer *PeerError
			if errors.As(c.Err(), &peer) && peer.Reason != tt.want {
				t.Errorf("Reason = %q, want %q", peer.Reason, tt.want)
			}
		})
	}
}

func TestLongAbortReasonIsCut(t *testing.T) {
	a, b := tcpPair(t, short)
	b.Abort("", strings.Repeat("ä", MaxReason))
	wantLost(t, a, true, "ended the run: "+strings.Repeat("ä", MaxReason/2))
}
