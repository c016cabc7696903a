package conform

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"time"

	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/verbs/verbstest"
)

// Server is where a worker gets its peers.
type Server struct {
	Addr    string `json:"addr"`             // host:port
	Source  string `json:"source,omitempty"` // local address to connect from
	Session string `json:"session"`          // of the client that the server works with
	Secret  []byte `json:"secret,omitempty"`
}

// StepHello is the first thing that a client tells a server: a session that it begins, or the
// one that it wants a peer for. The server answers in [StepAnswer], with nothing if it is a peer.
const (
	StepHello  = "conform"
	StepAnswer = "conform-answer"
)

// Hello is what a client tells. A peer's hello has the session alone.
type Hello struct {
	Release string          `json:"release,omitempty"`
	Session string          `json:"session"`
	Device  json.RawMessage `json:"device,omitempty"` // what the server must know of it
}

// The steps of a connection for a peer. What goes to the peer and comes from it is numbered.
const (
	stepTo     = "to-peer-"
	stepFrom   = "from-peer-"
	stepKill   = "kill"
	stepKilled = "killed" // with what the process has printed
)

// chunk is the most that is passed on at once, which a listener takes from a client that it
// does not trust yet.
const chunk = 32 << 10

// dialLimit is how long a server may take to give a peer: it serves this run alone.
const dialLimit = 10 * time.Second

// startPeer gets a peer from the server.
func (s *Server) startPeer() (verbstest.Peer, error) {
	ctx, cancel := context.WithTimeout(context.Background(), dialLimit)
	defer cancel()
	conn, err := oob.Dial(ctx, s.Addr, oob.DialOptions{Timeout: dialLimit, Source: s.Source, Secret: s.Secret})
	if err != nil {
		return nil, err
	}
	hello, err := json.Marshal(Hello{Session: s.Session})
	if err == nil {
		_, err = conn.Exchange(StepHello, hello)
	}
	if err == nil {
		_, err = conn.Exchange(StepAnswer, nil)
	}
	if err != nil {
		conn.Abort("", "the second process is not wanted any more")
		return nil, err
	}
	near, far := net.Pipe()
	p := &remotePeer{Conn: near, conn: conn}
	p.work.Go(func() { sendAll(conn, stepTo, far) })
	p.work.Go(func() { receiveAll(conn, stepFrom, far); far.Close() })
	return p, nil
}

// sendAll passes on what comes from a stream, until its end, which is told too.
func sendAll(conn *oob.Conn, step string, from interface{ Read([]byte) (int, error) }) {
	b := make([]byte, chunk)
	for i := 0; ; i++ {
		n, err := from.Read(b)
		if err != nil {
			n = 0
		}
		if _, lost := conn.Exchange(step+strconv.Itoa(i), b[:n]); lost != nil || err != nil {
			return
		}
	}
}

// receiveAll passes on what the other end sends of a stream, until its end.
func receiveAll(conn *oob.Conn, step string, to interface{ Write([]byte) (int, error) }) {
	for i := 0; ; i++ {
		b, err := conn.Exchange(step+strconv.Itoa(i), nil)
		if err != nil || len(b) == 0 {
			return
		}
		if _, err := to.Write(b); err != nil {
			return
		}
	}
}

// remotePeer is a process that the server has started.
type remotePeer struct {
	net.Conn // to the process
	conn     *oob.Conn
	work     sync.WaitGroup
	killed   bool
	said     string
}

// Kill lets the server kill the process.
func (p *remotePeer) Kill() error {
	if p.killed {
		return nil
	}
	if _, err := p.conn.Exchange(stepKill, nil); err != nil {
		return err
	}
	said, err := p.conn.Exchange(stepKilled, nil)
	p.killed, p.said = err == nil, string(said)
	return err
}

// Close ends process and connection.
func (p *remotePeer) Close() error {
	err := p.Kill()
	p.Conn.Close()
	err = errors.Join(err, p.conn.Close())
	p.work.Wait()
	return err
}

// Said returns what the process has printed.
func (p *remotePeer) Said() string { return p.said }

// ServePeer starts a peer on the target and connects it with a client that wants one, until
// the client kills it or is gone.
func ServePeer(conn *oob.Conn, target verbstest.Target) error {
	peer, err := verbstest.StartPeer(target)
	if err != nil {
		err = fmt.Errorf("start a second process: %w", err)
		conn.Abort("", err.Error())
		return err
	}
	conn.Trust()
	if _, err := conn.Exchange(StepAnswer, nil); err != nil {
		return errors.Join(err, peer.Close())
	}
	var work sync.WaitGroup
	work.Go(func() { receiveAll(conn, stepTo, peer) })
	work.Go(func() { sendAll(conn, stepFrom, peer) })
	_, lost := conn.Exchange(stepKill, nil)
	err = peer.Close()
	if lost == nil {
		_, lost = conn.Exchange(stepKilled, []byte(peer.Said()))
	}
	if lost == nil {
		lost = conn.Close()
	}
	work.Wait()
	return errors.Join(err, lost)
}
