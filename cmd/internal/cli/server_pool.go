package cli

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ibperf/ibperf/oob"
)

// Limits of a persistent server's clients.
const (
	maxClients = 320              // clients that run or wait
	minRunning = 4                // clients that may run at once, on any machine
	queueLimit = 10 * time.Minute // longest time for which a client waits
)

// spinningThreads returns the number of threads that may spin at once on this machine: they need a CPU each.
func spinningThreads() int { return max(minRunning, runtime.NumCPU()) }

// clientLimits returns the limits on this machine. Three quarters of all clients may be of one address.
func clientLimits() oob.ClientLimits {
	return oob.ClientLimits{All: maxClients, PerAddress: maxClients * 3 / 4, Running: spinningThreads()}
}

// clientPool limits and numbers the clients of a persistent server.
type clientPool struct {
	queue       *oob.ClientQueue
	busy        *countedMessage
	interrupted atomic.Bool // whether the end of the context ended a client's run

	mu     sync.Mutex
	number int // of clients that have run
}

// serve runs a client's proposal and prints the outcome.
func (c *clientPool) serve(ctx context.Context, s *peerSession) {
	s.output.client = s.channel().RemoteAddr()
	err := c.run(ctx, s)
	if err != nil && ctx.Err() != nil {
		c.interrupted.Store(true)
	}
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

// run runs a client's proposal, at once or when other clients have ended.
func (c *clientPool) run(ctx context.Context, s *peerSession) error {
	client, err := c.queue.Enter(s.channel().RemoteAddr())
	if err != nil {
		return s.refuse(&busyError{"server busy: " + err.Error()})
	}
	defer client.Leave()
	if !client.Runs() {
		if err := c.await(ctx, s, client); err != nil {
			return err
		}
	}
	s.next = c.next
	return s.serve(ctx)
}

// await lets a client wait until it may run. perftest, which has no message for that, finds a slow server.
func (c *clientPool) await(ctx context.Context, s *peerSession, client *oob.QueuedClient) error {
	if s.perftest == nil {
		wait := oob.Answer{Wait: fmt.Sprintf("the server runs %d other clients", c.queue.Running())}
		err := s.within(ctx, proposalLimit, func(context.Context) error { return s.conn.SendAnswer(&wait) })
		if err != nil {
			s.end(err)
			return err
		}
	}
	late := &busyError{fmt.Sprintf("server busy: other clients ran for %v", queueLimit)}
	limited, cancel := context.WithTimeoutCause(ctx, queueLimit, late)
	defer cancel()
	limited, stop := withPeer(limited, s.peer())
	defer stop()
	err := client.Wait(limited)
	switch {
	case err == nil:
		return nil
	case err == error(late):
		return s.refuse(late)
	}
	s.end(err)
	return asRemote(err)
}

// withPeer returns a context that ends when the peer is lost, or stop is called.
func withPeer(ctx context.Context, p oob.Peer) (limited context.Context, stop func()) {
	limited, end := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-p.Lost():
			end(p.Err())
		case <-limited.Done():
		}
	}()
	return limited, func() { end(nil) }
}

// next returns the number of the next client that runs.
func (c *clientPool) next() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.number++
	return c.number
}
