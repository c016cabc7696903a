package oob

import (
	"bufio"
	"context"
	"crypto/hmac"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"time"
)

// greetingBuffer holds a hello and a proof. It is small because a server greets many that say
// nothing.
const greetingBuffer = 128

// partBytes is how much of a peer that does not fit is read before it is left.
const partBytes = 4 << 10

// greeting is the beginning of a connection, in which the sides find out whether they fit.
type greeting struct {
	nc     net.Conn
	in     *bufio.Reader // of greetingBuffer bytes, from nc
	role   role
	secret []byte        // nil: none
	place  func() bool   // on a server: takes a place for the client, if there is one
	limit  time.Duration // for all of it
	timing timing        // of the connection
}

// run makes a Conn of a connected socket, once the peer has proved that it speaks the protocol
// and has the secret. It closes the socket when it fails.
func (g *greeting) run(ctx context.Context) (*Conn, error) {
	// A deadline that cannot be set shows as an error of the first read.
	_ = g.nc.SetDeadline(time.Now().Add(g.limit))
	release := onCancel(ctx, func() { _ = g.nc.SetDeadline(time.Unix(1, 0)) })
	err := g.meet()
	if isUnfit(err) {
		g.part()
	}
	release()
	if err == nil && ctx.Err() == nil {
		err = g.nc.SetDeadline(time.Time{})
	}
	switch {
	case ctx.Err() != nil && !isAlien(err):
		err = fmt.Errorf("greet %v: %w", g.nc.RemoteAddr(), context.Cause(ctx))
	case err != nil:
		err = &PeerError{Peer: g.nc.RemoteAddr().String(), Reason: g.whyNoHello(err), cause: err}
	default:
		return g.conn(), nil
	}
	_ = g.nc.Close()
	return nil, err
}

// conn begins the connection, with what has arrived behind the greeting.
func (g *greeting) conn() *Conn {
	// Peek does not fail within what is buffered.
	early, _ := g.in.Peek(g.in.Buffered())
	c := newConn(g.nc, early, g.timing)
	c.authenticated = g.secret != nil
	if g.role == roleServer {
		c.box.allow(untrusted)
	}
	c.start()
	return c
}

func (g *greeting) meet() error {
	mine := newHello(g.role, g.secret)
	if g.role == roleClient {
		return g.meetServer(mine)
	}
	return g.meetClient(mine)
}

// meetServer speaks first. What the server says explains more than a failed write, so that it
// is read in any case.
func (g *greeting) meetServer(mine hello) error {
	sendErr := g.say(mine.frame())
	theirs, err := g.hearHello()
	if err == nil {
		err = checkHave(mine, theirs)
	}
	if err != nil {
		return err
	}
	if g.secret != nil {
		sendErr = g.say(frame{kind: kindProof, payload: proofOf(g.secret, roleClient, mine, theirs)})
		if err := g.hearProof(proofOf(g.secret, roleServer, mine, theirs)); err != nil {
			return err
		}
	}
	return sendErr
}

// meetClient says nothing before the client's hello, and proves nothing before the client has.
func (g *greeting) meetClient(mine hello) error {
	theirs, err := g.hearHello()
	if err == nil {
		err = checkHave(mine, theirs)
	}
	if isUnfit(err) {
		_ = g.say(mine.frame()) // so that the client can say the same
	}
	if err != nil {
		return err
	}
	last := mine.frame()
	if g.secret != nil {
		if err := g.say(last); err != nil {
			return err
		}
		if err := g.hearProof(proofOf(g.secret, roleClient, theirs, mine)); err != nil {
			return err
		}
		last = frame{kind: kindProof, payload: proofOf(g.secret, roleServer, theirs, mine)}
	}
	if !g.place() {
		return errFull
	}
	return g.say(last)
}

func (g *greeting) say(f frame) error {
	_, err := g.nc.Write(f.appendTo(nil))
	return err
}

func (g *greeting) hearHello() (hello, error) {
	f, err := readFrame(g.in, func(h header, _ string) error {
		if h.kind != kindHello {
			return protocolErrorf("received a %v frame before its hello", h.kind)
		}
		return nil
	})
	if err != nil {
		return hello{}, err
	}
	h, err := decodeHello(f.payload)
	if err == nil && h.role != g.role.other() {
		err = protocolErrorf("received the hello of a %v, want that of a %v", h.role, g.role.other())
	}
	return h, err
}

// hearProof reads the peer's proof and tells it if that is wrong.
func (g *greeting) hearProof(want []byte) error {
	f, err := readFrame(g.in, func(h header, _ string) error {
		if h.kind != kindProof && h.kind != kindAbort {
			return protocolErrorf("received a %v frame before its proof", h.kind)
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case f.kind == kindAbort:
		return errDiffer
	case !hmac.Equal(f.payload, want):
		_ = g.say(abortFrame(classSecret, "the secrets differ; give both sides the same --secret-file"))
		return errDiffer
	}
	return nil
}

// isAlien tells errors that say what the peer is, which no other attempt changes.
func isAlien(err error) bool {
	return errors.Is(err, ErrProtocol) || errors.Is(err, ErrSecret)
}

// isUnfit tells the errors of peers that are ibperf and can learn why they were left.
func isUnfit(err error) bool {
	return errors.As(err, new(*versionError)) || errors.Is(err, ErrSecret)
}

// part reads on until the peer has ended the stream: a socket closed with bytes unread resets
// the connection, and what was just said could be lost.
func (g *greeting) part() {
	endStream(g.nc)
	_ = g.nc.SetReadDeadline(time.Now().Add(g.timing.farewell))
	_, _ = io.CopyN(io.Discard, g.in, partBytes)
}

func (g *greeting) whyNoHello(err error) string {
	switch {
	case isAlien(err):
		return err.Error()
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Sprintf("has not said hello for %v", g.limit.Round(10*time.Millisecond))
	}
	return "is gone before its hello: " + plain(err)
}

// onCancel arranges for f to run when ctx is cancelled. After release f neither runs nor will.
func onCancel(ctx context.Context, f func()) (release func()) {
	ran := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(ran)
		f()
	})
	return func() {
		if !stop() {
			<-ran
		}
	}
}
