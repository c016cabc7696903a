package oob

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode"
	"unicode/utf8"
)

// FuzzReadFrame reads arbitrary bytes as frames. A frame must be within the limits and have exactly the
// wire form that it was read from; other bytes give one of the known errors.
func FuzzReadFrame(f *testing.F) {
	for _, s := range incompatible {
		f.Add(s.says)
	}
	for _, fr := range []frame{
		newHello(roleClient, nil).frame(), {kind: kindProof, payload: make([]byte, proofSize)}, {kind: kindPing}, {kind: kindBye},
		{kindData, "plan", []byte("payload")}, {kind: kindAbort, payload: []byte("why")}, {kindAbort, "usage", []byte("why")},
	} {
		f.Add(frame{kind: kindPing}.appendTo(fr.appendTo(nil)))
	}
	f.Fuzz(func(t *testing.T, wire []byte) {
		r := bufio.NewReader(bytes.NewReader(wire))
		for rest := wire; ; {
			got, err := readFrame(r, admitAll)
			if err != nil {
				wantReadError(t, err, len(rest))
				return
			}
			if err := got.check(); err != nil {
				t.Fatalf("read %v %q: %v", got.kind, got.name, err)
			}
			again := got.appendTo(nil)
			if !bytes.HasPrefix(rest, again) {
				t.Fatalf("read %v of %q, whose wire form is %q", got, rest, again)
			}
			rest = rest[len(again):]
		}
	})
}

// wantReadError checks the error of a reader that had some bytes left.
func wantReadError(t *testing.T, err error, left int) {
	t.Helper()
	switch {
	case errors.Is(err, ErrProtocol):
		if !isClean(err.Error()) {
			t.Errorf("error text %q has control characters", err)
		}
	case errors.Is(err, io.ErrUnexpectedEOF):
	case err == io.EOF && left == 0:
	default:
		t.Errorf("error = %v with %d bytes left", err, left)
	}
}

func isClean(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}

// FuzzFrame writes arbitrary frames: those within the limits are read unchanged.
func FuzzFrame(f *testing.F) {
	f.Add(byte(kindData), "plan", []byte("payload"))
	f.Add(byte(kindPing), "", []byte(nil))
	f.Add(byte(kindAbort), "usage", []byte("why"))
	f.Add(byte(9), "s", []byte{0})
	f.Fuzz(func(t *testing.T, k byte, name string, payload []byte) {
		want := frame{kind(k), name, payload}
		if want.check() != nil {
			return
		}
		r := bufio.NewReader(iotest.OneByteReader(bytes.NewReader(want.appendTo(nil))))
		got, err := readFrame(r, admitAll)
		if err != nil || got.kind != want.kind || got.name != name || !bytes.Equal(got.payload, payload) {
			t.Errorf("read %v, %v; want %v", got, err, want)
		}
		if _, err := readFrame(r, admitAll); err != io.EOF {
			t.Errorf("error at the end = %v, want EOF", err)
		}
	})
}

// FuzzDecodeHello checks that a decoded hello has exactly the wire form that it was decoded from.
func FuzzDecodeHello(f *testing.F) {
	for _, wire := range [][]byte{helloOf(1, 0), helloOf(2, 1), helloOf(2, 2), helloOf(0, 1)} {
		f.Add(wire[preambleSize+headerSize:])
	}
	f.Add([]byte(nil))
	f.Fuzz(func(t *testing.T, payload []byte) {
		h, err := decodeHello(payload)
		switch {
		case err == nil && !bytes.Equal(h.frame().payload, payload):
			t.Errorf("decodeHello(%q) = %v", payload, h)
		case err != nil && !errors.Is(err, ErrProtocol):
			t.Errorf("decodeHello(%q) error = %v, want ErrProtocol", payload, err)
		}
	})
}

// scriptedConn is the socket of a peer that sends some bytes and ends. It keeps the bytes that it receives.
type scriptedConn struct {
	net.Conn
	says     *bytes.Reader
	received bytes.Buffer
}

func (c *scriptedConn) Read(b []byte) (int, error)  { return c.says.Read(b) }
func (c *scriptedConn) Write(b []byte) (int, error) { return c.received.Write(b) }

