package cli

import (
	"context"
	"crypto/rand"

	"github.com/ibperf/ibperf/internal/conform"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest"
)

// conformSession is a client's session with the server that starts its peer processes.
type conformSession struct {
	conn   *oob.Conn
	server *conform.Server
	peer   *conform.Peer
}

// beginConform begins a session with the server.
func (a *app) beginConform(ctx context.Context, o *options, target verbstest.Target) (*conformSession, error) {
	secret, err := readSecret(o.Own.SecretFile)
	if err != nil {
		return nil, err
	}
	conn, err := dialServer(ctx, o, oob.DialOptions{Timeout: o.Own.ConnectTimeout, Secret: secret, Program: oob.Conform})
	if err != nil {
		return nil, err
	}
	s := &peerSession{app: a, output: &output{console: a.console}, conn: conn}
	id := rand.Text()
	var theirs oob.Answer
	err = s.within(ctx, a.agreeLimit, func(context.Context) error {
		theirs, err = askServer(conn, id, target.Device)
		return err
	})
	if err != nil {
		s.end(err)
		return nil, err
	}
	s.compareReleases(theirs.Release)
	return &conformSession{
		conn:   conn,
		server: &conform.Server{Addr: serverAddress(o), Source: o.Own.Source, Session: id, Secret: secret},
		peer:   &conform.Peer{Address: serverAddress(o), Device: theirs.Device.Name, Release: theirs.Release},
	}, nil
}

// askServer sends the server the session and the device, and returns the server's answer.
func askServer(conn *oob.Conn, session string, d verbs.Device) (oob.Answer, error) {
	device := identify(d)
	a, err := conn.BeginConform(&oob.ConformHello{Release: ownRelease, Session: session, Device: &device})
	if err == nil && a.Refusal != "" {
		err = &oob.PeerError{Peer: conn.RemoteAddr(), Class: a.Class, Reason: a.Refusal, Aborted: true}
	}
	return a, malformed(err)
}

// watch ends the run when the server is gone.
func (s *conformSession) watch(end context.CancelCauseFunc) {
	<-s.conn.Lost()
	end(&peerFault{s.conn.Err()})
}

// end ends the session; why is nil after a complete run.
func (s *conformSession) end(why error) error {
	if why != nil {
		s.conn.Abort(reason(why))
		return nil
	}
	if err := s.conn.EndConform(); err != nil {
		_ = s.conn.Close() // has the same error
		return err
	}
	return s.conn.Close()
}
