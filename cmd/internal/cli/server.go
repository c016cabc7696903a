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
	"github.com/ibperf/ibperf/oob/perftest"
	"github.com/ibperf/ibperf/reports"
)

// serve listens and serves one client, or with --persistent all clients.
func (a *app) serve(ctx context.Context, o *options, announce announcement) error {
	a.budget = newBudget(&o.Own)
	if err := checkNamed(o); err != nil {
		return err
	}
	if o.Own.Persistent {
		return a.listen(o, oob.Tests, a.announcePort, func(l *oob.Listener) error { return a.serveAll(ctx, o, l) })
	}
	if a.fresh {
		return a.open(o, announce, func(socket *net.TCPListener, _ []byte) error { return a.serveRuns(ctx, o, socket) })
	}
	return a.listen(o, oob.Tests, announce, func(l *oob.Listener) error {
		_, err := a.serveFirst(ctx, o, l, nil)
		return err
	})
}

// listen listens for clients of a program, announces the port, and serves.
func (a *app) listen(o *options, p oob.Program, announce announcement, serve func(*oob.Listener) error) error {
	return a.open(o, announce, func(socket *net.TCPListener, secret []byte) error { return a.accept(socket, p, secret, serve) })
}

// open reads the secret, opens a socket for clients, announces its port, and serves.
func (a *app) open(o *options, announce announcement, serve func(socket *net.TCPListener, secret []byte) error) (err error) {
	secret, err := readSecret(o.Own.SecretFile)
	if err != nil {
		return err
	}
	socket, err := oob.Open(net.JoinHostPort(o.Own.Source, strconv.Itoa(o.Own.Port)))
	if err != nil {
		return err
	}
	defer socket.Close()
	ready := readyFile(o.Own.ReadyFile)
	defer func() { err = errors.Join(err, ready.remove()) }()
	port := socket.Addr().(*net.TCPAddr).Port
	if err := errors.Join(announce(o, port, secret != nil), ready.write(port)); err != nil {
		return err
	}
	return serve(socket, secret)
}

// accept accepts clients of a program on a socket and serves them.
func (a *app) accept(socket net.Listener, p oob.Program, secret []byte, serve func(*oob.Listener) error) error {
	l, err := oob.ListenOn(socket, oob.ListenOptions{Secret: secret, Program: p, Rejected: a.rejected, Perftest: a.perftest})
	if err != nil {
		return err
	}
	defer l.Close()
	defer a.countRejected(l)
	return serve(l)
}

// checkNamed returns an error if a device that -d or the environment names cannot be used.
func checkNamed(o *options) error {
	named, err := chooseNamed(o.Own.Device, o.Own.IBPort)
	if err != nil {
		return err
	}
	opened, err := openAll(&o.Own, named)
	if err != nil {
		return err
	}
	return closeAll(opened)
}

// An announcement prints that a server listens on a port, with or without a secret.
type announcement func(o *options, port int, secret bool) error

// announcePort prints who may connect, and the port.
func (a *app) announcePort(_ *options, port int, secret bool) error {
	a.console.note("control channel: %s", channel(secret))
	a.console.note("listening on port %d", port)
	return nil
}

// Scripts wait for these lines, which perftest's servers print before they wait for a client.
const waiting = `
************************************
* Waiting for client to connect... *
************************************
`

// announceWait prints what perftest prints, where results are printed as text, and the port if the system has
// chosen it.
func (a *app) announceWait(o *options, port int, _ bool) error {
	if o.Own.Port == 0 {
		a.console.note("listening on port %d", port)
	}
	if !reports.IsText(&o.Own) {
		return nil
	}
	return a.print(waiting)
}

// rejected prints why the listener has rejected the first of the connections that it rejects.
func (a *app) rejected(err error) {
	a.console.note("%s: rejected a connection: %v", a.program, err)
}

// countRejected prints the number of rejected connections if there were several.
func (a *app) countRejected(l *oob.Listener) {
	if n := l.Rejected(); n > 1 {
		a.console.note("%s: rejected %d connections", a.program, n)
	}
}