// FuzzMeet greets a peer that sends arbitrary bytes, without a secret and with one. Without a secret, a
// hello of the other role is enough; with one, arbitrary bytes never are, and no proof is sent in clear. A server
// sends nothing to an incompatible peer.
func FuzzMeet(f *testing.F) {
	for _, s := range incompatible {
		f.Add(s.says, true)
	}
	proof := frame{kind: kindProof, payload: make([]byte, proofSize)}.appendTo(nil)
	for _, hello := range [][]byte{helloOf(1, 0), helloOf(1, 1), helloOf(2, 0), helloOf(2, 1)} {
		for _, server := range []bool{false, true} {
			f.Add(slices.Concat(hello, proof), server)
			f.Add(slices.Concat(hello, abortFrame("usage", "why").appendTo(nil)), server)
		}
	}
	f.Fuzz(func(t *testing.T, says []byte, server bool) {
		mine := roleClient
		if server {
			mine = roleServer
		}
		for _, secret := range [][]byte{nil, []byte("secret")} {
			c := &scriptedConn{says: bytes.NewReader(says)}
			g := greeting{
				nc: c, in: bufio.NewReaderSize(c, greetingBuffer), role: mine, secret: secret,
				reserve: func() bool { return true },
			}
			err := g.meet()
			if want := secret == nil && beginsWithHello(says, mine.other(), 0); (err == nil) != want {
				t.Errorf("%v, secret %q: meet = %v after %q", mine, secret, err, says)
			}
			_, mayPrecede := parsePreamble(says[:min(len(says), preambleSize)])
			if server && !mayPrecede && !bytes.HasPrefix(says, []byte(magic)) && c.received.Len() > 0 {
				t.Errorf("an incompatible peer that sent %q received %q", says, c.received.Bytes())
			}
			wantHelloAlone(t, c.received.Bytes(), secret)
		}
	})
}

// wantHelloAlone checks that a side has sent at most its preamble and a hello in clear, and TLS only with a secret.
func wantHelloAlone(t *testing.T, said, secret []byte) {
	t.Helper()
	said = bytes.TrimPrefix(said, preambleBytes())
	if secret != nil && len(said) > headerSize+helloSize {
		if next := said[headerSize+helloSize]; next != 0x15 && next != 0x16 { // the records of a TLS alert, and of a handshake
			t.Errorf("sent %q, want TLS after the hello", said)
		}
		said = said[:headerSize+helloSize]
	}
	if got := wantFrames(t, bytes.NewReader(said)); len(got) > 1 || got[kindHello] != len(got) {
		t.Errorf("sent %v in clear, want a hello alone", got)
	}
}

// beginsWithHello reports whether bytes begin with a valid hello.
func beginsWithHello(says []byte, r role, secret byte) bool {
	if p, ok := parsePreamble(says[:min(len(says), preambleSize)]); !ok || len(says) < preambleSize || p.version != version {
		return false
	}
	return bytes.HasPrefix(says[preambleSize:], helloOf(byte(r), secret)[preambleSize:])
}

// FuzzAbortFrame checks that an abort of any class and reason is within the limits, and that a valid
// class arrives.
func FuzzAbortFrame(f *testing.F) {
	f.Add("usage", "interrupted by SIGINT")
	f.Add("\x1b[2J", "\xff")
	f.Add(strings.Repeat("a", MaxClass+1), "")
	f.Fuzz(func(t *testing.T, class, reason string) {
		got, err := readFrame(bufio.NewReader(bytes.NewReader(abortFrame(class, reason).appendTo(nil))), admitAll)
		if err != nil || got.kind != kindAbort || !isClean(string(got.payload)) {
			t.Fatalf("abort %q, %q: read %v, %v", class, reason, got, err)
		}
		isClass := len(class) <= MaxClass && strings.Trim(class, "abcdefghijklmnopqrstuvwxyz") == ""
		if isClass && got.name != class || !isClass && got.name != "" {
			t.Errorf("class %q arrives as %q", class, got.name)
		}
	})
}

// wantFrames checks that a stream consists of frames, and counts them by their kind.
func wantFrames(t *testing.T, stream io.Reader) map[kind]int {
	t.Helper()
	count := map[kind]int{}
	r := bufio.NewReader(stream)
	if first, err := r.Peek(1); err == nil && first[0] != magic[0] {
		if _, err := readPreamble(r); err != nil {
			t.Fatal(err)
		}
	}
	for {
		f, err := readFrame(r, admitAll)
		if err == io.EOF {
			return count
		}
		if err != nil {
			t.Fatal(err)
		}
		count[f.kind]++
	}
}

func FuzzCleanReason(f *testing.F) {
	f.Add("interrupted by SIGINT")
	f.Add("\x1b[2J\u202e\xff")
	f.Add(strings.Repeat("ä", MaxReason))
	f.Fuzz(func(t *testing.T, s string) {
		clean := cleanReason(s)
		if clean == "" || len(clean) > MaxReason || !isClean(clean) {
			t.Errorf("cleanReason(%q) = %q", s, clean)
		}
		if again := cleanReason(clean); again != clean {
			t.Errorf("cleaned twice: %q, once: %q", again, clean)
		}
	})
}
