package oob

import (
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"testing"
	"time"
)

// pipes is a listening socket whose connections are pipes, for bubbles of synctest.
type pipes struct {
	come   chan net.Conn
	fail   chan error
	closed chan struct{}
	close  func()
}

func newPipes() *pipes {
	p := &pipes{come: make(chan net.Conn), fail: make(chan error), closed: make(chan struct{})}
	p.close = sync.OnceFunc(func() { close(p.closed) })
	return p
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case nc := <-p.come:
		return nc, nil
	case err := <-p.fail:
		return nil, &net.OpError{Op: "accept", Err: os.NewSyscallError("accept4", err)}
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.close()
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipes", Net: "unix"} }

// connect returns the far end of an accepted connection.
func (p *pipes) connect() net.Conn {
	far, near := net.Pipe()
	p.come <- near
	return far
}

// sayHello sends a client's hello and returns the bytes that it receives; nil at the end of the stream.
func sayHello(t *testing.T, nc net.Conn) []byte {
	t.Helper()
	rawPeer{t, nc}.sendBytes(greetingOf(newHello(roleClient, nil)))
	answer := make([]byte, preambleSize+headerSize+helloSize)
	if _, err := io.ReadFull(nc, answer); err != nil {
		return nil
	}
	return answer
}

// isClosed reports whether a silent peer has closed a connection.
func isClosed(nc net.Conn) bool {
	_ = nc.SetReadDeadline(time.Now().Add(time.Nanosecond))
	_, err := nc.Read(make([]byte, 1))
	return !errors.Is(err, os.ErrDeadlineExceeded)
}
