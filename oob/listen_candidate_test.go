package oob

import (
	"errors"
	"io"
	"net"
	"runtime"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// drip sends a hello, a byte each second, until the other side closes.
func drip(nc net.Conn, h hello) (done <-chan struct{}) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for _, b := range greetingOf(h) {
			if _, err := nc.Write([]byte{b}); err != nil {
				return
			}
			time.Sleep(time.Second)
		}
	}()
	return ended
}

func TestLongestSilentMakesRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		socket, reasons := newPipes(), make(chan error, 1)
		l := newListener(socket, ListenOptions{Rejected: func(err error) { reasons <- err }}, standard)
		var far []net.Conn
		for range maxCandidates {
			far = append(far, socket.connect())
			time.Sleep(time.Millisecond)
		}
		rawPeer{t, far[0]}.sendBytes([]byte("I"))
		synctest.Wait()
		if got := l.Rejected(); got != 0 {
			t.Errorf("%d connections rejected before there are too many", got)
		}
		far = append(far, socket.connect())
		if err := <-reasons; !errors.Is(err, errCrowded) {
			t.Errorf("error = %v, want %v", err, errCrowded)
		}
		for i, nc := range far {
			if got := isClosed(nc); got != (i == 1) {
				t.Errorf("connection %d closed: %v", i, got)
			}
		}
		_ = l.Close()
	})
}

// A client that may have received the server's last frame of the greeting stays connected, however long ago
// it received the frame.
func TestGreetedClientMakesNoRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		socket := newPipes()
		l := newListener(socket, ListenOptions{}, standard)
		client := socket.connect()
		rawPeer{t, client}.sendBytes(greetingOf(newHello(roleClient, nil)))
		synctest.Wait() // the server is about to say hello
		for range maxCandidates {
			time.Sleep(time.Millisecond)
			socket.connect()
		}
		synctest.Wait()
		if got := l.Rejected(); got != 1 {
			t.Errorf("%d connections were closed, want one", got)
		}
		go func() { _, _ = io.Copy(io.Discard, client) }()
		c, err := l.Accept(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		_ = c.Close()
		_ = l.Close()
	})
}

// A connection whose greeting was ended does not become a client, even if its hello arrives now.
func TestConnectionThatIsLeftGetsNoPlace(t *testing.T) {
	l := localListener(t, short)
	if l.reserve(&candidate{canceled: true}) {
		t.Error("a connection that is left has a place")
	}
	if !l.reserve(&candidate{}) {
		t.Error("another one has none")
	}
}

// The greeting of a peer that sends a byte a second ends at its time limit too.
func TestSlowPeerIsDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		socket, reasons := newPipes(), make(chan error, 1)
		l := newListener(socket, ListenOptions{Rejected: func(err error) { reasons <- err }}, standard)
		start := time.Now()
		done := drip(socket.connect(), newHello(roleClient, nil))
		wantPeerError(t, <-reasons, false, "has not sent its hello within 5s")
		if took := time.Since(start); took != standard.hello {
			t.Errorf("dropped after %v, want %v", took, standard.hello)
		}
		_ = l.Close()
		<-done
	})
}

// The greeting of a client with a server as slow as that ends at its time limit too.
func TestSlowServerIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		start := time.Now()
		got := goGreet(t, near, roleClient, nil)
		go func() { _, _ = io.Copy(io.Discard, far) }()
		done := drip(far, newHello(roleServer, nil))
		wantPeerError(t, (<-got).err, false, "has not sent its hello within 20s")
		if took := time.Since(start); took != short.hello {
			t.Errorf("left after %v, want %v", took, short.hello)
		}
		<-done
	})
}

func TestLackOfDescriptorsIsWaitedOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		socket := newPipes()
		l := newListener(socket, ListenOptions{}, standard)
		for _, err := range []error{syscall.EMFILE, syscall.ENFILE, syscall.ECONNABORTED, syscall.EMFILE} {
			start := time.Now()
			socket.fail <- err
			if took := time.Since(start); took > standard.retryMax {
				t.Errorf("no attempt for %v after %v", took, err)
			}
		}
		start := time.Now()
		far := socket.connect()
		if took := time.Since(start); took == 0 {
			t.Error("no pause after a failure: the machine spins")
		}
		if sayHello(t, far) == nil {
			t.Error("the server has not answered the hello")
		}
		c, err := l.Accept(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		go func() { _, _ = io.Copy(io.Discard, far) }()
		_ = c.Close()
		_ = l.Close()
	})
}

func TestBrokenListenerEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		socket := newPipes()
		l := newListener(socket, ListenOptions{}, standard)
		socket.fail <- syscall.EINVAL
		if _, err := l.Accept(t.Context()); !errors.Is(err, syscall.EINVAL) {
			t.Errorf("error = %v, want %v", err, syscall.EINVAL)
		}
		_ = l.Close()
	})
}

// Silent connections take little heap and stack.
func TestIdleConnectionsTakeLittleMemory(t *testing.T) {
	socket := newPipes()
	before := inUse()
	l := newListener(socket, ListenOptions{}, short)
	far := make([]net.Conn, 1000)
	for i := range far {
		far[i] = socket.connect()
		rawPeer{t, far[i]}.sendBytes([]byte(magic[:i%2])) // which a goroutine reads
	}
	if took := inUse() - before; took > 4<<20 {
		t.Errorf("1000 idle connections take %d bytes", took)
	}
	runtime.KeepAlive(far)
	_ = l.Close()
}

// inUse returns the memory in use, including stacks.
func inUse() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse + m.StackInuse)
}
