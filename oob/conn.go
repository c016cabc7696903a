package oob

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"
)

// Conn is one end of the channel between a client and a server. [Dial], [Listener.Accept]
// and [Pipe] make one.
type Conn struct {
	nc            net.Conn
	peer          string
	authenticated bool
	timing        timing
	in            *bufio.Reader
	source        *timedReader
	box           mailbox
	work          sync.WaitGroup // the reader and the pinger

	writing chan struct{} // full while a frame is written
	ended   chan struct{}
	lost    chan struct{}

	mu  sync.Mutex
	err error // set before lost is closed
}

// newConn makes a Conn of a connected socket, of which some bytes have been read already.
func newConn(nc net.Conn, early []byte, t timing) *Conn {
	source := &timedReader{nc: nc}
	return &Conn{
		nc:      nc,
		peer:    nc.RemoteAddr().String(),
		timing:  t,
		in:      bufio.NewReader(io.MultiReader(bytes.NewReader(early), source)),
		source:  source,
		box:     mailbox{limits: trusted, slots: map[string]*slot{}},
		writing: make(chan struct{}, 1),
		ended:   make(chan struct{}),
		lost:    make(chan struct{}),
	}
}

// start begins to read and to ping.
func (c *Conn) start() {
	c.source.silence = c.timing.silence
	c.work.Go(c.readAll)
	c.work.Go(c.pingAll)
}

// RemoteAddr returns the peer's address, host:port.
func (c *Conn) RemoteAddr() string { return c.peer }

// Authenticated tells whether each side has proved to the other that it has the same secret.
func (c *Conn) Authenticated() bool { return c.authenticated }

// Lost returns a channel that is closed once, when this end is of no more use: the peer is
// gone, has aborted or has sent garbage, or this side has closed. A peer's orderly end closes
// it at once only if this side still waits for the peer; else this side has a few seconds to
// end too.
func (c *Conn) Lost() <-chan struct{} { return c.lost }

// Err returns nil until [Conn.Lost] is closed, and from then on why it was: a [*PeerError],
// or an error that matches [ErrClosed].
func (c *Conn) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Trust lifts the limits of a connection that [Listener.Accept] has made. Before it, a payload
// of the client may have 64 KiB, and one may wait for its exchange; more ends the connection.
// The server calls it once it has agreed to a plan and before the client knows.
func (c *Conn) Trust() { c.box.allow(trusted) }

// Exchange sends a payload for a step and returns the one that the peer sent for it. Both
// sides must go through the same steps in the same order; exchanges of different steps may
// run concurrently. A step's name is 1 to [MaxStep] printable characters, a payload at most
// [MaxPayload] bytes. When the connection is lost, Exchange returns at once what Err does.
func (c *Conn) Exchange(step string, mine []byte) (theirs []byte, err error) {
	f := frame{kindData, step, mine}
	if err := f.check(); err != nil {
		return nil, fmt.Errorf("exchange step %q: refuse to send a %w", step, err)
	}
	payloads, err := c.box.enter(step)
	if err != nil {
		return nil, err
	}
	err = c.send(f)
	if err == nil {
		theirs, err = c.await(payloads)
	}
	c.box.leave(step)
	if errors.Is(err, errEnded) {
		c.fail("ended before step "+step, nil)
		err = c.Err()
	}
	return theirs, err
}

// await returns the next payload. One that came before the connection was lost still counts:
// a peer that has all it needs may end while this side has yet to look.
func (c *Conn) await(payloads <-chan []byte) ([]byte, error) {
	var err error
	select {
	case theirs := <-payloads:
		return theirs, nil
	case <-c.lost:
		err = c.Err()
	case <-c.ended:
		err = errEnded
	}
	select {
	case theirs := <-payloads:
		return theirs, nil
	default:
		return nil, err
	}
}

// timedReader gives every read its deadline, once there is a limit to silence.
type timedReader struct {
	nc      net.Conn
	silence time.Duration // immutable after start
}

func (r *timedReader) Read(p []byte) (int, error) {
	if r.silence > 0 {
		if err := r.nc.SetReadDeadline(time.Now().Add(r.silence)); err != nil {
			return 0, err
		}
	}
	return r.nc.Read(p)
}
