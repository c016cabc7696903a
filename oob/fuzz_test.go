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

// FuzzReadFrame reads arbitrary bytes as frames. What is read must be within the limits and
// have exactly the wire form that it was read from; all else is one of the known errors.
func FuzzReadFrame(f *testing.F) {
	for _, s := range strangers {
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
				t.Fatalf("read %v %q: %v", got.kind, got.step, err)
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

// FuzzFrame writes arbitrary frames: those within the limits come back as they were.
func FuzzFrame(f *testing.F) {
	f.Add(byte(kindData), "plan", []byte("payload"))
	f.Add(byte(kindPing), "", []byte(nil))
	f.Add(byte(kindAbort), "usage", []byte("why"))
	f.Add(byte(9), "s", []byte{0})
	f.Fuzz(func(t *testing.T, k byte, step string, payload []byte) {
		want := frame{kind(k), step, payload}
		if want.check() != nil {
			return
		}
		r := bufio.NewReader(iotest.OneByteReader(bytes.NewReader(want.appendTo(nil))))
		got, err := readFrame(r, admitAll)
		if err != nil || got.kind != want.kind || got.step != step || !bytes.Equal(got.payload, payload) {
			t.Errorf("read %v, %v; want %v", got, err, want)
		}
		if _, err := readFrame(r, admitAll); err != io.EOF {
			t.Errorf("error at the end = %v, want EOF", err)
		}
	})
}

// FuzzDecodeHello: what is taken for a hello has exactly that wire form.
func FuzzDecodeHello(f *testing.F) {
	for _, wire := range [][]byte{helloOf(1, 0), helloOf(2, 1), helloOf(2, 2), helloOf(0, 1)} {
		f.Add(wire[headerSize:])
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

// told is the socket of a peer that says some bytes and ends. It keeps what it hears.
type told struct {
	net.Conn
	says  *bytes.Reader
	hears bytes.Buffer
}

func (c *told) Read(b []byte) (int, error)  { return c.says.Read(b) }
func (c *told) Write(b []byte) (int, error) { return c.hears.Write(b) }

// FuzzMeet greets a peer that says arbitrary bytes, without a secret and with one. Without it, a
// hello of the other role is all that it takes; with it, arbitrary bytes never do, and a server
// says no proof. A server says nothing to a stranger.
func FuzzMeet(f *testing.F) {
	for _, s := range strangers {
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
			c := &told{says: bytes.NewReader(says)}
			g := greeting{
				nc: c, in: bufio.NewReaderSize(c, greetingBuffer), role: mine, secret: secret,
				place: func() bool { return true },
			}
			err := g.meet()
			if want := secret == nil && beginsWithHello(says, mine.other(), 0); (err == nil) != want {
				t.Errorf("%v, secret %q: meet = %v after %q", mine, secret, err, says)
			}
			if server && !bytes.HasPrefix(says, []byte(magic)) && c.hears.Len() > 0 {
				t.Errorf("a stranger that said %q heard %q", says, c.hears.Bytes())
			}
			proves := !server && secret != nil && beginsWithHello(says, roleServer, 1)
			if said := wantFrames(t, &c.hears)[kindProof]; (said > 0) != proves {
				t.Errorf("%v, secret %q: said %d proofs after %q", mine, secret, said, says)
			}
		}
	})
}

// beginsWithHello tells whether bytes begin with a hello as it must be.
func beginsWithHello(says []byte, r role, secret byte) bool {
	want := helloOf(byte(r), secret)
	fixed := len(want) - nonceSize
	return len(says) >= len(want) && bytes.Equal(says[:fixed], want[:fixed])
}

// FuzzAbortFrame: whatever the class and the reason, the frame is within the limits, and a class
// that is one arrives.
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
		if isClass && got.step != class || !isClass && got.step != "" {
			t.Errorf("class %q arrives as %q", class, got.step)
		}
	})
}

// wantFrames checks that what was heard is frames, and counts them by their kind.
func wantFrames(t *testing.T, heard io.Reader) map[kind]int {
	t.Helper()
	count := map[kind]int{}
	for r := bufio.NewReader(heard); ; {
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
