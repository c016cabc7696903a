package coordinator

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/ibperf/ibperf/oob"
)

// member is the agent of a node: of a rank, or of one of several devices of a rank.
type member struct {
	node     int
	place    string // the rank, and the rail of several ones
	name     string
	group    string // as the launcher says; empty: not known
	conn     *oob.Conn
	device   oob.DeviceID
	unusable string // why it has no device; empty: it has one
	lost     error  // why the agent is lost
}

func (m *member) String() string { return fmt.Sprintf("rank %s (%s)", m.place, m.name) }

// gathering waits for the agents.
type gathering struct {
	*Config
	mu      sync.Mutex
	members []*member
	joined  int
	over    bool
	all     chan struct{} // closed when all have joined
}

// gather returns the agents that join within the time, by node. Further ones are refused as long as the context and the
// listener live.
func gather(ctx context.Context, l *oob.Listener, c *Config) ([]*member, error) {
	g := &gathering{Config: c, members: make([]*member, c.Nodes()), all: make(chan struct{})}
	ended := make(chan error, 1)
	go func() {
		for {
			conn, err := l.Accept(ctx)
			if err != nil {
				ended <- err
				return
			}
			go g.meet(conn)
		}
	}()
	timer := time.NewTimer(c.Wait)
	defer timer.Stop()
	select {
	case <-g.all:
	case <-timer.C:
	case err := <-ended:
		return nil, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.over = true
	for node, m := range g.members {
		if m == nil {
			c.Note("rank %s did not appear within %v and is left out", c.Place(node), c.Wait)
		}
	}
	return g.members, nil
}

// helloLimit is the time within which an agent that is connected must send its hello.
const helloLimit = 5 * time.Second

// meet admits an agent, or refuses it.
func (g *gathering) meet(conn *oob.Conn) {
	late := time.AfterFunc(helloLimit, func() { conn.Cut("", fmt.Sprintf("there was no hello within %v", helloLimit)) })
	hello, err := conn.ReceiveAgent()
	late.Stop()
	if err != nil {
		conn.Cut("", err.Error())
		return
	}
	conn.Trust(oob.ClusterBounds(g.Limit))
	node := hello.Rank*g.Rails + hello.Rail
	m := &member{node: node, place: g.Place(node), name: hello.Node, group: hello.Group, conn: conn}
	if err := g.admit(m, &hello); err != nil {
		_ = conn.AnswerAgent(&oob.ClusterWelcome{Refusal: err.Error()})
		_ = conn.Close()
		return
	}
	if conn.AnswerAgent(&oob.ClusterWelcome{}) != nil {
		g.forget(m)
		return
	}
	if hello.Release != g.Release {
		g.Note("%v has ibperf %s, rank 0 %s", m, hello.Release, g.Release)
	}
	g.count()
}

// admit takes an agent of this job, the first one of its node.
func (g *gathering) admit(m *member, h *oob.ClusterHello) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case h.Job != g.Job:
		return fmt.Errorf("this is rank 0 of job %q, and the agent is of job %q: give each job its own -p", g.Job, h.Job)
	case h.Ranks != g.Ranks || h.Rank < 0 || h.Rank >= g.Ranks:
		return fmt.Errorf("rank 0 has %d ranks, and the agent is rank %d of %d", g.Ranks, h.Rank, h.Ranks)
	case h.Rails != g.Rails || h.Rail < 0 || h.Rail >= g.Rails:
		return fmt.Errorf("-d of rank 0 names %d of its devices, and that of rank %d %d: give all ranks the same number", g.Rails, h.Rank, h.Rails)
	case g.over:
		return errors.New("the run has begun without this rank")
	}
	if old := g.members[m.node]; old != nil && old.conn.Err() == nil {
		return fmt.Errorf("rank %s has joined already", m.place)
	}
	g.members[m.node] = m
	return nil
}

// count counts an agent that was admitted and has its answer.
func (g *gathering) count() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.joined++; g.joined == g.Nodes() {
		close(g.all)
	}
}

// forget removes an agent that was lost before its answer.
func (g *gathering) forget(m *member) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.members[m.node] == m && !g.over {
		g.members[m.node] = nil
	}
}

// ask gives an agent a task and returns the outcome. An error says that the agent is lost.
func (r *run) ask(m *member, task oob.ClusterTask) (oob.ClusterOutcome, error) {
	if m.lost != nil {
		return oob.ClusterOutcome{}, m.lost
	}
	err := m.conn.SendTask(&task)
	var o oob.ClusterOutcome
	if err == nil {
		o, err = m.conn.ReceiveOutcome()
	}
	if err != nil {
		m.lost = err
		m.conn.Cut("", err.Error())
		r.Note("%v is lost: %v", m, err)
	}
	return o, err
}

// dismiss ends the agents, in order or with the reason of an early end.
func (r *run) dismiss(why error) {
	var all sync.WaitGroup
	for _, m := range r.members {
		if m == nil || m.conn.Err() != nil {
			continue
		}
		all.Go(func() {
			if why != nil || m.conn.SendTask(&oob.ClusterTask{Kind: oob.TaskEnd}) != nil {
				m.conn.Abort("over", fmt.Sprint(why))
			}
			_ = m.conn.Close()
		})
	}
	all.Wait()
}
