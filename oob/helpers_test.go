package oob

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/ibperf/ibperf/internal/leak"
)

// short has short times that a test waits for, and long limits for a loaded machine.
var short = timing{
	hello:    20 * time.Second,
	helloMin: 20 * time.Second,
	silence:  20 * time.Second,
	ping:     10 * time.Millisecond,
	farewell: 20 * time.Second,
	retryMin: time.Millisecond,
	retryMax: 20 * time.Millisecond,
}

func TestMain(m *testing.M) { leak.Main(m) }

// bothKinds are the kinds of a pair of connected ends. Tests close the ends.
var bothKinds = []struct {
	name string
	open func(*testing.T, timing) (a, b *Conn)
}{
	{"tcp", tcpPair},
	{"pipe", func(t *testing.T, limits timing) (a, b *Conn) {
		a, b = pipe(limits)
		t.Cleanup(func() { endAll(a, b) })
		return a, b
	}},
}

// endAll ends connections, which may have ended before.
func endAll(conns ...*Conn) {
	for _, c := range conns {
		c.Abort("", "the test is over")
	}
}

// closeBoth ends two connections in order.
func closeBoth(t *testing.T, a, b *Conn) {
	t.Helper()
	if err := errors.Join(a.Close(), b.Close()); err != nil {
		t.Errorf("Close = %v, want nil", err)
	}
}

func localListener(t *testing.T, limits timing) *Listener {
	t.Helper()
	l, _ := watchedListener(t, limits)
	return l
}

// watchedListener also returns a channel of the reason for the first rejection.
func watchedListener(t *testing.T, limits timing) (l *Listener, rejected <-chan error) {
	t.Helper()
	reasons := make(chan error, 1)
	l, err := listen("127.0.0.1:0", ListenOptions{Rejected: func(err error) { reasons <- err }}, limits)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l, reasons
}

// dialRaw connects to a listener and sends some bytes.
func dialRaw(t *testing.T, l *Listener, says []byte) rawPeer {
	t.Helper()
	nc, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = nc.Close() })
	p := rawPeer{t, nc}
	p.sendBytes(says)
	return p
}

// accepted is the result of an Accept.
type accepted struct {
	conn *Conn
	err  error
}

func goAccept(ctx context.Context, l *Listener) <-chan accepted {
	done := make(chan accepted, 1)
	go func() {
		c, err := l.Accept(ctx)
		done <- accepted{c, err}
	}()
	return done
}

// tcpPair returns two ends that have agreed on a plan.
func tcpPair(t *testing.T, limits timing) (client, server *Conn) {
	t.Helper()
	client, server = untrustedPair(t, limits)
	for _, c := range []*Conn{client, server} {
		c.Trust(nil)
		c.box.mu.Lock()
		c.box.other = anything
		c.box.mu.Unlock()
	}
	return client, server
}

// untrustedPair returns two ends that have not agreed on a plan.
func untrustedPair(t *testing.T, limits timing) (client, server *Conn) {
	t.Helper()
	return serveOne(t, localListener(t, limits), limits)
}

// serveOne connects a client to a listener without other clients.
func serveOne(t *testing.T, l *Listener, limits timing) (client, server *Conn) {
	t.Helper()
	waits := goAccept(t.Context(), l)
	client, err := dial(t.Context(), l.Addr().String(), DialOptions{Timeout: time.Minute}, limits)
	if err != nil {
		t.Fatal(err)
	}
	got := <-waits
	if got.err != nil {
		t.Fatal(got.err)
	}
	t.Cleanup(func() { endAll(client, got.conn) })
	return client, got.conn
}

// greetingOf returns what a side sends first: its preamble and its hello.
func greetingOf(h hello) []byte { return h.frame().appendTo(preambleBytes()) }

func preambleBytes() []byte { return preamble{version: version}.appendTo(nil) }

func admitAll(header, string) error { return nil }

// rawPeer is a peer that can send any bytes.
type rawPeer struct {
	t  *testing.T
	nc net.Conn
}

func (p rawPeer) send(frames ...frame) {
	p.t.Helper()
	var b []byte
	for _, f := range frames {
		b = f.appendTo(b)
	}
	p.sendBytes(b)
}

func (p rawPeer) sendBytes(b []byte) {
	p.t.Helper()
	if _, err := p.nc.Write(b); err != nil {
		p.t.Error(err)
	}
}

// rawServer returns a client connected to a server that has sent its hello and sends nothing else by
// itself.
func rawServer(t *testing.T, limits timing) (*Conn, rawPeer) {
	t.Helper()
	addr, peers := rawListener(t, greetingOf(newHello(roleServer, nil)))
	c, err := dial(t.Context(), addr, DialOptions{Timeout: time.Minute}, limits)
	if err != nil {
		t.Fatal(err)
	}
	p := <-peers
	t.Cleanup(func() {
		_ = p.nc.Close()
		endAll(c)
	})
	return c, p
}

// rawListener accepts one client and sends it the greeting.
func rawListener(t *testing.T, greeting []byte) (addr string, peers <-chan rawPeer) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	ch := make(chan rawPeer, 1)
	go func() {
		defer close(ch)
		if nc, err := l.Accept(); err == nil {
			p := rawPeer{t, nc}
			p.sendBytes(greeting)
			ch <- p
		}
	}()
	return l.Addr().String(), ch
}

// wantLost waits until the connection is lost and checks the error's text and type.
func wantLost(t *testing.T, c *Conn, aborted bool, want string) {
	t.Helper()
	<-c.Lost()
	wantPeerError(t, c.Err(), aborted, want)
}

func wantPeerError(t *testing.T, err error, aborted bool, want string) {
	t.Helper()
	var peer *PeerError
	if !errors.As(err, &peer) {
		t.Fatalf("error = %v, want a PeerError", err)
	}
	if peer.Aborted != aborted || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), peer.Peer) {
		t.Errorf("error = %v (aborted %v), want %q in it and aborted %v", err, peer.Aborted, want, aborted)
	}
}
