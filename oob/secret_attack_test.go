package oob

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

var s3cret = []byte("s3cret")

// rawTLS says hello as a peer with a secret would, begins TLS, and returns the peer in TLS with its keying material.
func rawTLS(t *testing.T, nc net.Conn, r role) (p rawPeer, in *bufio.Reader, keying []byte) {
	t.Helper()
	says := rawPeer{t, nc}
	c := tls.Client(nc, clientTLS)
	says.sendBytes(greetingOf(newHello(r, s3cret)))
	theirs := make([]byte, preambleSize+headerSize+helloSize)
	if _, err := io.ReadFull(nc, theirs); err != nil {
		t.Fatal(err)
	}
	if r == roleServer {
		config, err := serverTLS()
		if err != nil {
			t.Fatal(err)
		}
		c = tls.Server(nc, config)
	}
	if err := c.Handshake(); err != nil {
		t.Fatal(err)
	}
	state := c.ConnectionState()
	keying, err := state.ExportKeyingMaterial("EXPORTER-Channel-Binding", nil, keyingSize)
	if err != nil {
		t.Fatal(err)
	}
	return rawPeer{t, c}, bufio.NewReader(c), keying
}

// A proof of another connection, another role or another program, and one that is nothing, is refused. A server
// answers none of them by a proof, which would help a client without the secret.
func TestWrongProofIsRefused(t *testing.T) {
	other := bytes.Repeat([]byte{1}, keyingSize)
	for _, tt := range []struct {
		name  string
		proof func(honest role, keying []byte) []byte
	}{
		{"zeros", func(role, []byte) []byte { return make([]byte, proofSize) }},
		{"empty", func(role, []byte) []byte { return nil }},
		{"half", func(r role, k []byte) []byte { return proofOf(s3cret, r.other(), Tests, k)[:proofSize/2] }},
		{"of another connection", func(r role, _ []byte) []byte { return proofOf(s3cret, r.other(), Tests, other) }},
		{"of the same role", func(r role, k []byte) []byte { return proofOf(s3cret, r, Tests, k) }},
		{"of another program", func(r role, k []byte) []byte { return proofOf(s3cret, r.other(), Conform, k) }},
		{"of another secret", func(r role, k []byte) []byte { return proofOf([]byte("s3cre"), r.other(), Tests, k) }},
	} {
		for _, honest := range []role{roleClient, roleServer} {
			t.Run(tt.name+" to a "+honest.String(), func(t *testing.T) {
				a, b := socketPair(t)
				got := goGreet(t, a, honest, s3cret)
				raw, in, keying := rawTLS(t, b, honest.other())
				if honest == roleClient {
					raw.hear(in, kindProof)
				}
				raw.send(frame{kind: kindProof, payload: tt.proof(honest, keying)})
				if f := raw.hear(in, kindAbort); f.name != classSecret {
					t.Errorf("class = %q, want %q", f.name, classSecret)
				}
				_ = b.Close()
				wantNoSecret(t, (<-got).err, "the two differ")
			})
		}
	}
}

// The right proof is accepted: the peer of the tests above fails because of its proof alone.
func TestRightProofIsAccepted(t *testing.T) {
	for _, honest := range []role{roleClient, roleServer} {
		a, b := socketPair(t)
		got := goGreet(t, a, honest, s3cret)
		raw, in, keying := rawTLS(t, b, honest.other())
		raw.send(frame{kind: kindProof, payload: proofOf(s3cret, honest.other(), Tests, keying)})
		raw.hear(in, kindProof)
		end := <-got
		if end.err != nil {
			t.Fatal(end.err)
		}
		_ = b.Close()
		wantLost(t, end.conn, false, "is gone: connection closed")
		endAll(end.conn)
	}
}

// A server that has no secret sends the client's own proof back.
func TestServerThatSendsTheProofBack(t *testing.T) {
	a, b := socketPair(t)
	client := goGreet(t, a, roleClient, s3cret)
	raw, in, _ := rawTLS(t, b, roleServer)
	raw.send(raw.hear(in, kindProof))
	raw.hear(in, kindAbort)
	_ = b.Close()
	wantNoSecret(t, (<-client).err, "the two differ")
}

