package cli

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// crowd is the clients of a server that lasts.
type crowd struct {
	running chan struct{} // full while as many run as may
	busy    *occurrences

	mu     sync.Mutex
	number int // of clients that were run
}

// serve runs what a client wants, and tells how that went.
func (c *crowd) serve(ctx context.Context, s *session) {
	s.voice.client = s.conn.RemoteAddr()
	err := c.run(ctx, s)
	switch {
	case err == nil:
		s.note("done")
	case errors.As(err, new(*busyError)):
		c.busy.tell("client %s: %s", s.voice.client, oneLine(err))
	default:
		s.voice.fail(s.program, unprinted(err))
	}
}

// run runs what a client wants, unless as many run as may.
func (c *crowd) run(ctx context.Context, s *session) error {
	select {
	case c.running <- struct{}{}:
		defer func() { <-c.running }()
	default:
		return s.refuse(&busyError{fmt.Sprintf("the server runs %d clients, as many as it does at a time", maxRunning)})
	}
	s.next = c.next
	return s.serve(ctx)
}

// next numbers clients that are run.
func (c *crowd) next() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.number++
	return c.number
}

// occurrences are told once, and counted.
type occurrences struct {
	console *console
	what    string // of many

	mu    sync.Mutex
	count int
}

// tell tells people of the first one.
func (o *occurrences) tell(format string, args ...any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.count++; o.count == 1 {
		o.console.note(format, args...)
	}
}

// total tells people how many there were, if there were more.
func (o *occurrences) total() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.count > 1 {
		o.console.note("%d %s", o.count, o.what)
	}
}
