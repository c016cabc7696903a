package oob

import (
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
	Timeout time.Duration // until the server must be there; 0: one attempt
	Secret  []byte        // the server must have the same; nil: none
}

// Dial connects to the server that listens, or soon will, at addr (host:port). While nobody
// listens there it tries again, until the timeout. What
// waiting does not cure, such as a host name that does not resolve, is an error at once. ctx
// governs Dial only, not the connection. A peer that accepts and then is not an ibperf server
// gives a [*PeerError].
func Dial(ctx context.Context, addr string, o DialOptions) (*Conn, error) {
	return dial(ctx, addr, o, standard)
}

func dial(ctx context.Context, addr string, o DialOptions, t timing) (*Conn, error) {
	if err := checkSecret(o.Secret); err != nil {
		return nil, fmt.Errorf("connect to %s: %w", addr, err)
	}
	nc, err := connect(ctx, addr, o.Timeout, t)
	if err != nil {
		return nil, err
	}
	g := greeting{nc: nc, role: roleClient, secret: o.Secret, limit: t.hello, timing: t}
	return g.run(ctx)
}

// connect attempts to connect, at growing intervals, until it succeeds or may not go on.
func connect(ctx context.Context, addr string, timeout time.Duration, t timing) (net.Conn, error) {
	start := time.Now()
	for wait := t.retryMin; ; wait = min(2*wait, t.retryMax) {
		left := timeout - time.Since(start)
		nc, err := connectOnce(ctx, addr, max(left, t.retryMax))
		if err == nil {
			return nc, nil
		}
		if ctx.Err() == nil && mayCome(err) && left > 0 {
			pause(ctx, min(wait, left))
			continue
		}
		return nil, connectError(ctx, addr, time.Since(start), err)
	}
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
	return slices.ContainsFunc(absent, func(target error) bool { return errors.Is(err, target) })
}

// connectError says what the last attempt met and, where it can, what to do.
func connectError(ctx context.Context, addr string, tried time.Duration, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("connect to %s: %w", addr, context.Cause(ctx))
	}
	var timeout net.Error
	if mayCome(err) || errors.As(err, &timeout) && timeout.Timeout() && !isLookup(err) {
		return fmt.Errorf("connect to %s: %w, tried for %v; start the server, check that -p is the same "+
			"on both sides, or wait longer with --connect-timeout", addr, inner(err), tried.Round(10*time.Millisecond))
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
