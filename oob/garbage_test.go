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

// strangers are what peers say who are not of this protocol and version.
var strangers = []struct {
	name string
	says []byte
	want string
}{
	{"HTTP request", []byte("GET / HTTP/1.1\r\nHost: a\r\n\r\n"), `received "GET / HTTP/1.1\r\n`},
	{"HTTP response", []byte("HTTP/1.1 400 Bad Request\r\n\r\n"), `received "HTTP/1.1 400`},
	{"SSH", []byte("SSH-2.0-OpenSSH_9.2\r\n"), `received "SSH-2.0`},
	{"C perftest's version", []byte("6.23\x00\x00\x00\x00"), `received "6.23\x00`},
	{"C perftest's keys", []byte("0000:0016:000101:9c1f43:00180d00:00007f1a2c400000"), `received "0000:0016:`},
	{"random bytes", randomBytes(100), "received"},
	{"one byte", []byte{0}, `received "\x00"`},
	{"escape sequences", []byte("\x1b[2J\x1b]0;x\x07"), `received "\x1b[2J`},
	{"almost the magic", []byte("IBPG\x01\x01\x00\x00"), `received "IBPG`},
	{"a newer version", []byte("IBPF\x03"), "speaks version 3 of ibperf's protocol, this side version 2; update ibperf on this side"},
	{"an older version", []byte("IBPF\x01"), "speaks version 1 of ibperf's protocol, this side version 2; update ibperf on the peer's side"},
	{"an unknown kind", []byte("IBPF\x02\x09\x00\x00\x00\x00\x00\x00"), "unknown frame kind 9"},
	{"the reserved byte", []byte("IBPF\x02\x01\x00\x01\x00\x00\x00\x01"), "reserved byte"},
	{"an oversize payload", []byte("IBPF\x02\x02\x01\x00\xff\xff\xff\xff"), "the limit is 4194304"},
	{"an oversize hello", []byte("IBPF\x02\x01\x00\x00\x00\x00\x00\x23"), "the limit is 34"},
	{"an oversize step", []byte("IBPF\x02\x02\x21\x00\x00\x00\x00\x00"), "the limit is 32"},
	{"data before hello", frame{kindData, "plan", nil}.appendTo(nil), "received a data frame before its hello"},
	{"a proof before hello", frame{kind: kindProof, payload: make([]byte, proofSize)}.appendTo(nil), "received a proof frame before its hello"},
	{"an unknown role", helloOf(7, 0), "unknown role 7"},
	{"an unknown flag", helloOf(byte(roleClient), 2), "a hello with 2 where it says whether it has a secret"},
	{"an empty hello", frame{kind: kindHello}.appendTo(nil), "hello of 0 bytes"},
}

// helloOf is the wire form of a hello that need not be right.
func helloOf(role, secret byte) []byte {
	payload := append([]byte{role, secret}, make([]byte, nonceSize)...)
	return frame{kind: kindHello, payload: payload}.appendTo(nil)
}

// wantStranger checks an error that a stranger has caused.
func wantStranger(t *testing.T, err error, want string) {
	t.Helper()
	wantPeerError(t, err, false, want)
	if !errors.Is(err, ErrProtocol) {
		t.Errorf("error = %v, want ErrProtocol", err)
	}
	if strings.ContainsAny(err.Error(), "\x00\x07\x1b\n") {
		t.Errorf("error = %q has control characters", err)
	}
}

// The stranger stays connected and waits for an answer, so that only its bytes tell.
func TestClientMeetsStranger(t *testing.T) {
	limits := short
	limits.farewell = 10 * time.Millisecond // strangers do not end when they are left
	for _, tt := range append(strangers, sameRole(roleClient)) {
		t.Run(tt.name, func(t *testing.T) {
			addr, peers := rawListener(t, tt.says)
			_, err := dial(t.Context(), addr, DialOptions{Timeout: time.Minute}, limits)
			wantStranger(t, err, tt.want)
			_ = (<-peers).nc.Close()
		})
	}
}

func TestServerMeetsStrangerAndServesOn(t *testing.T) {
	limits := short
	limits.farewell = 10 * time.Millisecond
	for _, tt := range append(strangers, sameRole(roleServer)) {
		t.Run(tt.name, func(t *testing.T) {
			l, stranger := watchedListener(t, limits)
			dialRaw(t, l, tt.says)
			wantStranger(t, <-stranger, tt.want)
			client, server := serveOne(t, l, limits)
			swap(t, client, server, "plan", []byte("c"), []byte("s"))
		})
	}
}

// sameRole is a peer that takes itself for what this side is.
func sameRole(r role) (peer struct {
	name string
	says []byte
	want string
}) {
	peer.name = "two of a role"
	peer.says = newHello(r, nil).frame().appendTo(nil)
	peer.want = "received the hello of a " + r.String()
	return peer
}

func TestGreetingNeverComes(t *testing.T) {
	limits := short
	limits.hello = 50 * time.Millisecond
	l, stranger := watchedListener(t, limits)
	dialRaw(t, l, []byte("IBP"))
	wantPeerError(t, <-stranger, false, "has not said hello for 50ms")
}

func TestClientLeavesBeforeHello(t *testing.T) {
	for _, says := range []string{"", "IBPF\x02\x01\x00"} {
		l, stranger := watchedListener(t, short)
		drain(t, dialRaw(t, l, []byte(says)), says != "")
		wantPeerError(t, <-stranger, false, "is gone before its hello: connection")
	}
}

func TestGarbageAfterHello(t *testing.T) {
	flood := []byte(nil)
	for range trusted.waiting + 1 {
		flood = frame{kindData, "flood", []byte("x")}.appendTo(flood)
	}
	for _, tt := range []struct {
		name string
		says []byte
		want string
	}{
		{"text", []byte("hello?\n"), `received "hello?\n"`},
		{"a second hello", newHello(roleServer, nil).frame().appendTo(nil), "received a hello frame after the greeting"},
		{"a flood", flood, `received step "flood" beyond the limit of waiting payloads, 4`},
		{"a step of control characters", frame{kindData, "\x1b[2J", nil}.appendTo(nil), `step name "\x1b[2J"`},
		{"an oversize abort", []byte("IBPF\x02\x04\x00\x00\x00\x00\x04\x01"), "the limit is 1024"},
		{"an abort with a long class", []byte("IBPF\x02\x04\x11\x00\x00\x00\x00\x00"), "step of 17 bytes, the limit is 16"},
		{"an abort with a class of control characters", []byte("IBPF\x02\x04\x02\x00\x00\x00\x00\x00\x1b["), `class "\x1b["`},
		{"an abort with a class of capitals", []byte("IBPF\x02\x04\x01\x00\x00\x00\x00\x00A"), `class "A"`},
		{"a ping with a step", []byte("IBPF\x02\x03\x01\x00\x00\x00\x00\x00s"), "names a step"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, raw := rawServer(t, short)
			raw.sendBytes(tt.says)
			<-c.Lost()
			wantStranger(t, c.Err(), tt.want)
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
