package verbstest

import (
	"encoding/json"
	"errors"
	"io"
	"time"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

// message is a message between the two processes of a statement. Programs of different releases send
// it to each other, so its JSON names stay.
type message struct {
	Role   string          `json:"role,omitempty"`  // of the first message: the peer's role
	Count  int             `json:"count,omitempty"` // repetitions
	Remote *remoteEndpoint `json:"far,omitempty"`
	Data   []byte          `json:"data,omitempty"`
	Error  string          `json:"error,omitempty"`
}

// peerConn is the connection to the other process, apart from the device.
type peerConn struct {
	e       *env
	wire    Wire
	decoder *json.Decoder
	encoder *json.Encoder
}

// maxPeerBytes is the number of bytes that a process reads from the other one at most. Those of a
// statement are a few KiB.
const maxPeerBytes = 1 << 20

func newPeerConn(e *env, w Wire) *peerConn {
	return &peerConn{e, w, json.NewDecoder(io.LimitReader(w, maxPeerBytes)), json.NewEncoder(w)}
}

func (l *peerConn) send(m message) {
	l.e.Helper()
	l.e.ok(l.encoder.Encode(m))
}

func (l *peerConn) receive() (m message) {
	l.e.Helper()
	l.e.ok(l.wire.SetReadDeadline(time.Now().Add(fixture.WaitTimeout)))
	if err := l.decoder.Decode(&m); err != nil {
		l.e.Fatalf("no message from the other process: %v; does its main call verbstest.Child?", err)
	}
	if m.Error != "" {
		l.e.Fatalf("the other process: %s", m.Error)
	}
	return m
}

// process is a peer process, with the connection to it.
type process struct {
	*peerConn
	peer Peer
}

// process starts a peer in the role, which repeats its work count times.
func (e *env) process(role string, count int) *process {
	e.Helper()
	start := e.target.Peer
	if start == nil {
		start = func() (Peer, error) { return StartPeer(e.target) }
	}
	peer, err := start()
	if errors.Is(err, errNoPeer) {
		e.Skip(errNoPeer.Error())
	}
	e.ok(err)
	e.peers.Add(1)
	e.Cleanup(func() {
		peer.Close()
		if output := peer.Output(); e.Failed() && output != "" {
			e.Logf("output of the other process:\n%s", output)
		}
	})
	p := &process{newPeerConn(e, peer), peer}
	p.send(message{Role: role, Count: count})
	return p
}

// kill kills the process and waits for its end.
func (p *process) kill() {
	p.e.Helper()
	p.e.ok(p.peer.Kill())
}

// remoteEndpoint holds the addresses and keys of a side for the other process.
type remoteEndpoint struct {
	GID   verbs.GID `json:"gid"`
	LID   uint16    `json:"lid"`
	QPNum uint32    `json:"qp_num"`
	Addr  uint64    `json:"addr"`
	RKey  uint32    `json:"rkey"`
}

// connectRemote connects the side with the side of the other process. It returns a side that can be
// the destination of requests, but not be used otherwise.
func (s *side) connectRemote(l *peerConn) *side {
	s.Helper()
	mine := remoteEndpoint{s.gid(s.Ctx), s.env.port(s.Ctx).LID, s.QP.QPNum(), s.MR.Addr(), s.MR.RKey()}
	l.send(message{Remote: &mine})
	theirs := l.receive().Remote
	if theirs == nil {
		s.Fatal("the other process sent no endpoint")
	}
	far := &side{s.env, fixture.Side{
		T: s, Config: s.Config, Ctx: remoteContext{endpoint: *theirs}, QP: remoteQP{num: theirs.QPNum}, MR: remoteMR{endpoint: *theirs},
	}}
	s.Enter(verbs.QPRTS, far)
	l.send(message{})
	l.receive() // the other side is connected too
	return far
}

// Objects of the other process, with only the methods that a destination needs.
type (
	remoteContext struct {
		verbs.Context
		endpoint remoteEndpoint
	}
	remoteQP struct {
		verbs.QP
		num uint32
	}
	remoteMR struct {
		verbs.MR
		endpoint remoteEndpoint
	}
)

func (c remoteContext) QueryGID(int, int) (verbs.GIDEntry, error) {
	return verbs.GIDEntry{GID: c.endpoint.GID}, nil
}
func (c remoteContext) QueryPort(int) (verbs.PortAttr, error) {
	return verbs.PortAttr{LID: c.endpoint.LID}, nil
}
func (q remoteQP) QPNum() uint32 { return q.num }
func (m remoteMR) Addr() uint64  { return m.endpoint.Addr }
func (m remoteMR) RKey() uint32  { return m.endpoint.RKey }
