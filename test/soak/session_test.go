package soak

import (
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// contexts holds the opened devices of a process.
type contexts struct {
	sync.Mutex
	kept map[string]verbs.Context
}

// get returns an opened device, or with plan.fresh a new one, which is closed with the side.
func (c *contexts) get(s *side) (verbs.Context, error) {
	if s.fresh {
		ctx, err := openDevice(s.device)
		return own(s, ctx, err)
	}
	c.Lock()
	defer c.Unlock()
	if ctx := c.kept[s.device]; ctx != nil {
		return ctx, nil
	}
	ctx, err := openDevice(s.device)
	if err == nil {
		c.kept[s.device] = ctx
	}
	return ctx, err
}

func openDevice(name string) (verbs.Context, error) {
	device, err := verbs.Lookup(name)
	if err != nil {
		return nil, err
	}
	ctx, err := device.Open()
	if err == nil {
		go acknowledge(ctx)
	}
	return ctx, err
}

// acknowledge acknowledges asynchronous events until the context is closed: Close of an object
// waits until its events are acknowledged.
func acknowledge(ctx verbs.Context) {
	for {
		event, err := ctx.GetAsyncEvent(100 * time.Millisecond)
		switch {
		case err == nil:
			ctx.AckAsyncEvent(event)
		case !errors.Is(err, verbs.ErrTimeout):
			return
		}
	}
}

// lead makes a session of the seed over the connection, as the side that asks for it.
func requestSession(conn net.Conn, seed uint64, c *contexts) error {
	l := newLine(conn)
	defer l.close()
	if err := l.tell(controlMessage{Step: "plan", Seed: seed}); err != nil {
		return err
	}
	return session(l, 0, seed, c)
}

// follow makes the session that the other side asks for.
func acceptSession(conn net.Conn, c *contexts) {
	l := newLine(conn)
	defer l.close()
	if m, err := l.hear("plan"); err == nil {
		session(l, 1, m.Seed, c) // sends its error to the other side
	}
}

// session runs one side of a session, from opening to closing.
func session(l *line, role int, seed uint64, c *contexts) error {
	p := planOf(seed)
	s := &side{plan: p, layout: p.layout(), role: role}
	err := s.open(c)
	if err == nil {
		err = s.meet(l)
	}
	if err == nil {
		err = newWork(s, l).run()
	}
	if closed := s.close(); closed != nil {
		err = errors.Join(err, fmt.Errorf("closing: %w", closed))
	}
	last := controlMessage{Step: "closed"}
	if err != nil {
		err = fmt.Errorf("side %d: %w", role, err)
		last.Error, last.Hang = err.Error(), errors.Is(err, errHang)
	}
	if lost := l.tell(last); err == nil && lost != nil {
		return l.last()
	}
	if err != nil {
		return err
	}
	_, err = l.hear("closed") // closing a socket with unread data would discard what this side has sent
	return err
}
