package cli

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"time"

	"github.com/ibperf/ibperf/internal/conform"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/verbs/verbstest"
)

// conformServer starts the peer processes of one client.
type conformServer struct {
	*app
	options *options
	over    chan error // receives the outcome of the session, which ends the server
	failed  *countedMessage

	mu      sync.Mutex
	session string // of the client; empty: no client yet
	target  verbstest.Target
	running int // peer processes
	started int // peer processes, over the whole session
}

// Limits of the server of ib_conform. The suite's statements have at most two processes at a time, and
// six over a whole run.
const (
	maxPeers     = 4              // peer processes at a time
	maxStarted   = 64             // peer processes of a session
	sessionLimit = 24 * time.Hour // of a session; a run takes minutes
)

// serveConform serves one client.
func (a *app) serveConform(ctx context.Context, o *options) error {
	if err := errors.Join(checkNamed(o), readyFile(o.Own.ReadyFile).check()); err != nil {
		return err
	}
	return a.listen(o, oob.Conform, a.announcePort, func(l *oob.Listener) error {
		a.console.note("this side starts the peer processes of a client; --loopback runs the statements without one")
		failed := &countedMessage{console: a.console, what: "connections of clients were refused or failed"}
		defer failed.printTotal()
		return (&conformServer{app: a, options: o, over: make(chan error, 1), failed: failed}).serve(ctx, l)
	})
}

// serve accepts connections until the session is over.
func (c *conformServer) serve(ctx context.Context, l *oob.Listener) error {
	ctx, stop := context.WithCancelCause(ctx)
	var clients sync.WaitGroup
	defer clients.Wait()
	defer stop(nil)
	ended := make(chan error, 1)
	clients.Go(func() { ended <- c.acceptAll(ctx, l, &clients) })
	select {
	case err := <-c.over:
		return err
	case err := <-ended:
		return err
	}
}

// acceptAll serves each connection on a goroutine of its own, until the listener or the context ends.
func (c *conformServer) acceptAll(ctx context.Context, l *oob.Listener, clients *sync.WaitGroup) error {
	pending := make(chan struct{}, maxPending)
	for {
		select {
		case pending <- struct{}{}:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		conn, err := l.Accept(ctx)
		if err != nil {
			return err
		}
		s := &peerSession{app: c.app, output: &output{console: c.console}, conn: conn}
		clients.Go(func() { c.serveConn(ctx, s, func() { <-pending }) })
	}
}

// serveConn serves a connection: the one that begins the session, or one for a peer process. It calls
// known when it knows which.
func (c *conformServer) serveConn(ctx context.Context, s *peerSession, known func()) {
	release := context.AfterFunc(ctx, func() { s.conn.Abort(reason(context.Cause(ctx))) })
	defer release()
	var hello oob.ConformHello
	err := s.within(ctx, min(proposalLimit, c.agreeLimit), func(context.Context) (err error) {
		hello, err = s.conn.ReceiveConform()
		return err
	})
	known()
	switch {
	case err != nil:
	case hello.Device != nil:
		err = c.serveSession(ctx, s, &hello)
	default:
		err = c.startProcess(s, hello.Session)
	}
	if err != nil {
		s.end(err)
		c.failed.print("client %s: %s", s.conn.RemoteAddr(), shorten(oneLine(err)))
	}
}

// serveSession answers a client that begins a session, and waits for the end of the session.
func (c *conformServer) serveSession(ctx context.Context, s *peerSession, hello *oob.ConformHello) error {
	chosen, err := c.begin(hello, addrOf(s.conn.LocalAddr()))
	a := oob.Answer{Release: ownRelease}
	if err == nil {
		a.Device = identify(chosen.device)
	} else {
		a.Class, a.Refusal = refusal(err)
	}
	failed := s.conn.AnswerConform(&a)
	var busy *busyError
	if errors.As(err, &busy) {
		return err
	}
	if err = errors.Join(err, failed); err == nil {
		s.announce(chosen)
		s.note("client %s: peer processes run on device %s", s.conn.RemoteAddr(), chosen.device.Name())
		err = endSession(ctx, s)
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	select {
	case c.over <- asRemote(err):
	default: // another client's attempt has ended the server
	}
	return nil
}

// endSession returns when the client has ended the session, is gone or has taken too long.
func endSession(ctx context.Context, s *peerSession) error {
	late := fmt.Errorf("client %s has not ended its session within %v", s.conn.RemoteAddr(), sessionLimit)
	ctx, cancel := context.WithTimeoutCause(ctx, sessionLimit, &peerFault{late})
	defer cancel()
	release := context.AfterFunc(ctx, func() { s.conn.Abort(reason(context.Cause(ctx))) })
	defer release()
	err := s.conn.EndConform()
	if err == nil {
		err = s.conn.Close()
	}
	return s.causeOf(ctx, err)
}

// errOtherClient refuses a second client.
var errOtherClient = &busyError{"the server serves one client, and another one is connected"}

// begin begins the session of a client, unless another client has one: it chooses the device for the
// address that the client has reached.
func (c *conformServer) begin(hello *oob.ConformHello, reached netip.Addr) (choice, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session != "" {
		return choice{}, errOtherClient
	}
	own := &c.options.Own
	chosen, err := onlyOne(chooseServer(own, []oob.DeviceID{*hello.Device}, reached))
	if err != nil {
		return chosen, err
	}
	c.target = verbstest.TargetOf(chosen.device)
	c.target.Port, c.target.GIDIndex = chosen.port, own.GIDIndex
	if err := c.target.Resolve(); err != nil {
		return chosen, deviceTrouble(err)
	}
	c.session = hello.Session
	return chosen, nil
}

// startProcess starts a peer process for a connection of the session.
func (c *conformServer) startProcess(s *peerSession, session string) error {
	target, err := c.admitProcess(session)
	if err != nil {
		return err
	}
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.running--
	}()
	return conform.ServePeer(s.conn, target)
}

// admitProcess counts a peer process of a session, or refuses it.
func (c *conformServer) admitProcess(session string) (verbstest.Target, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case session != c.session || session == "":
		return c.target, errOtherClient
	case c.running == maxPeers:
		return c.target, &busyError{fmt.Sprintf("%d peer processes run, which is the limit", maxPeers)}
	case c.started == maxStarted:
		return c.target, &busyError{fmt.Sprintf("%d peer processes were started, which is the limit of a session", maxStarted)}
	}
	c.running++
	c.started++
	return c.target, nil
}
