package oob

import (
	"bufio"
	"bytes"
	"errors"
	"net"
	"strings"
	"testing"
)

// socketPair returns the two ends of a TCP connection.
func socketPair(t *testing.T) (client, server net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	client, err = net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	server, err = l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = client.Close()
		_ = server.Close()
	})
	return client, server
}

// goGreet greets the peer at the other end of a socket, as a program for tests.
func goGreet(t *testing.T, nc net.Conn, r role, secret []byte) <-chan accepted {
	return goGreetAs(t, nc, r, Tests, secret)
}

// goGreetAs greets as a program.
func goGreetAs(t *testing.T, nc net.Conn, r role, p Program, secret []byte) <-chan accepted {
	done := make(chan accepted, 1)
	go func() {
		g := greeting{
			nc: nc, in: bufio.NewReaderSize(nc, greetingBuffer), role: r, secret: secret, program: p,
			reserve: func() bool { return true }, limit: short.hello, timing: short,
		}
		c, err := g.run(t.Context())
		done <- accepted{c, err}
	}()
	return done
}

func TestSecretsOfBothSides(t *testing.T) {
	const noneHere, noneThere, differ = "this side has none", "the peer has none", "the two differ, or one side runs ib_conform"
	for _, tt := range []struct {
		name                   string
		client, server         []byte
		clientHears, otherSide string // empty: all is well
	}{
		{"none", nil, nil, "", ""},
		{"the same", []byte("s3cret"), []byte("s3cret"), "", ""},
		{"long", bytes.Repeat([]byte("x"), 1000), bytes.Repeat([]byte("x"), 1000), "", ""},
		{"of the client alone", []byte("s3cret"), nil, noneThere, noneHere},
		{"of the server alone", nil, []byte("s3cret"), noneHere, noneThere},
		{"different", []byte("s3cret"), []byte("secret"), differ, differ},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, b := socketPair(t)
			clientEnds, serverEnds := goGreet(t, a, roleClient, tt.client), goGreet(t, b, roleServer, tt.server)
			client, server := <-clientEnds, <-serverEnds
			if tt.clientHears != "" {
				wantNoSecret(t, client.err, tt.clientHears)
				wantNoSecret(t, server.err, tt.otherSide)
				return
			}
			if err := errors.Join(client.err, server.err); err != nil {
				t.Fatal(err)
			}
			for _, c := range []*Conn{client.conn, server.conn} {
				if c.Authenticated() != (tt.client != nil) {
					t.Errorf("Authenticated = %v with the secret %q", c.Authenticated(), tt.client)
				}
			}
			swap(t, client.conn, server.conn, "plan", []byte("c"), []byte("s"))
			closeBoth(t, client.conn, server.conn)
		})
	}
}

func wantNoSecret(t *testing.T, err error, want string) {
	t.Helper()
	wantPeerError(t, err, false, want)
	if !errors.Is(err, ErrSecret) || !strings.Contains(err.Error(), "--secret-file") {
		t.Errorf("error = %v, want ErrSecret and --secret-file", err)
	}
}

func TestEmptySecretIsRefused(t *testing.T) {
	_, err := Listen("127.0.0.1:0", ListenOptions{Secret: []byte{}})
	if err == nil || !strings.Contains(err.Error(), "secret is empty") {
		t.Errorf("Listen error = %v, want that the secret is empty", err)
	}
	_, err = Dial(t.Context(), "127.0.0.1:1", DialOptions{Secret: []byte{}})
	if err == nil || !strings.Contains(err.Error(), "secret is empty") {
		t.Errorf("Dial error = %v, want that the secret is empty", err)
	}
}

// A program that forgets to say what it is may not have a proof that is valid for all.
func TestSecretForNoProgramIsRefused(t *testing.T) {
	_, err := Listen("127.0.0.1:0", ListenOptions{Secret: []byte("s3cret")})
	if err == nil || !strings.Contains(err.Error(), "for no program") {
		t.Errorf("Listen error = %v, want that the secret is for no program", err)
	}
}

// hear reads the next frame of the other side, and the preamble before a hello if there is one.
func (p rawPeer) hear(r *bufio.Reader, want kind) frame {
	p.t.Helper()
	if first, err := r.Peek(1); err == nil && first[0] != magic[0] {
		p.hearPreamble(r)
	}
	f, err := readFrame(r, admitAll)
	if err != nil || f.kind != want {
		p.t.Fatalf("received %v, %v; want %v", f.kind, err, want)
	}
	return f
}

func (p rawPeer) hearPreamble(r *bufio.Reader) {
	p.t.Helper()
	if theirs, err := readPreamble(r); err != nil || theirs != (preamble{version: version}) {
		p.t.Fatalf("received preamble %v, %v", theirs, err)
	}
}
