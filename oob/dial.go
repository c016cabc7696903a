package oob

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"syscall"
	"time"
)

// DialOptions say how to reach a server.
type DialOptions struct {
	// Timeout is until when the server must have said hello; 0: one attempt.
	Timeout time.Duration
	// Secret is what the server must have too; nil: none.
	Secret []byte
}

// Dial connects to the server that listens, or soon will, at addr (host:port). While nobody
// listens there, or what listens says nothing or closes before its hello is complete, it tries
// again, until the timeout. A server that has taken the connection has two seconds to say hello
// in any case. What waiting does not cure is an error at once: a host name that does not
// resolve, a peer that is not ibperf or of another version, another secret. The error of a
// server that could be reached is a [*PeerError]. ctx governs Dial only, not the connection.
func Dial(ctx context.Context, addr string, o DialOptions) (*Conn, error) {
	return dial(ctx, addr, o, standard)
}

func dial(ctx context.Context, addr string, o DialOptions, t timing) (*Conn, error) {
	if err := checkSecret(o.Secret); err != nil {
		return nil, fmt.Errorf("connect to %s: %w", addr, err)
	}
	start := time.Now()
	left := func() time.Duration { return o.Timeout - time.Since(start) }
	for wait := t.retryMin; ; wait = min(2*wait, t.retryMax) {
		c, err := attempt(ctx, addr, left, o.Secret, t)
		switch {
		case err == nil:
			return c, nil
		case ctx.Err() == nil && mayCome(err) && left() > 0:
			pause(ctx, min(wait, left()))
		default:
			return nil, dialError(ctx, addr, time.Since(start), err)
		}
	}
}

// attempt connects and greets once.
func attempt(ctx context.Context, addr string, left func() time.Duration, secret []byte, t timing) (*Conn, error) {
	nc, err := connectOnce(ctx, addr, max(left(), t.retryMax))
	if err != nil {
		return nil, err
	}
	g := greeting{
		nc: nc, in: bufio.NewReaderSize(nc, greetingBuffer), role: roleClient, secret: secret,
		limit: max(left(), t.helloMin), timing: t,
	}
	return g.run(ctx)
}

func connectOnce(ctx context.Context, addr string, limit time.Duration) (net.Conn, error) {
	d := net.Dialer{Timeout: limit}
	nc, err := d.DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	if isSelf(nc) {
		_ = nc.Close()
		return nil, syscall.ECONNREFUSED
	}
	return nc, nil
}

// isSelf tells whether a socket is connected to itself. TCP allows that, and attempts to reach
// a local port that nobody listens on come to it when the kernel picks the same port for this
// end.
func isSelf(nc net.Conn) bool {
	return nc.LocalAddr().String() == nc.RemoteAddr().String()
}

// absent are the errors of a server, or of a way to it, that is not there yet.
var absent = []error{
	syscall.ECONNREFUSED, syscall.ECONNRESET, syscall.EHOSTDOWN,
	syscall.EHOSTUNREACH, syscall.ENETUNREACH,
}

// mayCome tells whether another attempt could succeed.
func mayCome(err error) bool {
	if isPeer(err) {
		return !isAlien(err)
	}
	return slices.ContainsFunc(absent, func(target error) bool { return errors.Is(err, target) })
}

// isPeer tells an error of the greeting from one of connecting.
func isPeer(err error) bool {
	var peer *PeerError
	return errors.As(err, &peer)
}

// dialError says what the last attempt met and, where it can, what to do.
func dialError(ctx context.Context, addr string, tried time.Duration, err error) error {
	tried = tried.Round(10 * time.Millisecond)
	var timeout net.Error
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("connect to %s: %w", addr, context.Cause(ctx))
	case isPeer(err) && mayCome(err):
		return fmt.Errorf("%w, tried for %v; the server is busy or stopped, or it is not ibperf: check that -p is "+
			"the same on both sides, or wait longer with --connect-timeout", err, tried)
	case isPeer(err):
		return err
	case mayCome(err) || errors.As(err, &timeout) && timeout.Timeout() && !isLookup(err):
		return fmt.Errorf("connect to %s: %w, tried for %v; start the server, check that -p is the same "+
			"on both sides, or wait longer with --connect-timeout", addr, inner(err), tried)
	}
	return fmt.Errorf("connect to %s: %w", addr, inner(err))
}

func isLookup(err error) bool {
	var lookup *net.DNSError
	return errors.As(err, &lookup)
}

// pause waits, unless ctx is cancelled.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