// A relay has TLS connections with both sides and forwards their frames. It gets no further than the client's proof.
func TestRelayIsRefused(t *testing.T) {
	a, toClient := socketPair(t)
	toServer, b := socketPair(t)
	client, server := goGreet(t, a, roleClient, s3cret), goGreet(t, b, roleServer, s3cret)
	near, _, _ := rawTLS(t, toClient, roleServer)
	far, _, _ := rawTLS(t, toServer, roleClient)
	var fromClient, fromServer bytes.Buffer
	var relay sync.WaitGroup
	relay.Go(func() {
		_, _ = io.Copy(far.nc, io.TeeReader(near.nc, &fromClient))
		_ = far.nc.(*tls.Conn).CloseWrite()
	})
	relay.Go(func() {
		_, _ = io.Copy(near.nc, io.TeeReader(far.nc, &fromServer))
		_ = near.nc.(*tls.Conn).CloseWrite()
	})
	for _, end := range []accepted{<-client, <-server} {
		wantNoSecret(t, end.err, "another host relays the connection")
	}
	relay.Wait()
	if got := wantFrames(t, &fromClient); got[kindProof] != 1 || len(got) != 1 {
		t.Errorf("the client has sent %v, want its proof", got)
	}
	if got := wantFrames(t, &fromServer); got[kindAbort] != 1 || len(got) != 1 {
		t.Errorf("the server has sent %v, want an abort", got)
	}
}

// forward is a host between two sides that changes what it forwards, and returns all that it has forwarded.
func forward(t *testing.T, change func(from role, seen int, b []byte)) (client, server net.Conn, seen func() []byte) {
	t.Helper()
	client, toClient := socketPair(t)
	toServer, server := socketPair(t)
	var mu sync.Mutex
	var all bytes.Buffer
	pass := func(to, from net.Conn, r role) {
		b := make([]byte, chunkSize)
		for seen := 0; ; {
			n, err := from.Read(b)
			change(r, seen, b[:n])
			seen += n
			mu.Lock()
			all.Write(b[:n])
			mu.Unlock()
			if _, failed := to.Write(b[:n]); err != nil || failed != nil {
				endStream(to)
				return
			}
		}
	}
	go pass(toServer, toClient, roleClient)
	go pass(toClient, toServer, roleServer)
	return client, server, func() []byte {
		mu.Lock()
		defer mu.Unlock()
		return bytes.Clone(all.Bytes())
	}
}

func noChange(role, int, []byte) {}

func TestNothingTravelsInClear(t *testing.T) {
	for _, secret := range [][]byte{nil, s3cret} {
		a, b, seen := forward(t, noChange)
		clientEnds, serverEnds := goGreet(t, a, roleClient, secret), goGreet(t, b, roleServer, secret)
		client, server := <-clientEnds, <-serverEnds
		if err := errors.Join(client.err, server.err); err != nil {
			t.Fatal(err)
		}
		swap(t, client.conn, server.conn, "exchange-name", []byte("the client's payload"), []byte("the server's payload"))
		client.conn.Abort("class", "the reason of an abort")
		<-server.conn.Lost()
		server.conn.Abort("", "")
		for _, text := range []string{"exchange-name", "client's payload", "server's payload", "reason of an abort", "s3cret"} {
			if got := bytes.Contains(seen(), []byte(text)); got != (secret == nil && text != "s3cret") {
				t.Errorf("secret %q: %q on the wire: %v", secret, text, got)
			}
		}
	}
}

