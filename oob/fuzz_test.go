package oob

import (
	"bufio"
	"bytes"
	"errors"
	"io"
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
		{kind: kindHello, payload: []byte{1}}, {kind: kindPing}, {kind: kindBye},
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

func FuzzDecodeHello(f *testing.F) {
	f.Add(byte(kindHello), []byte{byte(roleClient)})
	f.Add(byte(kindHello), []byte{byte(roleServer), 0})
	f.Add(byte(kindPing), []byte(nil))
	f.Fuzz(func(t *testing.T, k byte, payload []byte) {
		r, err := decodeHello(frame{kind: kind(k), payload: payload})
		valid := kind(k) == kindHello && len(payload) == 1 && (payload[0] == 1 || payload[0] == 2)
		switch {
		case valid && (err != nil || byte(r) != payload[0]):
			t.Errorf("decodeHello(%q) = %v, %v", payload, r, err)
		case !valid && !errors.Is(err, ErrProtocol):
			t.Errorf("decodeHello(%v, %q) error = %v, want ErrProtocol", kind(k), payload, err)
		}
	})
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
