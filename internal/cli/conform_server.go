package cli

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"

	"github.com/ibperf/ibperf/internal/conform"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest"
)

// stepEnd is the last of a session: the client says what came of it.
const stepEnd = "end"

// peerSession is a client's connection with the server that starts its peers.
type peerSession struct {
	conn   *oob.Conn
	server *conform.Server
	peer   *conform.Peer
}

// conformAnswer is what a server answers to a client.
type conformAnswer struct {
	Release string   `json:"release"`
	Device  deviceID `json:"device"`
	Class   string   `json:"class,omitempty"` // of a refusal, as [refusal] tells it
	Refusal string   `json:"refusal,omitempty"`
}

// meetServer begins a session with the server.
func (a *app) meetServer(ctx context.Context, o *options, target verbstest.Target) (*peerSession, error) {
	secret, err := readSecret(o.Own.SecretFile)
	if err != nil {
		return nil, err
	}
	addr := net.JoinHostPort(o.host, strconv.Itoa(o.Own.Port))
	conn, err := oob.Dial(ctx, addr, oob.DialOptions{Timeout: o.Own.ConnectTimeout, Secret: secret, Source: o.Own.Source})
	if err != nil {
		return nil, &peerFault{err}
	}
	s := &session{app: a, voice: &voice{console: a.console}, conn: conn}
	session := rand.Text()
	var theirs conformAnswer
	err = s.within(ctx, a.patience, func(context.Context) error {
		theirs, err = askServer(conn, session, target.Device)
		return err
	})
	if err != nil {
		s.tell(err)
		return nil, err
	}
	s.compareReleases(theirs.Release)
	return &peerSession{
		conn:   conn,
		server: &conform.Server{Addr: addr, Source: o.Own.Source, Session: session, Secret: secret},
		peer:   &conform.Peer{Address: addr, Device: theirs.Device.Name, Release: theirs.Release},
	}, nil
}

// askServer tells the server of the session and the device, and returns its answer.
func askServer(conn *oob.Conn, session string, d verbs.Device) (a conformAnswer, err error) {
	device, err := json.Marshal(identify(d))
	if err != nil {
		return a, err
	}
	mine, err := json.Marshal(conform.Hello{Release: ownRelease, Session: session, Device: device})
	if err != nil {
		return a, err
	}
	if _, err := conn.Exchange(conform.StepHello, mine); err != nil {
		return a, err
	}
	data, err := conn.Exchange(conform.StepAnswer, nil)
	if err != nil {
		return a, err
	}
	if err := oob.Decode(data, &a); err != nil {
		return a, &peerFault{fmt.Errorf("read the server's answer: %w", err)}
	}
	if a.Refusal != "" {
		return a, &oob.PeerError{Peer: conn.RemoteAddr(), Class: a.Class, Reason: shorten(a.Refusal), Aborted: true}
	}
	return a, checkNames("the server's answer", a.Release, a.Device.Name, a.Device.Backend)
}

// watch ends the run when the server is gone.
func (s *peerSession) watch(end context.CancelCauseFunc) {
	<-s.conn.Lost()
	end(&peerFault{s.conn.Err()})
}

// leave tells the server that the run is over.
func (s *peerSession) leave(why error) error {
	if why != nil {
		s.conn.Abort(reason(why))
		return nil
	}
	_, err := s.conn.Exchange(stepEnd, nil)
	return errors.Join(err, s.conn.Close())
}

// peerServer starts peers for one client.
type peerServer struct {
	*app
	options *options

	mu      sync.Mutex
	session string // of the client; empty: none has come
	target  verbstest.Target
	over    chan error // of the session
}

// servePeers serves one client.
func (a *app) servePeers(ctx context.Context, o *options) error {
	if err := errors.Join(checkNamed(o), readyFile(o.Own.ReadyFile).check()); err != nil {
		return err
	}
	return a.listen(o, func(l *oob.Listener) error {
		a.console.note("this side starts second processes for a client; --loopback runs the statements without one")
		return (&peerServer{app: a, options: o, over: make(chan error, 1)}).serve(ctx, l)
	})
}

