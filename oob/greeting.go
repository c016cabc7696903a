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

// greetingBuffer is the size of a buffer for a hello and a proof. It is small because a server may
// greet many silent connections.
const greetingBuffer = 128

// partBytes is the number of bytes that are read from an incompatible peer before its connection is closed.
const partBytes = 4 << 10

// greeting is the beginning of a connection, in which both sides check that they are compatible.
type greeting struct {
	nc      net.Conn
	in      *bufio.Reader // of greetingBuffer bytes, from nc
	role    role
	secret  []byte        // nil: none
	program Program       // that the proofs cover
	reserve func() bool   // on a server: reserves an entry for the client; false: there is no room
	limit   time.Duration // for all of it
	timing  timing        // of the connection

	perftest bool   // the peer may be perftest
	theirs   string // version of the peer if it is perftest

	answered bool // on a client: the server has sent something
	proves   bool // the hellos are over, and this side waits for the proof
}

// run returns a Conn for a connected socket whose peer has proved that it speaks the protocol and has
// the secret. It closes the socket when it fails.
func (g *greeting) run(ctx context.Context) (*Conn, error) { return g.runAs(ctx, g.meet) }

func (g *greeting) runAs(ctx context.Context, meet func() error) (*Conn, error) {
	socket := g.nc
	// If the deadline cannot be set, the first read fails too.
	_ = socket.SetDeadline(time.Now().Add(g.limit))
	release := onCancel(ctx, func() { _ = socket.SetDeadline(time.Unix(1, 0)) })
	err := meet()
	if isIncompatible(err) {
		g.part()
	}
	release()
	if err == nil && ctx.Err() == nil {
		err = socket.SetDeadline(time.Time{})
	}
	switch {
	case ctx.Err() != nil && !isPermanent(err):
		err = fmt.Errorf("greet %v: %w", socket.RemoteAddr(), context.Cause(ctx))
	case err != nil:
		err = &PeerError{Peer: socket.RemoteAddr().String(), Reason: g.whyNot(err), cause: err}
	default:
		return g.conn(), nil
	}
	_ = socket.Close()
	return nil, err
}

// conn returns the connection, with the bytes that have arrived after the greeting.
func (g *greeting) conn() *Conn {
	// Peek does not fail within what is buffered.
	early, _ := g.in.Peek(g.in.Buffered())
	c := newConn(g.nc, early, g.timing)
	if g.theirs != "" {
		c.perftest = g.theirs
		return c
	}
	c.authenticated = g.secret != nil
	if g.role == roleServer {
		c.box.other, c.box.most = boundOfClient, maxWaitingOfClient
	}
	c.start()
	return c
}

func (g *greeting) meet() error {
	mine := newHello(g.role, g.secret)
	peer, err := g.exchangePreambles()
	switch {
	case isIncompatible(err) && g.role == roleServer:
		_ = g.send(mine.frame()) // an ibperf without preambles reads the version in it
		return err
	case err != nil:
		return err
	case peer.perftest != "":
		return g.meetPerftest(peer.perftest)
	case peer.version != version:
		return &versionError{peer.version}
	}
	if g.role == roleClient {
		return g.meetServer(mine)
	}
	return g.meetClient(mine)
}

// meetServer sends the first hello. It reads the server's hello even if its own could not be sent,
// because the server's explains more than a failed write.
func (g *greeting) meetServer(mine hello) error {
	sendErr := g.send(mine.frame())
	theirs, err := g.receiveHello()
	if err == nil {
		err = checkHave(mine, theirs)
	}
	if err != nil {
		return err
	}
	if g.secret != nil {
		return g.proveFirst()
	}
	return sendErr
}

// proveFirst begins TLS, sends the client's proof and reads the server's.
func (g *greeting) proveFirst() error {
	g.proves = true
	keying, err := g.secure()
	if err != nil {
		return err
	}
	sendErr := g.send(g.proof(roleClient, keying))
	if err := g.receiveProof(g.proof(roleServer, keying)); err != nil {
		return err
	}
	return sendErr
}

// meetClient sends its hello after the client's, and its proof after the client's proof.
func (g *greeting) meetClient(mine hello) error {
	theirs, err := g.receiveHello()
	if err == nil {
		err = checkHave(mine, theirs)
	}
	if isIncompatible(err) {
		_ = g.send(mine.frame()) // so that the client can report the same
	}
	if err != nil {
		return err
	}
	last := mine.frame()
	if g.secret != nil {
		if last, err = g.checkFirst(last); err != nil {
			return err
		}
	}
	if !g.reserve() {
		return errFull
	}
	return g.send(last)
}

// checkFirst sends the server's hello, begins TLS, checks the client's proof, and returns the server's proof.
func (g *greeting) checkFirst(hello frame) (proof frame, err error) {
	if err := g.send(hello); err != nil {
		return proof, err
	}
	g.proves = true
	keying, err := g.secure()
	if err == nil {
		err = g.receiveProof(g.proof(roleClient, keying))
	}
	return g.proof(roleServer, keying), err
}

// proof returns the proof of a side of a role.
func (g *greeting) proof(r role, keying []byte) frame {
	return frame{kind: kindProof, payload: proofOf(g.secret, r, g.program, keying)}
}

func (g *greeting) send(f frame) error {
	_, err := g.nc.Write(f.appendTo(nil))
	return err
}

func (g *greeting) receiveHello() (hello, error) {
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

// receiveProof reads the peer's proof, and aborts the greeting if the proof is wrong.
func (g *greeting) receiveProof(want frame) error {
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
	case !hmac.Equal(f.payload, want.payload):
		_ = g.send(abortFrame(classSecret, "the proof of the secret is wrong"))
		return errDiffer
	}
	return nil
}

// isPermanent reports whether an error is one that another attempt does not change.
func isPermanent(err error) bool {
	return errors.Is(err, ErrProtocol) || errors.Is(err, ErrSecret)
}

// isIncompatible reports whether an error is one of an ibperf peer, which can report the reason itself.
func isIncompatible(err error) bool {
	return errors.As(err, new(*versionError)) || errors.Is(err, ErrSecret)
}

// part reads until the peer has ended the stream: closing a socket with unread bytes resets the
// connection, and the last frame could be lost.
func (g *greeting) part() {
	endStream(g.nc)
	_ = g.nc.SetReadDeadline(time.Now().Add(g.timing.farewell))
	_, _ = io.CopyN(io.Discard, g.in, partBytes)
}

// whyNot returns the reason for which a greeting has failed.
func (g *greeting) whyNot(err error) string {
	awaited := "hello"
	if g.proves {
		awaited = "proof"
	}
	switch {
	case isPermanent(err):
		return err.Error()
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Sprintf("has not sent its %s within %v", awaited, g.limit.Round(10*time.Millisecond))
	}
	return fmt.Sprintf("is gone before its %s: %s", awaited, plain(err))
}

// onCancel calls f when ctx is cancelled. After release f does not run.
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
