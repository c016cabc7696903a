package perftest

import (
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/ibperf/ibperf/oob"
)

// Time limits of a conversation.
const (
	setUpLimit = time.Minute     // for a message while the peer sets up its memory and QPs
	writeLimit = 4 * time.Second // for the kernel to take a message
	grace      = 2 * time.Second // from the end of the stream until the peer counts as lost: perftest ends after its last completion
)

// conversation exchanges messages with a perftest. Its reader notices the end of the stream while this side
// measures.
type conversation struct {
	nc     net.Conn
	server bool           // this side is the TCP server
	in     *io.PipeReader // what the reader has read
	limit  time.Duration  // for a message of the peer; 0: none
	reader sync.WaitGroup
	lost   chan struct{}

	mu    sync.Mutex
	err   error // why it is lost
	grace *time.Timer
}

func newConversation(nc net.Conn, server bool) *conversation {
	in, out := io.Pipe()
	c := &conversation{nc: nc, server: server, in: in, limit: setUpLimit, lost: make(chan struct{})}
	if t, ok := nc.(*net.TCPConn); ok { // a peer whose host is gone ends no stream
		_ = t.SetKeepAliveConfig(net.KeepAliveConfig{Enable: true, Idle: time.Second, Interval: time.Second, Count: 3})
	}
	c.reader.Go(func() {
		_, err := io.Copy(out, nc)
		if err == nil {
			err = io.EOF
		}
		_ = out.CloseWithError(err)
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.err == nil {
			c.grace = time.AfterFunc(grace, func() { c.fail(c.gone(err)) })
		}
	})
	return c
}

// fail records why the peer is lost, and closes the connection. It returns the first reason.
func (c *conversation) fail(err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.err = err
		close(c.lost)
		_ = c.nc.Close()
	}
	return c.err
}

// gone returns the error of a failed read or write.
func (c *conversation) gone(err error) error {
	text := err.Error()
	var op *net.OpError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		text = "connection closed"
	case errors.As(err, &op):
		text = op.Err.Error()
	}
	return &oob.PeerError{Peer: c.nc.RemoteAddr().String(), Reason: "(perftest) is gone: " + text}
}

// malformed returns the error of a message.
func malformed(what string, err error) error {
	return &oob.MessageError{Exchange: what, Err: fmt.Errorf("perftest sent %w", err)}
}

// exchange sends a message and returns the peer's, of the same size: the client sends first.
func (c *conversation) exchange(what string, mine []byte) (theirs []byte, err error) {
	if !c.server {
		if err := c.write(mine); err != nil {
			return nil, err
		}
		return c.read(what, len(mine))
	}
	if theirs, err = c.read(what, len(mine)); err != nil {
		return nil, err
	}
	return theirs, c.write(mine)
}

// write sends a message in one piece: perftest reads it with one call.
func (c *conversation) write(b []byte) error {
	_ = c.nc.SetWriteDeadline(time.Now().Add(writeLimit)) // a write fails too then
	if _, err := c.nc.Write(b); err != nil {
		return c.fail(c.gone(err))
	}
	return nil
}

func (c *conversation) read(what string, n int) ([]byte, error) {
	return c.readAtLeast(what, n, n)
}

// readAtLeast reads from n to most bytes, those that the peer has sent in one piece.
func (c *conversation) readAtLeast(what string, n, most int) ([]byte, error) {
	if limit := c.limit; limit > 0 {
		late := &oob.PeerError{Peer: c.nc.RemoteAddr().String(), Reason: fmt.Sprintf("(perftest) has not sent its %s within %v", what, limit)}
		timer := time.AfterFunc(limit, func() { _ = c.fail(late) })
		defer timer.Stop()
	}
	b := make([]byte, most)
	n, err := io.ReadAtLeast(c.in, b, n)
	if err != nil {
		return nil, c.fail(c.gone(err))
	}
	return b[:n], nil
}

// close ends the connection, after perftest has ended it or a short time, so that perftest sees no reset.
func (c *conversation) close() {
	ended := time.AfterFunc(time.Second, func() { _ = c.nc.Close() })
	_, _ = io.Copy(io.Discard, c.in)
	ended.Stop()
	_ = c.fail(oob.ErrClosed)
	c.end()
}

// end waits for the reader of a closed connection.
func (c *conversation) end() {
	_ = c.in.Close()
	c.reader.Wait()
	if c.grace != nil {
		c.grace.Stop()
	}
}
