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

// maxVisits is how many connections are greeted at a time.
const maxVisits = 128

var (
	errCrowded = errors.New("was silent for the longest when too many connections came")
	errFull    = errors.New("came when too many clients waited")
)

// visit is a connection that may come to be a client's.
type visit struct {
	nc    net.Conn
	list  *Listener
	leave context.CancelCauseFunc

	// Guarded by the listener's lock.
	silent time.Time // since when it lets the server wait for its word; zero: it does not
	placed bool      // it has a place among the clients
	broken bool      // it is broken off and may not have a place
}

// Read notes for how long the visitor is silent.
func (v *visit) Read(b []byte) (int, error) {
	v.waits(time.Now())
	defer v.waits(time.Time{})
	return v.nc.Read(b)
}

func (v *visit) waits(since time.Time) {
	v.list.mu.Lock()
	defer v.list.mu.Unlock()
	v.silent = since
	v.list.changed.Broadcast()
}

// acceptAll greets each connection that comes, until the listener ends.
func (l *Listener) acceptAll(ctx context.Context) {
	for {
		nc, err := l.socket.Accept()
		switch {
		case err == nil:
			l.receive(ctx, nc)
		case isPassing(err):
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

// passing are the errors of accept(2) that say nothing of the listener: this machine lacks
// something for now, or the connection that came has failed already.
var passing = append([]error{
	syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.ECONNABORTED, syscall.EPERM,
	syscall.EPROTO, syscall.ENOPROTOOPT, syscall.EOPNOTSUPP, syscall.ENETDOWN, syscall.ENETUNREACH,
	syscall.EHOSTDOWN, syscall.EHOSTUNREACH,
}, passingOfLinux...)

func isPassing(err error) bool {
	return slices.ContainsFunc(passing, func(target error) bool { return errors.Is(err, target) })
}

// receive begins to greet a connection. If there are too many it breaks off the one that has
// been silent for the longest, and waits until one is done.
func (l *Listener) receive(ctx context.Context, nc net.Conn) {
	v := &visit{nc: nc, list: l}
	ctx, v.leave = context.WithCancelCause(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	for broken := false; len(l.visits) == maxVisits; l.changed.Wait() {
		if longest := l.longestSilent(); longest != nil && !broken {
			longest.broken, broken = true, true
			longest.leave(errCrowded)
		}
	}
	l.visits[v] = struct{}{}
	l.work.Go(func() { l.greet(ctx, v) })
}

// longestSilent returns the visit that has let the server wait for the longest, nil if what all
// have said is still to be looked at. The caller has locked the listener.
func (l *Listener) longestSilent() (longest *visit) {
	for v := range l.visits {
		if !v.silent.IsZero() && (longest == nil || v.silent.Before(longest.silent)) {
			longest = v
		}
	}
	return longest
}

// greet finds out whether a visit is a client's.
func (l *Listener) greet(ctx context.Context, v *visit) {
	g := greeting{
		nc: v.nc, in: bufio.NewReaderSize(v, greetingBuffer), role: roleServer, secret: l.options.Secret,
		place: func() bool { return l.promise(v) }, limit: l.timing.hello, timing: l.timing,
	}
	c, err := g.run(ctx)
	v.leave(nil)
	if first := l.done(v, c, err); first && l.options.Stranger != nil {
		l.options.Stranger(err)
	}
}

// promise gives a visit a place among the clients, if there is one. Clients that have left
// while they waited need theirs no more.
func (l *Listener) promise(v *visit) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.clients)+l.promised == maxWaiting {
		l.clients = slices.DeleteFunc(l.clients, func(c *Conn) bool { return c.Err() != nil })
	}
	if v.broken || len(l.clients)+l.promised == maxWaiting {
		return false
	}
	l.promised++
	v.placed = true
	return true
}

// done ends a visit, as a client or as a stranger, and tells whether it was the first stranger.
// One that was broken off by the listener's end, or sent away as one too many, is neither.
func (l *Listener) done(v *visit, c *Conn, err error) (first bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.visits, v)
	l.changed.Broadcast()
	if v.placed {
		l.promised--
	}
	switch {
	case err == nil:
		l.clients = append(l.clients, c)
	case !errors.Is(err, context.Canceled) && !errors.Is(err, errFull):
		l.strangers++
		return l.strangers == 1
	}
	return false
}
