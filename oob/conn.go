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
	perftest      string // version of the peer if it is perftest
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

// newConn returns a Conn for a connected socket, from which the early bytes have been read already.
func newConn(nc net.Conn, early []byte, t timing) *Conn {
	source := &timedReader{nc: nc}
	return &Conn{
		nc:      nc,
		peer:    nc.RemoteAddr().String(),
		timing:  t,
		in:      bufio.NewReader(io.MultiReader(bytes.NewReader(early), source)),
		source:  source,
		box:     mailbox{other: boundOfServer, most: maxWaitingOfPeer, slots: map[string]*slot{}},
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

// LocalAddr returns this side's address, host:port: on a server, the one that the client has reached.
func (c *Conn) LocalAddr() string { return c.nc.LocalAddr().String() }

// Authenticated reports whether both sides have proved that they have the same secret.
func (c *Conn) Authenticated() bool { return c.authenticated }

// Perftest returns the version and the socket of a peer that is perftest, and an empty version otherwise. The caller talks to
// it, and closes the socket. The other methods are for peers that are ibperf, except the addresses and Abort.
func (c *Conn) Perftest() (version string, nc net.Conn) { return c.perftest, c.nc }

// Lost returns a channel that is closed when the connection has ended: the peer is gone, has
// aborted or has sent garbage, or this side has closed. When the peer closes in order, it is
// closed at once only if this side waits for the peer; otherwise this side has a few seconds to
// close too.
func (c *Conn) Lost() <-chan struct{} { return c.lost }

// Err returns nil until [Conn.Lost] is closed, and then the reason: a [*PeerError],
// or an error that matches [ErrClosed].
func (c *Conn) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Trust sets the bounds of the exchanges that follow, and allows no others; with nil the bounds stay, which the
// connection had before. Before Trust, payloads have at most 64 KiB on a server and 256 KiB on a client, and one
// payload of a client may wait for its exchange; more ends the connection. Both sides call Trust when they have
// agreed on a plan, the server before it sends the answer.
func (c *Conn) Trust(b Bounds) { c.box.allow(b) }

// Exchange sends this side's payload of an exchange and returns the peer's. Both sides must call it
// with the same names in the same order; exchanges with different names may run concurrently. A
// name has 1 to [MaxExchangeName] printable ASCII characters without spaces, a payload has at most
// [MaxPayload] bytes. When the connection is lost, Exchange returns at once the error that Err returns. When the
// peer's payload has not arrived within the time of the exchange's [Bound], Exchange returns a [*PeerError], and the
// caller ends the connection.
func (c *Conn) Exchange(name string, mine []byte) (theirs []byte, err error) {
	f := frame{kindData, name, mine}
	if err := f.check(); err != nil {
		return nil, fmt.Errorf("exchange %q: invalid frame: %w", name, err)
	}
	payloads, err := c.box.enter(name)
	if err != nil {
		return nil, err
	}
	err = c.send(f)
	if err == nil {
		theirs, err = c.await(payloads, name)
	}
	c.box.leave(name)
	if errors.Is(err, errEnded) {
		c.fail(fmt.Sprintf("ended before exchange %q", name), nil)
		err = c.Err()
	}
	return theirs, err
}

// await returns the next payload. A payload that arrived before the connection was lost still
// counts: the peer may close before this side has read it.
func (c *Conn) await(payloads <-chan []byte, name string) ([]byte, error) {
	var late <-chan time.Time
	limit := c.box.bound(name).Time
	if limit > 0 {
		timer := time.NewTimer(limit)
		defer timer.Stop()
		late = timer.C
	}
	var err error
	select {
	case theirs := <-payloads:
		return theirs, nil
	case <-c.lost:
		err = c.Err()
	case <-c.ended:
		err = errEnded
	case <-late:
		err = &PeerError{Peer: c.peer, Reason: fmt.Sprintf("has not sent its %q message within %v, although it answers", name, limit)}
	}
	select {
	case theirs := <-payloads:
		return theirs, nil
	default:
		return nil, err
	}
}

// exchangeJSON is Exchange for payloads that are JSON, or empty.
func (c *Conn) exchangeJSON(name string, mine []byte) (theirs []byte, err error) {
	if theirs, err = c.Exchange(name, mine); err != nil {
		return nil, err
	}
	return theirs, c.box.bound(name).checkValues(name, theirs)
}

// timedReader sets a deadline for every read once silence is not 0.
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

// timing holds the time limits of a connection. Tests shorten them.
type timing struct {
	hello    time.Duration // from the connection to the end of a client's greeting
	helloMin time.Duration // least time for a server's greeting, even if the client's timeout is shorter
	silence  time.Duration // between two arrivals of bytes, and for one write
	ping     time.Duration // between two pings, well under silence
	farewell time.Duration // until the last frame is sent and the peer has ended the stream
	retryMin time.Duration // before the second attempt to connect
	retryMax time.Duration // before any attempt
}

// standard holds the limits outside of tests. A dead peer is noticed within five seconds.
var standard = timing{
	hello:    5 * time.Second,
	helloMin: 2 * time.Second,
	silence:  4 * time.Second,
	ping:     time.Second,
	farewell: time.Second,
	retryMin: 20 * time.Millisecond,
	retryMax: 200 * time.Millisecond,
}

// Pipe returns the two ends of a connection within this process, for tests that run both sides
// of a benchmark as goroutines. It uses no socket, so that it works in a
// [testing/synctest] bubble; otherwise it behaves as over TCP. The name of each end's peer is "pipe".
func Pipe() (a, b *Conn) { return pipe(standard) }

func pipe(t timing) (a, b *Conn) {
	p, q := net.Pipe()
	a, b = newConn(p, nil, t), newConn(q, nil, t)
	a.box.other, b.box.other = anything, anything
	a.start()
	b.start()
	return a, b
}

// anything bounds the exchanges of two ends that trust each other.
var anything = Bound{Bytes: MaxPayload, Values: MaxPayload}
