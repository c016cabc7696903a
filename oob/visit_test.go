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

// drip says a hello, a byte each second, until the other side has enough of it.
func drip(nc net.Conn, h hello) (done <-chan struct{}) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for _, b := range h.frame().appendTo(nil) {
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
		socket, told := newPipes(), make(chan error, 1)
		l := newListener(socket, ListenOptions{Stranger: func(err error) { told <- err }}, standard)
		var far []net.Conn
		for range maxVisits {
			far = append(far, socket.connect())
			time.Sleep(time.Millisecond)
		}
		rawPeer{t, far[0]}.sendBytes([]byte("I"))
		synctest.Wait()
		if got := l.Strangers(); got != 0 {
			t.Errorf("%d strangers before there are too many", got)
		}
		far = append(far, socket.connect())
		if err := <-told; !errors.Is(err, errCrowded) {
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

// A client that may have heard the server's last word of the greeting stays, however long ago
// that is.
func TestGreetedClientMakesNoRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		socket := newPipes()
		l := newListener(socket, ListenOptions{}, standard)
		client := socket.connect()
		rawPeer{t, client}.send(newHello(roleClient, nil).frame())
		synctest.Wait() // the server is about to say hello
		for range maxVisits {
			time.Sleep(time.Millisecond)
			socket.connect()
		}
		synctest.Wait()
		if got := l.Strangers(); got != 1 {
			t.Errorf("%d connections were left, want one", got)
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

// A connection that is being left does not become a client's any more, even if it says hello now.
func TestConnectionThatIsLeftGetsNoPlace(t *testing.T) {
	l := localListener(t, short)
	if l.promise(&visit{broken: true}) {
		t.Error("a connection that is left has a place")
	}
	if !l.promise(&visit{}) {
		t.Error("another one has none")
	}
}

// A peer that says a byte a second is heard all the time, and still has to come to an end.
func TestSlowPeerIsDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		socket, told := newPipes(), make(chan error, 1)
		l := newListener(socket, ListenOptions{Stranger: func(err error) { told <- err }}, standard)
		start := time.Now()
		done := drip(socket.connect(), newHello(roleClient, nil))
		wantPeerError(t, <-told, false, "has not said hello for 5s")
		if took := time.Since(start); took != standard.hello {
			t.Errorf("dropped after %v, want %v", took, standard.hello)
		}
		_ = l.Close()
		<-done
	})
}

// The same of a client, for which the server's word is as slow.
func TestSlowServerIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		start := time.Now()
		got := goGreet(t, near, roleClient, nil)
		go func() { _, _ = io.Copy(io.Discard, far) }()
		done := drip(far, newHello(roleServer, nil))
		wantPeerError(t, (<-got).err, false, "has not said hello for 20s")
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

// The heap and the stacks of connections that say nothing.
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

// inUse returns how much memory is in use, stacks included.
func inUse() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse + m.StackInuse)
}
