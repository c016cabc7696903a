package oob

import (
	"bufio"
	"context"
	"errors"
	"net"
	"slices"
	"syscall"
	"time"
)

// maxCandidates is the number of connections that are greeted at a time, if no more clients are expected.
const maxCandidates = 128

var (
	errCrowded = errors.New("was silent for the longest when too many connections arrived")
	errFull    = errors.New("arrived when too many clients waited")
)

// candidate is a connection that the listener greets, which may become a client.
type candidate struct {
	nc     net.Conn
	list   *Listener
	cancel context.CancelCauseFunc // ends the greeting

	// Guarded by the listener's lock.
	silent   time.Time // since when the server waits for data; zero: it does not wait
	reserved bool      // it has reserved an entry among the clients
	canceled bool      // its greeting was ended, and it may not reserve an entry
}

// Read reads from the connection and records since when the peer is silent.
func (c *candidate) Read(b []byte) (int, error) {
	c.waits(time.Now())
	defer c.waits(time.Time{})
	return c.nc.Read(b)
}

func (c *candidate) waits(since time.Time) {
	c.list.mu.Lock()
	defer c.list.mu.Unlock()
	c.silent = since
	c.list.changed.Broadcast()
}

// acceptAll greets each connection, until the listener ends.
func (l *Listener) acceptAll(ctx context.Context) {
	for {
		nc, err := l.socket.Accept()
		switch {
		case err == nil:
			l.receive(ctx, nc)
		case isTransient(err):
			pause(ctx, l.timing.retryMax)
		default:
			l.mu.Lock()
			l.err = err
			l.changed.Broadcast()
			l.mu.Unlock()
			return
		}
	}
}

// transient holds the errors of accept(2) after which the listener can go on: this machine lacks a
// resource for now, or the new connection has failed already.
var transient = append([]error{
	syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.ECONNABORTED, syscall.EPERM,
	syscall.EPROTO, syscall.ENOPROTOOPT, syscall.EOPNOTSUPP, syscall.ENETDOWN, syscall.ENETUNREACH,
	syscall.EHOSTDOWN, syscall.EHOSTUNREACH,
}, transientOnLinux...)

func isTransient(err error) bool {
	return slices.ContainsFunc(transient, func(target error) bool { return errors.Is(err, target) })
}

// receive begins to greet a connection. With maxCandidates it ends the greeting of the one that has
// been silent for the longest, and waits until one is done.
func (l *Listener) receive(ctx context.Context, nc net.Conn) {
	c := &candidate{nc: nc, list: l}
	ctx, c.cancel = context.WithCancelCause(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	for canceled := false; len(l.candidates) >= l.most(maxCandidates); l.changed.Wait() {
		if longest := l.longestSilent(); longest != nil && !canceled {
			longest.canceled, canceled = true, true
			longest.cancel(errCrowded)
		}
	}
	l.candidates[c] = struct{}{}
	l.work.Go(func() { l.greet(ctx, c) })
}

// longestSilent returns the candidate whose data the server has waited for the longest; nil if it
// waits for none. The caller has locked the listener.
func (l *Listener) longestSilent() (longest *candidate) {
	for c := range l.candidates {
		if !c.silent.IsZero() && (longest == nil || c.silent.Before(longest.silent)) {
			longest = c
		}
	}
	return longest
}

// greet greets a candidate.
func (l *Listener) greet(ctx context.Context, c *candidate) {
	g := greeting{
		nc: c.nc, in: bufio.NewReaderSize(c, greetingBuffer), role: roleServer, secret: l.options.Secret,
		program: l.options.Program, reserve: func() bool { return l.reserve(c) }, limit: l.timing.hello, timing: l.timing, perftest: l.options.Perftest,
	}
	conn, err := g.run(ctx)
	c.cancel(nil)
	if first := l.done(c, conn, err); first && l.options.Rejected != nil {
		l.options.Rejected(err)
	}
}

// reserve reports whether it has reserved an entry among the clients for a candidate. To make room it
// removes clients that have left while they waited.
func (l *Listener) reserve(c *candidate) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.clients)+l.reserved >= l.most(maxWaiting) {
		l.clients = slices.DeleteFunc(l.clients, func(conn *Conn) bool { return conn.Err() != nil })
	}
	if c.canceled || len(l.clients)+l.reserved >= l.most(maxWaiting) {
		return false
	}
	l.reserved++
	c.reserved = true
	return true
}

// done removes a candidate, which has become a client or is rejected, and reports whether it is the
// first that is rejected. Candidates that end with the listener, and those for which there is no room,
// are neither.
func (l *Listener) done(c *candidate, conn *Conn, err error) (first bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.candidates, c)
	l.changed.Broadcast()
	if c.reserved {
		l.reserved--
	}
	switch {
	case err == nil:
		l.clients = append(l.clients, conn)
	case !errors.Is(err, context.Canceled) && !errors.Is(err, errFull):
		l.rejected++
		return l.rejected == 1
	}
	return false
}
