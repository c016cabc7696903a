package oob

import (
	"net"
	"strings"
	"testing"
	"time"
)

// socket returns a listening TCP socket.
func socket(t *testing.T) net.Listener {
	t.Helper()
	s, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// A restarted server closes connections that arrived before it was ready.
func TestClientOutlivesServerThatHangsUp(t *testing.T) {
	s := socket(t)
	dialed := make(chan accepted, 1)
	go func() {
		c, err := dial(t.Context(), s.Addr().String(), DialOptions{Timeout: time.Minute}, short)
		dialed <- accepted{c, err}
	}()
	answer := greetingOf(newHello(roleServer, nil))
	for _, says := range [][]byte{nil, answer[:3], answer[:len(answer)-1]} {
		for _, orderly := range []bool{false, true} {
			nc, err := s.Accept()
			if err != nil {
				t.Fatal(err)
			}
			raw := rawPeer{t, nc}
			raw.sendBytes(says)
			if !orderly {
				drain(t, raw, false)
			}
			_ = nc.Close()
		}
	}
	l := newListener(s, ListenOptions{}, short)
	defer l.Close()
	server := <-goAccept(t.Context(), l)
	client := <-dialed
	if client.err != nil || server.err != nil {
		t.Fatal(client.err, server.err)
	}
	swap(t, client.conn, server.conn, "plan", []byte("c"), []byte("s"))
	closeBoth(t, client.conn, server.conn)
}

// count counts the connections to a socket until the socket is closed.
func count(s net.Listener, serve func(net.Conn)) (came <-chan int) {
	n := make(chan int, 1)
	go func() {
		var all []net.Conn
		for {
			nc, err := s.Accept()
			if err != nil {
				n <- len(all)
				break
			}
			all = append(all, nc)
			serve(nc)
		}
		for _, nc := range all {
			_ = nc.Close()
		}
	}()
	return n
}

// wantAdvice checks the error of a server that has not greeted in time.
func wantAdvice(t *testing.T, err error, want string) {
	t.Helper()
	wantPeerError(t, err, false, want)
	for _, want := range []string{"tried for", "-p", "--connect-timeout"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error = %v, want %q in it", err, want)
		}
	}
}

// A server may be silent until the timeout, or for the minimum if less than that is left.
func TestTimeoutGovernsTheGreeting(t *testing.T) {
	for _, tt := range []struct {
		name              string
		timeout, helloMin time.Duration
	}{
		{"timeout", 120 * time.Millisecond, time.Millisecond},
		{"one attempt", 0, 80 * time.Millisecond},
		{"little left", time.Millisecond, 80 * time.Millisecond},
	} {
		t.Run(tt.name, func(t *testing.T) {
			limits := short
			limits.helloMin = tt.helloMin
			s := socket(t)
			came := count(s, func(net.Conn) {})
			start := time.Now()
			_, err := dial(t.Context(), s.Addr().String(), DialOptions{Timeout: tt.timeout}, limits)
			if took := time.Since(start); took < max(tt.timeout, tt.helloMin) {
				t.Errorf("left after %v", took)
			}
			wantAdvice(t, err, "has not sent its hello within ")
			_ = s.Close()
			if n := <-came; n > 1 {
				t.Errorf("connected %d times, want to wait at the first", n)
			}
		})
	}
}

// patient has the limits of short, and time to connect on a busy machine, which retryMax limits for a client that
// makes one attempt.
var patient = func() timing {
	t := short
	t.retryMax = t.hello
	return t
}()

func TestServerThatAlwaysHangsUp(t *testing.T) {
	for _, timeout := range []time.Duration{0, 300 * time.Millisecond} {
		s := socket(t)
		came := count(s, func(nc net.Conn) { _ = nc.Close() })
		_, err := dial(t.Context(), s.Addr().String(), DialOptions{Timeout: timeout}, patient)
		wantAdvice(t, err, "is gone before its hello: connection ")
		_ = s.Close()
		if n := <-came; (n > 2) != (timeout > 0) { // the second one asks for the version
			t.Errorf("%d attempts within %v", n, timeout)
		}
	}
}

func TestOtherSecretIsNotTriedAgain(t *testing.T) {
	for _, theirs := range [][]byte{nil, []byte("another")} {
		l, err := listen("127.0.0.1:0", ListenOptions{Secret: theirs, Program: Tests}, short)
		if err != nil {
			t.Fatal(err)
		}
		_, err = dial(t.Context(), l.Addr().String(), DialOptions{Timeout: time.Hour, Secret: []byte("s3cret"), Program: Tests}, short)
		wantNoSecret(t, err, "share a secret")
		_ = l.Close()
		if got := l.Rejected(); got != 1 {
			t.Errorf("%d connections rejected, want one", got)
		}
	}
}

// A client beyond those that may wait for Accept is greeted when one of them has been accepted.
func TestClientWaitsForFullServer(t *testing.T) {
	l := localListener(t, short)
	for range maxWaiting {
		c, err := dial(t.Context(), l.Addr().String(), DialOptions{Timeout: time.Minute}, short)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { endAll(c) })
	}
	if _, err := dial(t.Context(), l.Addr().String(), DialOptions{}, patient); err == nil {
		t.Fatal("one client too many is greeted")
	} else {
		wantAdvice(t, err, "is gone before its hello")
	}
	dialed := make(chan accepted, 1)
	go func() {
		c, err := dial(t.Context(), l.Addr().String(), DialOptions{Timeout: time.Minute}, short)
		dialed <- accepted{c, err}
	}()
	first := <-goAccept(t.Context(), l)
	last := <-dialed
	if first.err != nil || last.err != nil {
		t.Fatal(first.err, last.err)
	}
	endAll(first.conn, last.conn)
}
