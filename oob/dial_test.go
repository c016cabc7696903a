package oob

import (
	"context"
	"errors"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// freeAddr returns a local address at which no process listens.
func freeAddr(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func TestClientStartsBeforeServer(t *testing.T) {
	addr := freeAddr(t)
	dialed := make(chan accepted, 1)
	refused := make(chan struct{})
	go func() {
		if _, err := connectOnce(t.Context(), addr, "", time.Minute); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("first attempt: %v, want refused", err)
		}
		close(refused)
		c, err := dial(t.Context(), addr, DialOptions{Timeout: time.Minute}, short)
		dialed <- accepted{c, err}
	}()
	<-refused
	l, err := listen(addr, ListenOptions{}, short)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	server := <-goAccept(t.Context(), l)
	client := <-dialed
	if err := errors.Join(server.err, client.err); err != nil {
		t.Fatal(err)
	}
	swap(t, client.conn, server.conn, "plan", []byte("c"), []byte("s"))
	closeBoth(t, client.conn, server.conn)
}

func TestDialTimeoutSaysWhatToDo(t *testing.T) {
	addr := freeAddr(t)
	for _, timeout := range []time.Duration{0, 40 * time.Millisecond} {
		start := time.Now()
		_, err := dial(t.Context(), addr, DialOptions{Timeout: timeout}, short)
		if !errors.Is(err, syscall.ECONNREFUSED) {
			t.Fatalf("error = %v, want refused", err)
		}
		if took := time.Since(start); took < timeout {
			t.Errorf("gave up after %v, want not before %v", took, timeout)
		}
		for _, want := range []string{addr, "refused", "tried for", "start the server", "-p", "--connect-timeout"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("error = %v, want %q in it", err, want)
			}
		}
	}
}

func TestDialEndsAtOnceWhereWaitingIsNoCure(t *testing.T) {
	for _, addr := range []string{"127.0.0.1", "127.0.0.1:notaport", "name.invalid:18515"} {
		_, err := dial(t.Context(), addr, DialOptions{Timeout: time.Hour}, short)
		if err == nil || !strings.HasPrefix(err.Error(), "connect to "+addr+": ") {
			t.Errorf("error = %v, want one that names %s", err, addr)
		}
	}
}

func TestDialErrorAdvisesWhereWaitingHelps(t *testing.T) {
	late := &net.OpError{Op: "dial", Err: os.ErrDeadlineExceeded}
	for _, tt := range []struct {
		name    string
		err     error
		advises bool
	}{
		{"no answer in time", late, true},
		{"no way yet", &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.EHOSTUNREACH)}, true},
		{"no permission", &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.EACCES)}, false},
		{"no name in time", &net.OpError{Op: "dial", Err: &net.DNSError{IsTimeout: true}}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := dialError(t.Context(), "host:18515", Tests, time.Second, tt.err)
			if got := strings.Contains(err.Error(), "tried for 1s; start the server"); got != tt.advises {
				t.Errorf("error = %v, advises %v, want %v", err, got, tt.advises)
			}
		})
	}
}

// Ranks of a cluster have no server to start.
func TestDialErrorOfARank(t *testing.T) {
	refused := &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	err := dialError(t.Context(), "host:18515", Cluster, time.Second, refused)
	if !strings.Contains(err.Error(), "check that rank 0 runs there") || strings.Contains(err.Error(), "server") {
		t.Errorf("error = %v", err)
	}
}

func TestDialIsCancelled(t *testing.T) {
	why := errors.New("interrupted")
	silent, _ := rawListener(t, nil)
	for _, tt := range []struct{ name, addr string }{
		{"before the server listens", freeAddr(t)},
		{"while the server is silent", silent},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(10*time.Millisecond, func() { cancel(why) })
			_, err := dial(ctx, tt.addr, DialOptions{Timeout: time.Hour}, short)
			if !errors.Is(err, why) || !strings.Contains(err.Error(), tt.addr) {
				t.Errorf("error = %v, want %v and the address", err, why)
			}
		})
	}
}

func TestDialDoesNotConnectToItself(t *testing.T) {
	addr, err := net.ResolveTCPAddr("tcp", freeAddr(t))
	if err != nil {
		t.Fatal(err)
	}
	nc, err := net.DialTCP("tcp", addr, addr)
	if err != nil {
		t.Skip("no connection to itself here:", err)
	}
	defer nc.Close()
	if !isSelf(nc) {
		t.Errorf("isSelf(%v to %v) = false", nc.LocalAddr(), nc.RemoteAddr())
	}
	if c, _ := tcpPair(t, short); isSelf(c.nc) {
		t.Error("isSelf of a connected pair = true")
	}
}

// The exported functions use the standard time limits.
func TestDialAndListen(t *testing.T) {
	l, err := Listen("127.0.0.1:0", ListenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	waits := goAccept(t.Context(), l)
	c, err := Dial(t.Context(), l.Addr().String(), DialOptions{Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	got := <-waits
	if got.err != nil {
		t.Fatal(got.err)
	}
	if c.timing != standard || got.conn.timing != standard {
		t.Errorf("timing = %v and %v, want the standard", c.timing, got.conn.timing)
	}
	closeBoth(t, c, got.conn)
}

// A client connects from the address in its options.
func TestDialFromAnAddress(t *testing.T) {
	l, err := Listen("127.0.0.1:0", ListenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c, err := Dial(t.Context(), l.Addr().String(), DialOptions{Timeout: time.Minute, Source: "127.0.0.7"})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Abort("", "end of the test")
	server, err := l.Accept(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer server.Abort("", "end of the test")
	if !strings.HasPrefix(server.RemoteAddr(), "127.0.0.7:") {
		t.Errorf("the client's address is %s", server.RemoteAddr())
	}
}
