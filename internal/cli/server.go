package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"time"

	"github.com/ibperf/ibperf/harness"
	"github.com/ibperf/ibperf/oob"
)

// serve listens and serves one client, or with --persistent all that come.
func (a *app) serve(ctx context.Context, o *options) error {
	a.budget = newBudget(&o.Own)
	if err := checkNamed(o); err != nil {
		return err
	}
	return a.listen(o, func(l *oob.Listener) error {
		if o.Own.Persistent {
			return a.serveAll(ctx, o, l)
		}
		return a.serveFirst(ctx, o, l)
	})
}

// listen listens for clients, tells people and scripts so, and serves them.
func (a *app) listen(o *options, serve func(*oob.Listener) error) (err error) {
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
	defer a.countStrangers(l)
	ready := readyFile(o.Own.ReadyFile)
	defer func() { err = errors.Join(err, ready.remove()) }()
	if err := a.listening(l, secret != nil, ready); err != nil {
		return err
	}
	return serve(l)
}

// checkNamed finds out at once that the device named by -d or by the environment cannot be used.
func checkNamed(o *options) error {
	c, err := chooseNamed(o.Own.Device)
	if err != nil || c.device == nil {
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
	a.console.note("%s: a connection that was no client: %v", a.program, err)
}

// countStrangers tells people how many connections were no clients, if there were more.
func (a *app) countStrangers(l *oob.Listener) {
	if n := l.Strangers(); n > 1 {
		a.console.note("%s: %d connections were no clients", a.program, n)
	}
}

// Limits of a server that lasts: how many clients run at a time, and how many more it
// listens to that have yet to say what they want.
const (
	maxRunning = 64
	maxHeard   = 128
)

// hearLimit is how long a client may take to say what it wants: it has nothing else to do
// once it is connected.
const hearLimit = 3 * time.Second

// hearAll listens to all clients that come, each by itself, and hands those over that say
// what they want, each on a goroutine of its own. It returns when no more come, and all
// that were handed over are done.
func (a *app) hearAll(ctx context.Context, o *options, l *oob.Listener, take func(*session)) error {
	var clients sync.WaitGroup
	defer clients.Wait()
	silent := &occurrences{console: a.console, what: "clients left before they said what they wanted"}
	defer silent.total()
	heard := make(chan struct{}, maxHeard)
	for {
		select {
		case heard <- struct{}{}:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		conn, err := l.Accept(ctx)
		if err != nil {
			return err
		}
		s := &session{app: a, voice: &voice{console: a.console}, options: o, role: harness.Server, conn: conn}
		clients.Go(func() {
			err := s.hear(ctx)
			<-heard
			if err != nil {
				silent.tell("client %s: %s", conn.RemoteAddr(), oneLine(err))
				return
			}
			take(s)
		})
	}
}

// serveFirst serves the first client that says what it wants, and all runs of its series, until
// the client is lost. Others are told to come again.
func (a *app) serveFirst(ctx context.Context, o *options, l *oob.Listener) (err error) {
	p, ended := &seat{came: make(chan *session, 1)}, make(chan error, 1)
	go func() { ended <- a.hearAll(ctx, o, l, p.take) }()
	var late <-chan time.Time
	var held hold
	defer func() { held.end(err) }()
	for {
		select {
		case gone := <-ended:
			return errors.Join(err, gone)
		case <-late:
			gone := fmt.Errorf("the client did not come back within %v for the next run of its series", a.away)
			return errors.Join(err, &peerFault{gone})
		case <-held.lost():
			if gone := held.why(); gone != nil {
				return errors.Join(err, gone)
			}
		case s := <-p.came:
			last := s.series.last()
			s.hold = held.conn == nil && s.series.holds()
			if last {
				err = errors.Join(err, l.Close())
			}
			ended := s.serve(ctx)
			err = errors.Join(err, ended)
			done := last && ended == nil // which no signal has broken off
			if ctx.Err() != nil && !done {
				return errors.Join(context.Cause(ctx), err)
			}
			if last || isOver(ended) || isLoss(ended) {
				return err
			}
			held.take(s)
			p.leave()
			late = time.After(a.away)
		}
	}
}

// serveAll serves clients until the context ends. What goes wrong with one is told and
// does not end the others. It returns nil if nobody was interrupted.
func (a *app) serveAll(ctx context.Context, o *options, l *oob.Listener) error {
	all := &crowd{running: make(chan struct{}, maxRunning)}
	all.busy = &occurrences{console: a.console, what: "clients were told to come again"}
	defer all.busy.total()
	busy := make(chan bool, 1) // when the context ended
	stop := context.AfterFunc(ctx, func() { busy <- len(all.running) > 0 })
	err := a.hearAll(ctx, o, l, func(s *session) { all.serve(ctx, s) })
	switch {
	case stop():
		return err
	case <-busy:
		return context.Cause(ctx)
	}
	return nil
}
