package cli

import (
	"slices"
	"sync"

	"github.com/ibperf/ibperf/oob"
)

// maxPending is the number of connections whose proposal has not arrived.
const maxPending = 128

// pendingClients holds the connections whose proposal has not arrived, the oldest first.
type pendingClients struct {
	mu  sync.Mutex
	all []*oob.Conn
}

// add adds a connection. If there are too many, it ends the oldest: clients send their proposals at once, so that one
// that has waited for the longest is the least likely to be a client.
func (p *pendingClients) add(c *oob.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.all) == maxPending {
		p.all[0].Cut(classBusy, "sent no proposal while many others connected")
		p.all = slices.Delete(p.all, 0, 1)
	}
	p.all = append(p.all, c)
}

// remove removes a connection, which may have been removed before.
func (p *pendingClients) remove(c *oob.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all = slices.DeleteFunc(p.all, func(other *oob.Conn) bool { return other == c })
}
