package verbstest

import (
	"encoding/json"
	"errors"
	"runtime"
	"syscall"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// message is what the two processes tell each other.
type message struct {
	Role  string       `json:"role,omitempty"`  // the first one: what to be
	Count int          `json:"count,omitempty"` // of whatever the role does
	Far   *farEndpoint `json:"far,omitempty"`
	Data  []byte       `json:"data,omitempty"`
	Error string       `json:"error,omitempty"`
}

// line is how the processes talk beside the device.
type line struct {
	e       *env
	wire    Wire
	decoder *json.Decoder
	encoder *json.Encoder
}

func newLine(e *env, w Wire) *line {
	return &line{e, w, json.NewDecoder(w), json.NewEncoder(w)}
}

func (l *line) tell(m message) {
	l.e.Helper()
	l.e.ok(l.encoder.Encode(m))
}

func (l *line) hear() (m message) {
	l.e.Helper()
	l.e.ok(l.wire.SetReadDeadline(time.Now().Add(patience)))
	if err := l.decoder.Decode(&m); err != nil {
		l.e.Fatalf("the other process says nothing: %v; does its main call verbstest.Child?", err)
	}
	if m.Error != "" {
		l.e.Fatalf("the other process: %s", m.Error)
	}
	return m
}

// process is a peer in a process of its own.
type process struct {
	*line
	peer Peer
}

// process starts a peer in the role, which does something so many times.
func (e *env) process(role string, count int) *process {
	e.Helper()
	start := e.target.Peer
	if start == nil {
		start = func() (Peer, error) { return StartPeer(e.target) }
	}
	peer, err := start()
	if errors.Is(err, syscall.ENOEXEC) {
		e.Skip("binfmt_misc: the kernel starts no programs of " + runtime.GOARCH)
	}
	e.ok(err)
	e.peers.Add(1)
	e.Cleanup(func() {
		peer.Close()
		if said := peer.Said(); e.Failed() && said != "" {
			e.Logf("the other process said:\n%s", said)
		}
	})
	p := &process{newLine(e, peer), peer}
	p.tell(message{Role: role, Count: count})
	return p
}

// kill ends the process without a chance to clean up, and waits for its end.
func (p *process) kill() {
	p.e.Helper()
	p.e.ok(p.peer.Kill())
}

// farEndpoint is a side as the other process has to know it.
type farEndpoint struct {
	GID   verbs.GID `json:"gid"`
	LID   uint16    `json:"lid"`
	QPNum uint32    `json:"qp_num"`
	Addr  uint64    `json:"addr"`
	RKey  uint32    `json:"rkey"`
}

// meet connects the side with the one of the other process, and returns what
// stands for that here: it can be aimed at, and nothing else.
func (s *side) meet(l *line) *side {
	s.Helper()
	mine := farEndpoint{s.gid(s.ctx), s.env.port(s.ctx).LID, s.qp.QPNum(), s.mr.Addr(), s.mr.RKey()}
	l.tell(message{Far: &mine})
	theirs := l.hear().Far
	if theirs == nil {
		s.Fatal("the other process tells no endpoint")
	}
	far := &side{env: s.env, conf: s.conf, ctx: farContext{far: *theirs}, qp: farQP{num: theirs.QPNum}, mr: farMR{far: *theirs}}
	s.enter(verbs.QPRTS, far)
	l.tell(message{})
	l.hear() // it is connected, too
	return far
}

// What stands for objects of the other process.
type (
	farContext struct {
		verbs.Context
		far farEndpoint
	}
	farQP struct {
		verbs.QP
		num uint32
	}
	farMR struct {
		verbs.MR
		far farEndpoint
	}
)

func (c farContext) QueryGID(int, int) (verbs.GIDEntry, error) {
	return verbs.GIDEntry{GID: c.far.GID}, nil
}
func (c farContext) QueryPort(int) (verbs.PortAttr, error) {
	return verbs.PortAttr{LID: c.far.LID}, nil
}
func (q farQP) QPNum() uint32 { return q.num }
func (m farMR) Addr() uint64  { return m.far.Addr }
func (m farMR) RKey() uint32  { return m.far.RKey }
