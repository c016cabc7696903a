package oob

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"
)

// perftestVersions are the versions of perftest that its releases since 2022 announce.
var perftestVersions = []string{"6.06", "6.10", "6.13", "6.16", "6.17", "6.20", "6.23", "6.27", "6.28", "6.29"}

// perftest converts the text in its peer's first message, up to the first NUL, as a decimal number, and refuses
// numbers below 5.70. From 6.28 on it expects one more message if the number is 6.28 or more.
func TestPerftestAcceptsThePreamble(t *testing.T) {
	b := preambleBytes()
	if len(b) != 16 {
		t.Fatalf("the preamble has %d bytes, want the 16 of perftest's version", len(b))
	}
	text, _, ended := bytes.Cut(b, []byte{0})
	n, err := strconv.ParseFloat(string(text), 64)
	if !ended || err != nil || n < 5.70 || n >= 6.28 {
		t.Errorf("perftest reads %q, %v, %v; want a number from 5.70 to 6.27 that ends with a NUL", text, ended, err)
	}
}

// perftestHello is perftest's first message.
func perftestHello(v string) []byte { return preamble{perftest: v}.appendTo(nil) }

// A server names a perftest client, and a client a perftest server, which sends nothing before the client.
func TestPerftestIsRecognized(t *testing.T) {
	for _, v := range perftestVersions {
		want := fmt.Sprintf("is perftest %s; run ibperf on both sides", v)
		l, rejected := watchedListener(t, short)
		drain(t, dialRaw(t, l, perftestHello(v)), false)
		wantIncompatible(t, <-rejected, want)

		addr := perftestServer(t, v)
		_, err := dial(t.Context(), addr, DialOptions{Timeout: time.Minute}, short)
		wantIncompatible(t, err, want)
	}
}

// perftestServer reads exactly one message with one read, as perftest does, and answers it.
func perftestServer(t *testing.T, v string) (addr string) {
	t.Helper()
	s := socket(t)
	go func() {
		nc, err := s.Accept()
		if err != nil {
			return
		}
		defer nc.Close()
		b := make([]byte, 16)
		if n, err := nc.Read(b); n != len(b) || err != nil {
			t.Errorf("the first read has %d bytes, %v; perftest needs 16", n, err)
		}
		if _, err := nc.Write(perftestHello(v)); err != nil {
			t.Error(err)
		}
		_, _ = nc.Read(b) // until the client closes
	}()
	return s.Addr().String()
}

// serveWithoutPreambles behaves as an ibperf whose protocol has no preambles: it closes when it receives
// anything but the start of a frame, and answers a frame of any version by one of its own.
func serveWithoutPreambles(s net.Listener, theirs byte) {
	for {
		nc, err := s.Accept()
		if err != nil {
			return
		}
		b := make([]byte, 512)
		n, _ := nc.Read(b)
		if strings.HasPrefix(string(b[:n]), magic) {
			_, _ = nc.Write(append(append([]byte(magic), theirs), make([]byte, 41)...))
		}
		_ = nc.Close()
	}
}

// A server without preambles says nothing to a preamble. The client asks it for its version.
func TestServerWithoutPreambles(t *testing.T) {
	s := socket(t)
	go serveWithoutPreambles(s, 2)
	_, err := dial(t.Context(), s.Addr().String(), DialOptions{Timeout: time.Minute}, short)
	wantVersions(t, err, 2)
}

// FuzzPreamble reads arbitrary bytes as a preamble: what is accepted is a version of perftest or of ibperf,
// and has the wire form that it was read from.
func FuzzPreamble(f *testing.F) {
	f.Add(preambleBytes())
	for _, v := range append(perftestVersions, "", ".", "6", "6.", "1234.56", "12345.67", "-1.0", "6.0x") {
		f.Add(perftestHello(v))
	}
	for _, s := range incompatible {
		f.Add(s.says)
	}
	f.Fuzz(func(t *testing.T, wire []byte) {
		p, err := readPreamble(bufio.NewReader(bytes.NewReader(wire)))
		switch {
		case err != nil:
			if !errors.Is(err, ErrProtocol) {
				wantReadError(t, err, len(wire))
			}
		case p.perftest != "":
			if !bytes.HasPrefix(wire, p.appendTo(nil)) {
				t.Errorf("%q is read as perftest %s", wire, p.perftest)
			}
			if _, err := strconv.ParseFloat(p.perftest, 64); err != nil {
				t.Errorf("version %q: %v", p.perftest, err)
			}
		case !bytes.Contains(wire[:preambleSize], append([]byte("\x00"+magic), p.version)):
			t.Errorf("%q is read as ibperf %d", wire, p.version)
		}
	})
}

// A server that takes perftest answers each version by one that it accepts: from 6.28 on its own.
func TestPerftestIsAClient(t *testing.T) {
	for _, v := range perftestVersions {
		want := "6.06"
		if v >= "6.28" {
			want = v
		}
		l, err := listen("127.0.0.1:0", ListenOptions{Perftest: true}, short)
		if err != nil {
			t.Fatal(err)
		}
		raw := dialRaw(t, l, perftestHello(v))
		c, err := l.Accept(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		answer := make([]byte, preambleSize)
		if _, err := io.ReadFull(raw.nc, answer); err != nil || !bytes.Equal(answer, perftestHello(want)) {
			t.Errorf("perftest %s receives %q, %v; want %s", v, answer, err, want)
		}
		if version, nc := c.Perftest(); version != v || nc == nil {
			t.Errorf("perftest %s is taken for %q", v, version)
		}
		c.Abort("", "")
		if rest, err := io.ReadAll(raw.nc); len(rest) > 0 || err != nil {
			t.Errorf("perftest receives %q, %v at the end, want nothing", rest, err)
		}
		_ = l.Close()
	}
}

// A client takes a perftest server, but for the version whose messages it cannot know.
func TestPerftestIsTheServer(t *testing.T) {
	for _, v := range perftestVersions {
		c, err := dial(t.Context(), perftestServer(t, v), DialOptions{Timeout: time.Minute, Perftest: true}, short)
		if v == alwaysPlans {
			wantIncompatible(t, err, "is perftest 6.28, whose server waits for a message")
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if version, _ := c.Perftest(); version != v {
			t.Errorf("perftest %s is taken for %q", v, version)
		}
		c.Abort("", "")
	}
}

// perftest has no secrets, and a version before 5.70 refuses this side.
func TestPerftestThatIsRefused(t *testing.T) {
	for _, tt := range []struct {
		version string
		secret  []byte
		want    string
	}{
		{"6.06", []byte("s3cret"), "start this side without --secret-file"},
		{"5.69", nil, "update it to 5.70 or later"},
	} {
		_, err := dial(t.Context(), perftestServer(t, tt.version), DialOptions{Timeout: time.Minute, Perftest: true, Secret: tt.secret, Program: Tests}, short)
		wantIncompatible(t, err, "is perftest "+tt.version)
		wantPeerError(t, err, false, tt.want)
	}
}
