package soak

import (
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// contexts are those that a process keeps open, one of each device.
type contexts struct {
	sync.Mutex
	kept map[string]verbs.Context
}

// get returns a kept context, or a new one that is closed with the side.
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

// acknowledge takes asynchronous events until the context is closed: objects that they
// are about close after that only.
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
func lead(conn net.Conn, seed uint64, c *contexts) error {
	l := newLine(conn)
	defer l.close()
	if err := l.tell(told{Step: "plan", Seed: seed}); err != nil {
		return err
	}
	return session(l, 0, seed, c)
}

// follow makes the session that the other side asks for.
func follow(conn net.Conn, c *contexts) {
	l := newLine(conn)
	defer l.close()
	if m, err := l.hear("plan"); err == nil {
		session(l, 1, m.Seed, c) // which tells the other side
	}
}

// session is one side of it, from opening to closing.
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
	last := told{Step: "closed"}
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
	_, err = l.hear("closed") // unread, it would take what was told with it
	return err
}
