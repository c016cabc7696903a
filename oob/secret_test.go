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

// goGreet greets the peer at the other end of a socket.
func goGreet(t *testing.T, nc net.Conn, r role, secret []byte) <-chan accepted {
	done := make(chan accepted, 1)
	go func() {
		g := greeting{
			nc: nc, in: bufio.NewReaderSize(nc, greetingBuffer), role: r, secret: secret,
			place: func() bool { return true }, limit: short.hello, timing: short,
		}
		c, err := g.run(t.Context())
		done <- accepted{c, err}
	}()
	return done
}

func TestSecretsOfBothSides(t *testing.T) {
	const noneHere, noneThere, differ = "this side has none", "the peer has none", "the two differ"
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

// hear reads the next frame that the other side says.
func (p rawPeer) hear(r *bufio.Reader, want kind) frame {
	p.t.Helper()
	f, err := readFrame(r, admitAll)
	if err != nil || f.kind != want {
		p.t.Fatalf("heard %v, %v; want %v", f.kind, err, want)
	}
	return f
}

// A client that does not have the secret hears nothing that is made with it.
func TestServerProvesNothingToAStranger(t *testing.T) {
	a, b := socketPair(t)
	server := goGreet(t, b, roleServer, []byte("s3cret"))
	raw, in := rawPeer{t, a}, bufio.NewReader(a)
	raw.send(newHello(roleClient, []byte("guess")).frame())
	raw.hear(in, kindHello)
	raw.send(frame{kind: kindProof, payload: make([]byte, proofSize)})
	if f := raw.hear(in, kindAbort); f.step != classSecret {
		t.Errorf("class = %q, want %q", f.step, classSecret)
	}
	drain(t, raw, true)
	wantNoSecret(t, (<-server).err, "the two differ")
}

// The nonces are fresh: what has proved the secret once does not do so again, on neither side.
func TestProofIsOfNoUseTwice(t *testing.T) {
	secret := []byte("s3cret")
	for _, honest := range []role{roleClient, roleServer} {
		t.Run("to the "+honest.String(), func(t *testing.T) {
			var said []byte
			for _, replay := range []bool{false, true} {
				a, b := socketPair(t)
				got := goGreet(t, a, honest, secret)
				raw, in := rawPeer{t, b}, bufio.NewReader(b)
				mine := hello{role: honest.other(), secret: true}
				raw.send(mine.frame())
				theirs, err := decodeHello(raw.hear(in, kindHello).payload)
				if err != nil {
					t.Fatal(err)
				}
				client, server := mine, theirs
				if honest == roleClient {
					client, server = theirs, mine
					raw.hear(in, kindProof)
				}
				if !replay {
					said = proofOf(secret, mine.role, client, server)
				}
				raw.send(frame{kind: kindProof, payload: said})
				if replay {
					raw.hear(in, kindAbort)
				}
				drain(t, raw, true)
				end := <-got
				if replay {
					wantNoSecret(t, end.err, "the two differ")
				} else if end.err != nil {
					t.Error(end.err)
				} else {
					endAll(end.conn)
				}
			}
		})
	}
}

// A server that has no secret cannot do with what the client says of it.
func TestServerThatSendsTheProofBack(t *testing.T) {
	a, b := socketPair(t)
	client := goGreet(t, a, roleClient, []byte("s3cret"))
	raw, in := rawPeer{t, b}, bufio.NewReader(b)
	mine, err := decodeHello(raw.hear(in, kindHello).payload)
	if err != nil {
		t.Fatal(err)
	}
	mine.role = roleServer
	raw.send(mine.frame())
	raw.send(raw.hear(in, kindProof))
	raw.hear(in, kindAbort)
	drain(t, raw, true)
	wantNoSecret(t, (<-client).err, "the two differ")
}

func TestOtherFrameThanTheProof(t *testing.T) {
	a, b := socketPair(t)
	server := goGreet(t, b, roleServer, []byte("s3cret"))
	raw := rawPeer{t, a}
	raw.send(newHello(roleClient, []byte("s3cret")).frame(), frame{kindData, "plan", []byte("x")})
	wantStranger(t, (<-server).err, "received a data frame before its proof")
}
