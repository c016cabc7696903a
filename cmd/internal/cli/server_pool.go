package cli

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// maxRunning is the number of clients of a persistent server that run.
const maxRunning = 64

// clientPool limits and numbers the clients of a persistent server.
type clientPool struct {
	running chan struct{} // an entry for each client that runs; full at maxRunning
	busy    *countedMessage

	mu     sync.Mutex
	number int // of clients that have run
}

// serve runs a client's proposal and prints the outcome.
func (c *clientPool) serve(ctx context.Context, s *peerSession) {
	s.output.client = s.channel().RemoteAddr()
	err := c.run(ctx, s)
	switch {
	case err == nil && s.series.Repeats():
	case err == nil:
		s.note("done")
	case errors.As(err, new(*busyError)):
		c.busy.print("client %s: %s", s.output.client, oneLine(err))
	default:
		s.output.fail(s.program, unprinted(err))
	}
}

// run runs a client's proposal, unless maxRunning clients run already.
func (c *clientPool) run(ctx context.Context, s *peerSession) error {
	select {
	case c.running <- struct{}{}:
		defer func() { <-c.running }()
	default:
		return s.refuse(&busyError{fmt.Sprintf("server busy: %d concurrent clients is the limit", maxRunning)})
	}
	s.next = c.next
	return s.serve(ctx)
}

// next returns the number of the next client that runs.
func (c *clientPool) next() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.number++
	return c.number
}
