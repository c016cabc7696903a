package oob

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"slices"
	"syscall"
	"time"
)

// DialOptions are the options of a client's connection.
type DialOptions struct {
	// Timeout is the time within which the server must have sent its hello; 0: one attempt.
	Timeout time.Duration
	// Secret is the secret that the server must prove to have; nil: none.
	Secret []byte
	// Perftest reports whether the server may be perftest.
	Perftest bool
	// Program must be that of the server; a secret needs it.
	Program Program
	// Clients is the number of clients that the server expects, see [ListenOptions].
	Clients int
	// Source is the local IP address to connect from; empty: any.
	Source string
}

// Dial connects to the server that listens, or soon will, at addr (host:port). It tries again
// until the timeout if the connection is refused, if the server stays silent, or if it closes before
// its hello is complete. A server that has accepted the connection has at least two seconds to send
// its hello. Errors that waiting does not cure are returned at once: a host name that does not
// resolve, a peer that is not ibperf or has another protocol version, another secret. The error
// of a server that could be reached is a [*PeerError]. ctx governs Dial only, not the connection.
func Dial(ctx context.Context, addr string, o DialOptions) (*Conn, error) {
	return dial(ctx, addr, o, timingOf(o.Clients))
}

func dial(ctx context.Context, addr string, o DialOptions, t timing) (*Conn, error) {
	if err := checkSecret(o.Secret, o.Program); err != nil {
		return nil, fmt.Errorf("connect to %s: %w", addr, err)
	}
	start := time.Now()
	left := func() time.Duration { return o.Timeout - time.Since(start) }
	for wait := t.retryMin; ; wait = min(2*wait, t.retryMax) {
		c, err := attempt(ctx, addr, left, o, t)
		switch {
		case err == nil:
			return c, nil
		case ctx.Err() == nil && mayRetry(err) && left() > 0:
			pause(ctx, min(wait, left()))
		default:
			return nil, dialError(ctx, addr, o.Program, time.Since(start), err)
		}
	}
}

// attempt connects and greets once. It asks a server that closes without an answer for its version, in case it
// is an ibperf without preambles.
func attempt(ctx context.Context, addr string, left func() time.Duration, o DialOptions, t timing) (*Conn, error) {
	g, err := connect(ctx, addr, left, o, t)
	if err != nil {
		return nil, err
	}
	c, err := g.run(ctx)
	if err == nil || g.answered || !mayRetry(err) || ctx.Err() != nil || errors.Is(err, os.ErrDeadlineExceeded) {
		return c, err
	}
	g, failed := connect(ctx, addr, left, o, t)
	if failed != nil {
		return nil, err
	}
	if _, answer := g.runAs(ctx, g.askVersion); errors.As(answer, new(*versionError)) {
		return nil, answer
	}
	return nil, err
}

// connect returns the greeting of a new connection.
func connect(ctx context.Context, addr string, left func() time.Duration, o DialOptions, t timing) (*greeting, error) {
	nc, err := connectOnce(ctx, addr, o.Source, max(left(), t.retryMax))
	if err != nil {
		return nil, err
	}
	return &greeting{
		nc: nc, in: bufio.NewReaderSize(nc, greetingBuffer), role: roleClient, secret: o.Secret, program: o.Program,
		limit: max(left(), t.helloMin), timing: t, perftest: o.Perftest,
	}, nil
}

func connectOnce(ctx context.Context, addr, source string, limit time.Duration) (net.Conn, error) {
	d := net.Dialer{Timeout: limit}
	if source != "" {
		from, err := netip.ParseAddr(source)
		if err != nil {
			return nil, err
		}
		d.LocalAddr = net.TCPAddrFromAddrPort(netip.AddrPortFrom(from, 0))
	}
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

// isSelf reports whether a socket is connected to itself. TCP allows it, and it happens when no
// process listens at a local port and the kernel chooses the same port for this end.
func isSelf(nc net.Conn) bool {
	return nc.LocalAddr().String() == nc.RemoteAddr().String()
}

// notYet holds the errors of a server, or of a route to it, that does not exist yet.
var notYet = []error{
	syscall.ECONNREFUSED, syscall.ECONNRESET, syscall.EHOSTDOWN,
	syscall.EHOSTUNREACH, syscall.ENETUNREACH,
}

// mayRetry reports whether another attempt could succeed.
func mayRetry(err error) bool {
	if isPeer(err) {
		return !isPermanent(err)
	}
	return slices.ContainsFunc(notYet, func(target error) bool { return errors.Is(err, target) })
}

// isPeer reports whether an error is one of the greeting. Other errors are of connecting.
func isPeer(err error) bool {
	var peer *PeerError
	return errors.As(err, &peer)
}

// dialError returns the error of the last attempt with what to do about it.
func dialError(ctx context.Context, addr string, program Program, tried time.Duration, err error) error {
	tried = tried.Round(10 * time.Millisecond)
	var timeout net.Error
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("connect to %s: %w", addr, context.Cause(ctx))
	case isPeer(err) && mayRetry(err):
		return fmt.Errorf("%w, tried for %v; the server is busy or stopped, or it is not ibperf: check that -p is "+
			"the same on both sides, or wait longer with --connect-timeout", err, tried)
	case isPeer(err):
		return err
	case mayRetry(err) || errors.As(err, &timeout) && timeout.Timeout() && !isLookup(err):
		return fmt.Errorf("connect to %s: %w, tried for %v; %s, or wait longer with --connect-timeout", addr, inner(err), tried, program.absent())
	}
	return fmt.Errorf("connect to %s: %w", addr, inner(err))
}

// absent says what to do if nothing listens at the server's address.
func (p Program) absent() string {
	if p == Cluster {
		return "check that rank 0 runs there, and that --port is the same on all ranks"
	}
	return "start the server, check that -p is the same on both sides"
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
