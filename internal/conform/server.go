package conform

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"time"

	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/verbs/verbstest"
)

// Server is the server that starts a worker's peers.
type Server struct {
	Addr    string `json:"addr"`             // host:port
	Source  string `json:"source,omitempty"` // local address to connect from
	Session string `json:"session"`          // of the run, see oob.ConformHello
	Secret  []byte `json:"secret,omitempty"`
}

// chunk is the largest payload that is forwarded at once. It is within the limit of a connection that
// is not trusted yet.
const chunk = 32 << 10

// dialLimit is the time within which a server must start a peer: it serves this run alone.
const dialLimit = 10 * time.Second

// startPeer asks the server for a peer.
func (s *Server) startPeer() (verbstest.Peer, error) {
	ctx, cancel := context.WithTimeout(context.Background(), dialLimit)
	defer cancel()
	conn, err := oob.Dial(ctx, s.Addr, oob.DialOptions{Timeout: dialLimit, Source: s.Source, Secret: s.Secret, Program: oob.Conform})
	if err != nil {
		return nil, err
	}
	if err := conn.JoinConform(s.Session); err != nil {
		conn.Abort("", "the second process is not needed any more")
		return nil, err
	}
	near, far := net.Pipe()
	p := &remotePeer{Conn: near, conn: conn}
	p.work.Go(func() { sendAll(conn, oob.ConformToPeer, far) })
	p.work.Go(func() { receiveAll(conn, oob.ConformFromPeer, far); far.Close() })
	return p, nil
}

// sendAll forwards a stream to the other side, until its end.
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

// receiveAll writes the stream that the other side forwards, until its end.
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
	printed  string
}

// Kill asks the server to kill the process.
func (p *remotePeer) Kill() error {
	if p.killed {
		return nil
	}
	if _, err := p.conn.Exchange(oob.ConformKill, nil); err != nil {
		return err
	}
	printed, err := p.conn.Exchange(oob.ConformKilled, nil)
	p.killed, p.printed = err == nil, string(printed)
	return err
}

// Close ends the process and the connection.
func (p *remotePeer) Close() error {
	err := p.Kill()
	p.Conn.Close()
	err = errors.Join(err, p.conn.Close())
	p.work.Wait()
	return err
}

// Output returns what the process has printed.
func (p *remotePeer) Output() string { return p.printed }

// peerLimit is the time limit of a peer, which takes part in one statement.
const peerLimit = Limit + time.Minute

// ServePeer starts a peer on the target and forwards its streams to a client, until the client kills
// the peer or is gone, or the peer has run for too long.
func ServePeer(conn *oob.Conn, target verbstest.Target) error {
	peer, err := verbstest.StartPeer(target)
	if err != nil {
		err = fmt.Errorf("start a second process: %w", err)
		conn.Abort("", err.Error())
		return err
	}
	late := time.AfterFunc(peerLimit, func() { conn.Abort("", fmt.Sprintf("the second process ran for %v", peerLimit)) })
	defer late.Stop()
	conn.Trust(nil)
	if err := conn.AnswerConform(nil); err != nil {
		return errors.Join(err, peer.Close())
	}
	var work sync.WaitGroup
	work.Go(func() { receiveAll(conn, oob.ConformToPeer, peer) })
	work.Go(func() { sendAll(conn, oob.ConformFromPeer, peer) })
	_, lost := conn.Exchange(oob.ConformKill, nil)
	err = peer.Close()
	if lost == nil {
		_, lost = conn.Exchange(oob.ConformKilled, []byte(peer.Output()))
	}
	if lost == nil {
		lost = conn.Close()
	}
	work.Wait()
	return errors.Join(err, lost)
}
