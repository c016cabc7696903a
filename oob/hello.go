package oob

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"time"
)

// helloSize is the payload of a hello frame: one byte, the sender's role.
const helloSize = 1

// role is a side's part in making the connection.
type role byte

const (
	roleClient role = 1 + iota
	roleServer
)

func (r role) String() string {
	if r == roleClient {
		return "client"
	}
	return "server"
}

// other returns the role that the peer must have.
func (r role) other() role { return roleClient + roleServer - r }

// decodeHello returns the role that a hello frame announces.
func decodeHello(f frame) (role, error) {
	if len(f.payload) != helloSize {
		return 0, protocolErrorf("received a hello of %d bytes, want %d", len(f.payload), helloSize)
	}
	r := role(f.payload[0])
	if r != roleClient && r != roleServer {
		return 0, protocolErrorf("received a hello with the unknown role %d", r)
	}
	return r, nil
}

// greet makes a Conn of a connected socket, once the peer has proved that it speaks the
// protocol. It closes the socket when it fails.
func greet(ctx context.Context, nc net.Conn, mine role, t timing) (*Conn, error) {
	c := newConn(nc, t)
	// A deadline that cannot be set shows as an error of the first read.
	_ = nc.SetDeadline(time.Now().Add(t.hello))
	release := onCancel(ctx, func() { _ = nc.SetDeadline(time.Unix(1, 0)) })
	err := swapHello(nc, c.in, mine)
	release()
	if err == nil && ctx.Err() == nil {
		err = nc.SetDeadline(time.Time{})
	}
	switch {
	case ctx.Err() != nil:
		err = fmt.Errorf("greet %s: %w", c.peer, context.Cause(ctx))
	case err != nil:
		err = &PeerError{Peer: c.peer, Reason: whyNoHello(err, t), cause: err}
	default:
		if mine == roleServer {
			c.box.allow(untrusted)
		}
		c.start()
		return c, nil
	}
	_ = nc.Close()
	return nil, err
}

// swapHello sends this side's hello and checks the peer's. What the peer said explains more
// than a failed write, so that it is read in any case.
func swapHello(nc net.Conn, in *bufio.Reader, mine role) error {
	_, sendErr := nc.Write(frame{kind: kindHello, payload: []byte{byte(mine)}}.appendTo(nil))
	f, err := readFrame(in, admitHello)
	if err != nil {
		return err
	}
	theirs, err := decodeHello(f)
	if err != nil {
		return err
	}
	if theirs != mine.other() {
		return protocolErrorf("received the hello of a %v, want that of a %v", theirs, mine.other())
	}
	return sendErr
}

// admitHello refuses all else before the hello.
func admitHello(h header, _ string) error {
	if h.kind != kindHello {
		return protocolErrorf("received a %v frame before its hello", h.kind)
	}
	return nil
}

func whyNoHello(err error, t timing) string {
	switch {
	case errors.Is(err, ErrProtocol):
		return err.Error()
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Sprintf("has not said hello for %v: it is busy with another run, or it is not ibperf", t.hello)
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
