package oob

import (
	"context"
	"fmt"
	"net"
	"sync"
)

// ClientLimits limits the clients of a server. Clients that may not run yet wait.
type ClientLimits struct {
	All        int // clients that run or wait
	PerAddress int // of these, clients of one IP address
	Running    int // clients that run
}

// A ClientQueue holds the clients that run or wait. When one ends, the client runs that has waited for the longest
// of those whose address has the fewest running clients.
type ClientQueue struct {
	limits ClientLimits

	mu      sync.Mutex
	all     map[string]int  // clients that run or wait, by address
	running map[string]int  // clients that run, by address
	waiting []*QueuedClient // the one that has waited for the longest first
}

// NewClientQueue returns an empty queue.
func NewClientQueue(s ClientLimits) *ClientQueue {
	return &ClientQueue{limits: s, all: map[string]int{}, running: map[string]int{}}
}

// A QueuedClient is a client in a queue.
type QueuedClient struct {
	queue   *ClientQueue
	address string
	turn    chan struct{} // closed when the client may run
	runs    bool
}

// Enter adds a client at an address, host:port. An error says which limit is reached.
func (q *ClientQueue) Enter(hostPort string) (*QueuedClient, error) {
	address, _, err := net.SplitHostPort(hostPort)
	if err != nil {
		address = hostPort
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	switch total := sum(q.all); {
	case total == q.limits.All:
		return nil, fmt.Errorf("%d clients run or wait, which is the limit", total)
	case q.all[address] == q.limits.PerAddress:
		return nil, fmt.Errorf("%d clients of %s run or wait, which is the limit for one address", q.limits.PerAddress, address)
	}
	s := &QueuedClient{queue: q, address: address, turn: make(chan struct{})}
	q.all[address]++
	q.waiting = append(q.waiting, s)
	q.admit()
	return s, nil
}

// Runs reports whether the client may run.
func (c *QueuedClient) Runs() bool {
	c.queue.mu.Lock()
	defer c.queue.mu.Unlock()
	return c.runs
}

// Wait waits until the client may run, or until the context ends, whose cause it returns then.
func (c *QueuedClient) Wait(ctx context.Context) error {
	select {
	case <-c.turn:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Leave removes the client from the queue, once.
func (c *QueuedClient) Leave() {
	q := c.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	decrease(q.all, c.address)
	if c.runs {
		decrease(q.running, c.address)
	} else {
		q.remove(c)
	}
	q.admit()
}

// Running returns the number of clients that run.
func (q *ClientQueue) Running() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return sum(q.running)
}

// admit lets waiting clients run.
func (q *ClientQueue) admit() {
	for len(q.waiting) > 0 && sum(q.running) < q.limits.Running {
		next := q.waiting[0]
		for _, s := range q.waiting {
			if q.running[s.address] < q.running[next.address] {
				next = s
			}
		}
		q.remove(next)
		q.running[next.address]++
		next.runs = true
		close(next.turn)
	}
}

// remove removes a client from those that wait.
func (q *ClientQueue) remove(c *QueuedClient) {
	for i, other := range q.waiting {
		if other == c {
			q.waiting = append(q.waiting[:i], q.waiting[i+1:]...)
			return
		}
	}
}

func sum(counts map[string]int) (n int) {
	for _, c := range counts {
		n += c
	}
	return n
}

func decrease(counts map[string]int, address string) {
	if counts[address]--; counts[address] == 0 {
		delete(counts, address)
	}
}
