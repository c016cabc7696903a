package oob

import (
	"bufio"
	"errors"
	"io"
	"testing"
)

// Of another version only the first five bytes are known. What follows may be longer than
// anything of this version.
func otherHello(v byte) []byte {
	return append(append([]byte(magic), v), make([]byte, 300)...)
}

// wantVersions checks that an error names both versions and who has to update.
func wantVersions(t *testing.T, err error, theirs byte) {
	t.Helper()
	want := "speaks version 3 of ibperf's protocol, this side version 2; update ibperf on this side"
	if theirs < version {
		want = "speaks version 1 of ibperf's protocol, this side version 2; update ibperf on the peer's side"
	}
	wantPeerError(t, err, false, want)
	if !errors.Is(err, ErrProtocol) {
		t.Errorf("error = %v, want ErrProtocol", err)
	}
}

// A client of another version learns the server's from its hello.
func TestClientOfAnotherVersion(t *testing.T) {
	for _, theirs := range []byte{version - 1, version + 1} {
		for _, secret := range [][]byte{nil, []byte("s3cret")} {
			a, b := socketPair(t)
			server := goGreet(t, b, roleServer, secret)
			raw, in := rawPeer{t, a}, bufio.NewReader(a)
			raw.sendBytes(otherHello(theirs))
			raw.hear(in, kindHello)
			if rest, err := io.ReadAll(in); len(rest) > 0 || err != nil {
				t.Errorf("heard %q, %v behind the hello, want an orderly end", rest, err)
			}
			_ = a.Close()
			wantVersions(t, (<-server).err, theirs)
		}
	}
}

// A server of another version, which says its hello after the client's or before it, learns the
// client's from the client's hello.
func TestServerOfAnotherVersion(t *testing.T) {
	for _, theirs := range []byte{version - 1, version + 1} {
		for _, first := range []bool{false, true} {
			a, b := socketPair(t)
			raw, in := rawPeer{t, b}, bufio.NewReader(b)
			if first {
				raw.sendBytes(otherHello(theirs))
			}
			client := goGreet(t, a, roleClient, nil)
			raw.hear(in, kindHello)
			if !first {
				raw.sendBytes(otherHello(theirs))
			}
			if rest, err := io.ReadAll(in); len(rest) > 0 || err != nil {
				t.Errorf("heard %q, %v behind the hello, want an orderly end", rest, err)
			}
			_ = b.Close()
			wantVersions(t, (<-client).err, theirs)
		}
	}
}
