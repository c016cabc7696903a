package cli

import (
	"context"
	"errors"
	"net"
	"strconv"
	"sync"
	"time"

	"github.com/ibperf/ibperf/harness"
	"github.com/ibperf/ibperf/oob"
)

// serve listens and serves one client, or with --persistent all that come.
func (a *app) serve(ctx context.Context, o *options) (err error) {
	a.budget = newBudget(&o.Own)
	if err := checkNamed(o); err != nil {
		return err
	}
	secret, err := readSecret(o.Own.SecretFile)
	if err != nil {
		return err
	}
	l, err := oob.Listen(net.JoinHostPort(o.Own.Source, strconv.Itoa(o.Own.Port)),
		oob.ListenOptions{Secret: secret, Stranger: a.stranger})
	if err != nil {
		return err
	}
	defer l.Close()
	ready := readyFile(o.Own.ReadyFile)
	defer func() { err = errors.Join(err, ready.remove()) }()
	if err := a.listening(l, secret != nil, ready); err != nil {
		return err
	}
	if o.Own.Persistent {
		return a.serveAll(ctx, o, l)
	}
	return a.serveOne(ctx, o, l)
}

// checkNamed finds out at once that the device named by -d cannot be used.
func checkNamed(o *options) error {
	if o.Own.Device == "" {
		return nil
	}
	c, err := lookup(o.Own.Device, "")
	if err != nil {
		return err
	}
	return probe(c.device, o.Own.IBPort)
}

// listening tells people and scripts the port.
func (a *app) listening(l *oob.Listener, secret bool, ready readyFile) error {
	_, text, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		return err
	}
	port, err := strconv.Atoi(text)
	if err != nil {
		return err
	}
	a.console.note("control channel: %s", channel(secret))
	a.console.note("listening on port %d", port)
	return ready.write(port)
}

// stranger tells people of the first connection that was no client.
func (a *app) stranger(err error) {
	a.console.note("%s: a connection that was no client: %v; further ones are counted", a.test.Program(), err)
}

// countStrangers tells people how many connections were no clients, if there were more.
func (a *app) countStrangers(l *oob.Listener) {
	if n := l.Strangers(); n > 1 {
		a.console.note("%s: %d connections were no clients", a.test.Program(), n)
	}
}

// serveOne serves the first client that says what it wants.
func (a *app) serveOne(ctx context.Context, o *options, l *oob.Listener) error {
	for {
		conn, err := l.Accept(ctx)
		if err != nil {
			return err
		}
		s := &session{app: a, voice: &voice{console: a.console}, options: o, role: harness.Server, conn: conn}
		err = s.hear(ctx)
		switch {
		case err == nil:
			if err := l.Close(); err != nil {
				return errors.Join(err, conn.Close())
			}
			return s.serve(ctx)
		case ctx.Err() != nil:
			return err
		}
		a.console.note("client %s: %s; waiting for another one", conn.RemoteAddr(), oneLine(err))
	}
}

// Limits of a server that lasts: how many clients run at a time, and how many more it
// listens to that have yet to say what they want.
const (
	maxRunning = 64
	maxHeard   = 128
)

// serveAll serves clients until the context ends. What goes wrong with one is told and
// does not end the others. It returns nil if nobody was interrupted.
func (a *app) serveAll(ctx context.Context, o *options, l *oob.Listener) error {
	defer a.countStrangers(l)
	var clients sync.WaitGroup
	defer clients.Wait()
	all := &crowd{heard: make(chan struct{}, maxHeard), running: make(chan struct{}, maxRunning)}
	for {
		select {
		case all.heard <- struct{}{}:
		case <-ctx.Done():
			return a.stopped(ctx, all)
		}
		conn, err := l.Accept(ctx)
		if err != nil && ctx.Err() != nil {
			return a.stopped(ctx, all)
		} else if err != nil {
			return err
		}
		v := &voice{console: a.console, client: conn.RemoteAddr()}
		s := &session{app: a, voice: v, options: o, role: harness.Server, conn: conn}
		clients.Go(func() { all.serve(ctx, s) })
	}
}

// stopped is how a persistent server ends: well, if it was idle.
func (a *app) stopped(ctx context.Context, all *crowd) error {
	if len(all.running) > 0 {
		return context.Cause(ctx)
	}
	return nil
}

// crowd is the clients of a server that lasts.
type crowd struct {
	heard   chan struct{} // full while as many are listened to as may be
	running chan struct{} // and while as many run

	mu     sync.Mutex
	number int // of clients that were run
}

// serve listens to a client and runs what it wants.
func (c *crowd) serve(ctx context.Context, s *session) {
	err := s.hear(ctx)
	<-c.heard
	if err == nil {
		err = c.run(ctx, s)
	}
	if err == nil {
		s.note("done")
		return
	}
	s.note("failed with status %d: %s", Status(err), oneLine(err))
}

// run runs what a client wants, unless as many run as may.
func (c *crowd) run(ctx context.Context, s *session) error {
	select {
	case c.running <- struct{}{}:
		defer func() { <-c.running }()
	default:
		return s.refuse(&busyError{maxRunning})
	}
	c.mu.Lock()
	c.number++
	s.number = c.number
	c.mu.Unlock()
	return s.serve(ctx)
}

// hearLimit is how long a client may take to say what it wants: it has nothing else to do
// once it is connected.
const hearLimit = 3 * time.Second
