package oob

import (
	"bufio"
	"errors"
	"io"
	"testing"
)

// Of another version only the preamble is known, and of one without preambles the first five bytes. The rest may
// be longer than any frame of this version.
func otherHello(v byte) []byte {
	start := append([]byte(magic), v)
	if v > version {
		start = preamble{version: v}.appendTo(nil)
	}
	return append(start, make([]byte, 300)...)
}

// wantVersions checks that an error names both versions and the side to update.
func wantVersions(t *testing.T, err error, theirs byte) {
	t.Helper()
	want := "speaks version 4 of ibperf's protocol, this side version 3; update ibperf on this side"
	if theirs < version {
		want = "speaks version 2 of ibperf's protocol, this side version 3; update ibperf on the peer's side"
	}
	wantPeerError(t, err, false, want)
	if !errors.Is(err, ErrProtocol) {
		t.Errorf("error = %v, want ErrProtocol", err)
	}
}

// A client of another version learns the server's version from the server's preamble, or one without
// preambles from its hello.
func TestClientOfAnotherVersion(t *testing.T) {
	for _, theirs := range []byte{version - 1, version + 1} {
		for _, secret := range [][]byte{nil, []byte("s3cret")} {
			a, b := socketPair(t)
			server := goGreet(t, b, roleServer, secret)
			raw, in := rawPeer{t, a}, bufio.NewReader(a)
			raw.sendBytes(otherHello(theirs))
			if theirs < version {
				raw.hear(in, kindHello)
			} else {
				raw.hearPreamble(in)
			}
			if rest, err := io.ReadAll(in); len(rest) > 0 || err != nil {
				t.Errorf("received %q, %v after the hello, want an orderly end", rest, err)
			}
			_ = a.Close()
			wantVersions(t, (<-server).err, theirs)
		}
	}
}

// A server of another version, which sends its hello after the client's or before it, learns the
// client's version from the client's preamble.
func TestServerOfAnotherVersion(t *testing.T) {
	for _, theirs := range []byte{version - 1, version + 1} {
		for _, first := range []bool{false, true} {
			a, b := socketPair(t)
			raw, in := rawPeer{t, b}, bufio.NewReader(b)
			if first {
				raw.sendBytes(otherHello(theirs))
			}
			client := goGreet(t, a, roleClient, nil)
			raw.hearPreamble(in)
			if !first {
				raw.sendBytes(otherHello(theirs))
			}
			if rest, err := io.ReadAll(in); len(rest) > 0 || err != nil {
				t.Errorf("received %q, %v after the hello, want an orderly end", rest, err)
			}
			_ = b.Close()
			wantVersions(t, (<-client).err, theirs)
		}
	}
}