// A host on the way that says to each side that the other has no secret ends both: none goes on without.
func TestDowngradeIsRefused(t *testing.T) {
	a, b, _ := forward(t, func(_ role, seen int, p []byte) {
		if at := preambleSize + headerSize + 1 - seen; at >= 0 && at < len(p) {
			p[at] = 0
		}
	})
	client, server := goGreet(t, a, roleClient, s3cret), goGreet(t, b, roleServer, s3cret)
	wantNoSecret(t, (<-client).err, "the peer has none")
	wantNoSecret(t, (<-server).err, "the peer has none")
}

func TestOlderTLSIsRefused(t *testing.T) {
	for _, honest := range []role{roleClient, roleServer} {
		a, b := socketPair(t)
		got := goGreet(t, a, honest, s3cret)
		raw := rawPeer{t, b}
		raw.sendBytes(greetingOf(newHello(honest.other(), s3cret)))
		if _, err := io.ReadFull(b, make([]byte, preambleSize+headerSize+helloSize)); err != nil {
			t.Fatal(err)
		}
		old := tls.Client(b, &tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS12})
		if honest == roleClient {
			config, err := serverTLS()
			if err != nil {
				t.Fatal(err)
			}
			config = config.Clone()
			config.MinVersion, config.MaxVersion = tls.VersionTLS12, tls.VersionTLS12
			old = tls.Server(b, config)
		}
		if old.Handshake() == nil {
			t.Error("the handshake of TLS 1.2 is complete")
		}
		_ = b.Close()
		wantIncompatible(t, (<-got).err, "TLS: tls: ")
	}
}

// The bytes of a client are of no use on another connection.
func TestReplayIsRefused(t *testing.T) {
	var mu sync.Mutex
	var said []byte
	a, b, _ := forward(t, func(from role, _ int, p []byte) {
		mu.Lock()
		defer mu.Unlock()
		if from == roleClient {
			said = append(said, p...)
		}
	})
	clientEnds, serverEnds := goGreet(t, a, roleClient, s3cret), goGreet(t, b, roleServer, s3cret)
	client, server := <-clientEnds, <-serverEnds
	if err := errors.Join(client.err, server.err); err != nil {
		t.Fatal(err)
	}
	swap(t, client.conn, server.conn, "plan", []byte("c"), []byte("s"))
	endAll(client.conn, server.conn)
	again, near := socketPair(t)
	got := goGreet(t, near, roleServer, s3cret)
	mu.Lock()
	rawPeer{t, again}.sendBytes(said)
	mu.Unlock()
	_, _ = io.Copy(io.Discard, again) // until the server has closed
	if end := <-got; end.err == nil {
		t.Error("a client that repeats another one's bytes is accepted")
		endAll(end.conn)
	}
}

// A changed byte after the greeting ends the connection.
func TestChangedByteEndsTheConnection(t *testing.T) {
	var change sync.Map // role: true
	a, b, _ := forward(t, func(from role, _ int, p []byte) {
		if _, is := change.Load(from); is && len(p) > 0 {
			p[len(p)-1] ^= 1
		}
	})
	clientEnds, serverEnds := goGreet(t, a, roleClient, s3cret), goGreet(t, b, roleServer, s3cret)
	client, server := <-clientEnds, <-serverEnds
	if err := errors.Join(client.err, server.err); err != nil {
		t.Fatal(err)
	}
	change.Store(roleClient, true)
	if _, err := server.conn.Exchange("plan", []byte("x")); err == nil {
		t.Error("an exchange with changed bytes succeeds")
	}
	wantIncompatible(t, server.conn.Err(), "TLS: tls: bad record MAC")
	endAll(client.conn, server.conn)
}

// A frame in clear after the hellos is not read as one of the TLS connection.
func TestFrameInClearAfterHellos(t *testing.T) {
	for _, honest := range []role{roleClient, roleServer} {
		a, b := socketPair(t)
		got := goGreet(t, a, honest, s3cret)
		raw := rawPeer{t, b}
		raw.sendBytes(frame{kindData, "plan", []byte("x")}.appendTo(greetingOf(newHello(honest.other(), s3cret))))
		go func() { _, _ = io.Copy(io.Discard, b) }()
		wantIncompatible(t, (<-got).err, "TLS: tls: ")
	}
}

