package cli

import (
	"sync"

	"github.com/ibperf/ibperf/oob"
)

// clientSlot is the slot of the one client that a server serves.
type clientSlot struct {
	next chan *peerSession // the client's next run

	mu     sync.Mutex
	taken  bool
	series string // ID of the series that has the slot; empty: none

	awaited string // ID of the series that the slot is for; empty: any; immutable
}

// take hands over a client's run, or refuses it if another client has the slot.
func (c *clientSlot) take(s *peerSession) {
	if !c.reserve(s.series) {
		_ = s.refuse(errOtherClient) // which ends the session
		return
	}
	c.next <- s
}

// reserve reports whether a run of a series has the slot now: it takes a free slot, and fails if another
// client has the slot. A run by itself has no series.
func (c *clientSlot) reserve(s *oob.Series) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.taken || c.series != "" && (s == nil || s.ID != c.series) {
		return false
	}
	c.taken = true
	if s != nil {
		c.series = s.ID
	}
	return true
}

// forget frees the slot after a client was refused; with all it also forgets the series of that client.
func (c *clientSlot) forget(all bool) {
	c.free()
	c.mu.Lock()
	defer c.mu.Unlock()
	if all {
		c.series = c.awaited
	}
}

// free frees the slot for the next run of the series.
func (c *clientSlot) free() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.taken = false
}