// proposalLimit is the time within which a client must send its proposal, which it does as soon
// as it is connected.
const proposalLimit = 3 * time.Second

// acceptAll accepts clients, and hands over each one whose proposal has arrived, on a goroutine
// of its own. It returns when the listener has ended and all goroutines are done.
func (a *app) acceptAll(ctx context.Context, o *options, l *oob.Listener, take func(*peerSession)) error {
	var clients sync.WaitGroup
	defer clients.Wait()
	silent := &countedMessage{console: a.console, what: "clients sent no proposal"}
	defer silent.printTotal()
	var pending pendingClients
	for {
		conn, err := l.Accept(ctx)
		if err != nil {
			return err
		}
		s := &peerSession{app: a, output: &output{console: a.console}, options: o, role: harness.Server, conn: conn}
		if version, nc := conn.Perftest(); version != "" {
			s.perftest = perftest.New(nc, version, true)
		}
		pending.add(conn)
		clients.Go(func() {
			err := s.awaitProposal(ctx)
			pending.remove(conn)
			if err != nil {
				silent.print("client %s: %s", conn.RemoteAddr(), oneLine(err))
				return
			}
			take(s)
		})
	}
}

// serveFirst serves the first client whose proposal arrives, and all tests of its series, until
// the client is lost. It refuses other clients as busy. With a run it serves only the tests of one run of
// a series, and reports whether another run follows.
func (a *app) serveFirst(ctx context.Context, o *options, l *oob.Listener, run *servedRun) (more bool, err error) {
	slot, ended := &clientSlot{next: make(chan *peerSession, 1)}, make(chan error, 1)
	go func() { ended <- a.acceptAll(ctx, o, l, slot.take) }()
	var late <-chan time.Time
	if run != nil && run.Series != "" {
		slot.series, slot.awaited, late = run.Series, run.Series, time.After(a.seriesPause)
	}
	var first firstConn
	defer func() { first.end(err) }()
	for test := 0; ; {
		select {
		case gone := <-ended:
			return false, errors.Join(err, gone)
		case <-late:
			gone := fmt.Errorf("the client did not connect within %v for the next test of its series", a.seriesPause)
			return false, errors.Join(err, &peerFault{gone})
		case <-first.lost():
			if gone := first.why(); gone != nil {
				return false, errors.Join(err, gone)
			}
		case s := <-slot.next:
			test++
			last := s.series.IsLast() || run != nil && s.series.EndsRun()
			s.test, s.keepOpen = test, first.conn == nil && s.series.KeepsOpen()
			if last { // before the client goes on: its next connection is not for this process
				s.accepted = l.Close
			}
			ended := s.serve(ctx)
			if s.unfit && ctx.Err() == nil {
				a.console.fail(a.program, ended)
				test--
				slot.forget(test == 0)
				continue
			}
			err = errors.Join(err, ended)
			done := last && ended == nil // a signal after the end of the run does not count
			if ctx.Err() != nil && !done {
				return false, errors.Join(context.Cause(ctx), err)
			}
			if isOver(ended) || isLoss(ended) {
				return false, err
			}
			if last && !s.series.IsLast() {
				run.Series = s.series.ID
			}
			first.take(s)
			if s.series.EndsRun() {
				first.end(nil)
			}
			if last {
				return !s.series.IsLast(), err
			}
			slot.free()
			late = time.After(a.seriesPause)
		}
	}
}

// serveAll serves clients until the context ends. It prints an error of one client and goes on.
// It returns nil unless the end interrupts a client.
func (a *app) serveAll(ctx context.Context, o *options, l *oob.Listener) error {
	pool := &clientPool{queue: oob.NewClientQueue(a.limits)}
	pool.busy = &countedMessage{console: a.console, what: "clients were refused as the server was busy"}
	defer pool.busy.printTotal()
	err := a.acceptAll(ctx, o, l, func(s *peerSession) { pool.serve(ctx, s) })
	switch {
	case ctx.Err() == nil:
		return err
	case pool.interrupted.Load():
		return context.Cause(ctx)
	}
	return nil
}