func TestOtherFrameThanTheProof(t *testing.T) {
	a, b := socketPair(t)
	server := goGreet(t, b, roleServer, s3cret)
	raw, _, _ := rawTLS(t, a, roleClient)
	raw.send(frame{kindData, "plan", []byte("x")})
	wantIncompatible(t, (<-server).err, "received a data frame before its proof")
}

// The same secret does not open one program's server to another program's client.
func TestProgramsAreKeptApart(t *testing.T) {
	a, b := socketPair(t)
	client, server := goGreetAs(t, a, roleClient, Tests, s3cret), goGreetAs(t, b, roleServer, Conform, s3cret)
	for _, end := range []accepted{<-client, <-server} {
		wantNoSecret(t, end.err, "one side runs ib_conform and the other does not")
	}
}

// A peer that says hello, and then nothing, part of a TLS message, or no proof, is dropped at the time limit.
func TestSilenceBeforeTheProof(t *testing.T) {
	for name, says := range map[string]string{"nothing": "", "part of a TLS record": "\x16\x03\x01\x02\x00\x01\x00"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				socket, reasons := newPipes(), make(chan error, 1)
				l := newListener(socket, ListenOptions{Secret: s3cret, Program: Tests, Rejected: func(err error) { reasons <- err }}, standard)
				start := time.Now()
				nc := socket.connect()
				go func() { _, _ = io.Copy(io.Discard, nc) }()
				rawPeer{t, nc}.sendBytes(greetingOf(newHello(roleClient, s3cret)))
				rawPeer{t, nc}.sendBytes([]byte(says))
				wantPeerError(t, <-reasons, false, "has not sent its proof within 5s")
				if took := time.Since(start); took != standard.hello {
					t.Errorf("dropped after %v, want %v", took, standard.hello)
				}
				_ = l.Close()
			})
		})
	}
}

// Handshakes that wait for their clients do not keep others from computing theirs.
func TestStalledHandshakesDelayNobody(t *testing.T) {
	l, err := listen("127.0.0.1:0", ListenOptions{Secret: s3cret, Program: Tests}, short)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	hello := greetingOf(newHello(roleClient, s3cret))
	for i := range maxCandidates - 10 {
		dialRaw(t, l, append(bytes.Clone(hello), "\x16\x03\x01\x02\x00\x01\x00"[:i%8]...))
	}
	var clients sync.WaitGroup
	for range 20 {
		clients.Go(func() {
			client, err := dial(t.Context(), l.Addr().String(), DialOptions{Timeout: time.Minute, Secret: s3cret, Program: Tests}, short)
			if err != nil {
				t.Error(err)
				return
			}
			if _, err := client.Exchange("plan", []byte("c")); err != nil {
				t.Error(err)
			}
			endAll(client)
		})
	}
	come := acceptAll(t, l)
	for range 20 {
		server := <-come
		if !server.Authenticated() {
			t.Error("a client is accepted without a proof")
		}
		if _, err := server.Exchange("plan", nil); err != nil {
			t.Error(err)
		}
		<-server.Lost()
		endAll(server)
	}
	clients.Wait()
}

// A payload of the largest size, and the end of a connection, are as without TLS.
func TestTLSConnectionIsLikeAnother(t *testing.T) {
	a, b := socketPair(t)
	clientEnds, serverEnds := goGreet(t, a, roleClient, s3cret), goGreet(t, b, roleServer, s3cret)
	client, server := <-clientEnds, <-serverEnds
	if err := errors.Join(client.err, server.err); err != nil {
		t.Fatal(err)
	}
	bounds := Bounds{"big": {Bytes: MaxPayload}}
	client.conn.Trust(bounds)
	server.conn.Trust(bounds)
	big := []byte(strings.Repeat("0123456789abcdef", MaxPayload/16))
	swap(t, client.conn, server.conn, "big", big, big[1:])
	closeBoth(t, client.conn, server.conn)
}
