package oob

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

func TestListenOnPortInUse(t *testing.T) {
	l := localListener(t, short)
	_, port, _ := net.SplitHostPort(l.Addr().String())
	_, err := Listen(l.Addr().String(), ListenOptions{})
	if !errors.Is(err, syscall.EADDRINUSE) {
		t.Fatalf("error = %v, want address in use", err)
	}
	for _, want := range []string{"port " + port, "-p"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error = %v, want %q in it", err, want)
		}
	}
}

func TestListenOnNoAddress(t *testing.T) {
	if _, err := Listen("127.0.0.1:notaport", ListenOptions{}); err == nil || !strings.HasPrefix(err.Error(), "listen on ") {
		t.Errorf("error = %v, want one that says where", err)
	}
}

func TestAcceptIsCancelled(t *testing.T) {
	l := localListener(t, short)
	why := errors.New("interrupted")
	ctx, cancel := context.WithCancelCause(t.Context())
	waits := goAccept(ctx, l)
	cancel(why)
	if got := <-waits; !errors.Is(got.err, why) {
		t.Errorf("error = %v, want %v", got.err, why)
	}
	waits = goAccept(t.Context(), l)
	c, err := dial(t.Context(), l.Addr().String(), DialOptions{Timeout: time.Minute}, short)
	if err != nil {
		t.Fatal(err)
	}
	got := <-waits
	if got.err != nil {
		t.Fatal("accept after a cancelled one:", got.err)
	}
	closeBoth(t, c, got.conn)
}

func TestAcceptEndsWithListener(t *testing.T) {
	l := localListener(t, short)
	waits := goAccept(t.Context(), l)
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if got := <-waits; !errors.Is(got.err, net.ErrClosed) {
		t.Errorf("error = %v, want net.ErrClosed", got.err)
	}
}

// The listener closes a client beyond those that may wait without a hello, and does not count it as rejected.
func TestClientsThatWaitAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		socket := newPipes()
		l := newListener(socket, ListenOptions{}, standard)
		join := func() (nc net.Conn, greeted bool) {
			nc = socket.connect()
			greeted = bytes.HasPrefix(sayHello(t, nc), preambleBytes())
			go func() { _, _ = io.Copy(io.Discard, nc) }()
			synctest.Wait()
			return nc, greeted
		}
		var first net.Conn
		for i := range maxWaiting {
			nc, greeted := join()
			if !greeted {
				t.Fatalf("client %d is refused", i)
			}
			if first == nil {
				first = nc
			}
		}
		if _, greeted := join(); greeted {
			t.Error("one too many is greeted")
		}
		c, err := l.Accept(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, greeted := join(); !greeted {
			t.Error("a client is sent away after another was accepted")
		}
		_ = c.Close() // the first client's
		if _, greeted := join(); greeted {
			t.Error("one too many is greeted")
		}
		_ = first.Close()
		_ = l.Close()
		if got := l.Rejected(); got != 0 {
			t.Errorf("%d connections rejected, want none", got)
		}
	})
}

func TestClientThatHasLeftGivesItsPlaceAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		socket := newPipes()
		l := newListener(socket, ListenOptions{}, standard)
		for range 2 * maxWaiting {
			nc := socket.connect()
			if sayHello(t, nc) == nil {
				t.Fatal("a client is refused although all others have left")
			}
			synctest.Wait()
			_ = nc.Close()
			synctest.Wait()
		}
		_ = l.Close()
	})
}

// Close ends greetings and clients that were not accepted. A synctest bubble fails if goroutines are
// left.
func TestCloseReleasesAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		socket := newPipes()
		l := newListener(socket, ListenOptions{Secret: []byte("s3cret"), Program: Tests}, standard)
		open := newListener(newPipes(), ListenOptions{}, standard)
		silent, half, unproved := socket.connect(), socket.connect(), socket.connect()
		rawPeer{t, half}.sendBytes([]byte(magic))
		rawPeer{t, unproved}.sendBytes(greetingOf(newHello(roleClient, []byte("s3cret"))))
		greeted := open.socket.(*pipes).connect()
		if sayHello(t, greeted) == nil {
			t.Error("the server has not answered the hello")
		}
		received := make(chan []byte)
		go func() {
			rest, _ := io.ReadAll(greeted)
			received <- rest
		}()
		synctest.Wait()
		start := time.Now()
		if err := errors.Join(l.Close(), open.Close()); err != nil {
			t.Error(err)
		}
		if took := time.Since(start); took > 0 {
			t.Errorf("Close took %v", took)
		}
		for i, nc := range []net.Conn{silent, half} {
			if !isClosed(nc) {
				t.Errorf("connection %d is open", i)
			}
		}
		_, _ = io.Copy(io.Discard, unproved) // ends
		if rest := <-received; !bytes.Contains(rest, []byte("stopped accepting clients")) {
			t.Errorf("a client that waited received %q", rest)
		}
		if got := l.Rejected() + open.Rejected(); got != 0 {
			t.Errorf("%d connections rejected, want none", got)
		}
	})
}