// serve takes clients until the session is over.
func (p *peerServer) serve(ctx context.Context, l *oob.Listener) (err error) {
	ctx, stop := context.WithCancelCause(ctx)
	var clients sync.WaitGroup
	defer clients.Wait()
	defer stop(nil)
	came, ended := make(chan *oob.Conn), make(chan error, 1)
	clients.Go(func() {
		for {
			conn, err := l.Accept(ctx)
			if err != nil {
				ended <- err
				return
			}
			select {
			case came <- conn:
			case <-ctx.Done():
				conn.Abort(reason(context.Cause(ctx)))
			}
		}
	})
	for {
		select {
		case conn := <-came:
			s := &session{app: p.app, voice: &voice{console: p.console}, conn: conn}
			clients.Go(func() { p.client(ctx, s) })
		case err := <-p.over:
			return err
		case err := <-ended:
			return err
		}
	}
}

// client serves a connection: the session, or one that wants a peer.
func (p *peerServer) client(ctx context.Context, s *session) {
	release := context.AfterFunc(ctx, func() { s.conn.Abort(reason(context.Cause(ctx))) })
	defer release()
	var hello conform.Hello
	err := s.within(ctx, min(hearLimit, p.patience), func(context.Context) error {
		data, err := s.conn.Exchange(conform.StepHello, nil)
		if err == nil {
			err = oob.Decode(data, &hello)
		}
		return err
	})
	switch {
	case err != nil:
	case hello.Device != nil:
		err = p.hold(ctx, s, &hello)
	default:
		err = p.givePeer(s, hello.Session)
	}
	if err != nil {
		s.tell(err)
		s.note("client %s: %s", s.conn.RemoteAddr(), shorten(oneLine(err)))
	}
}

// hold answers a client that begins a session, and waits for its end.
func (p *peerServer) hold(ctx context.Context, s *session, hello *conform.Hello) error {
	chosen, err := p.take(hello, hostOf(s.conn.RemoteAddr()))
	a := conformAnswer{Release: ownRelease}
	if err == nil {
		a.Device = identify(chosen.device)
	} else {
		a.Class, a.Refusal = refusal(err)
	}
	mine, failed := json.Marshal(a)
	if failed == nil {
		_, failed = s.conn.Exchange(conform.StepAnswer, mine)
	}
	var busy *busyError
	if errors.As(err, &busy) {
		return err
	}
	if err = errors.Join(err, failed); err == nil {
		s.announce(chosen)
		s.note("client %s: second processes run on device %s", s.conn.RemoteAddr(), chosen.device.Name())
		if _, err = s.conn.Exchange(stepEnd, nil); err == nil {
			err = s.conn.Close()
		}
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	p.over <- heard(err)
	return nil
}

// take begins the session of a client at a host, unless another one has begun: it chooses the
// device that goes with the client's.
func (p *peerServer) take(hello *conform.Hello, host string) (choice, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.session != "" {
		return choice{}, &busyError{"the server serves one client, another one"}
	}
	var client deviceID
	if err := oob.Decode(hello.Device, &client); err != nil {
		return choice{}, &peerFault{fmt.Errorf("read the client's device: %w", err)}
	}
	if err := checkNames("the client's device", client.Name, client.Backend); err != nil {
		return choice{}, err
	}
	own := &p.options.Own
	c, err := chooseServer(own, client, host)
	if err != nil {
		return c, err
	}
	p.target = verbstest.TargetOf(c.device)
	p.target.Port, p.target.GIDIndex = own.IBPort, own.GIDIndex
	if err := p.target.Resolve(); err != nil {
		return c, deviceTrouble(err)
	}
	p.session = hello.Session
	return c, nil
}

// givePeer starts a peer for a connection of the session.
func (p *peerServer) givePeer(s *session, session string) error {
	p.mu.Lock()
	target, known := p.target, p.session != "" && session == p.session
	p.mu.Unlock()
	if !known {
		return &busyError{"the server serves one client, another one"}
	}
	return conform.ServePeer(s.conn, target)
}
