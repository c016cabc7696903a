package oob

import (
	"fmt"
	"sync"
)

// limits are what a connection takes of its peer.
type limits struct {
	payload int64 // the largest, in bytes
	waiting int   // how many payloads may wait for this side to reach their steps
}

// A peer that keeps to the steps is ahead by at most one payload in each concurrent exchange.
var (
	trusted = limits{MaxPayload, 4}
	// untrusted is for a client that may be anyone: what it can make the server keep is
	// little, and enough to agree on a plan.
	untrusted = limits{64 << 10, 1}
)

// mailbox keeps the payloads that have arrived, in order for each step.
type mailbox struct {
	mu     sync.Mutex
	limits limits
	slots  map[string]*slot
}

// slot is one step's part of a mailbox. It exists while it holds payloads or is busy.
type slot struct {
	payloads chan []byte // never full: it has room for all that a mailbox holds
	busy     bool        // an exchange of the step is under way
}

func (m *mailbox) slot(step string) *slot {
	s := m.slots[step]
	if s == nil {
		s = &slot{payloads: make(chan []byte, trusted.waiting+1)}
		m.slots[step] = s
	}
	return s
}

// allow sets what the peer may send from now on.
func (m *mailbox) allow(l limits) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.limits = l
}

// admit tells whether there is room for a payload that a peer has announced.
func (m *mailbox) admit(step string, payload int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if payload > m.limits.payload {
		return protocolErrorf("received step %q with a payload of %d bytes, the limit is %d until a plan is agreed",
			step, payload, m.limits.payload)
	}
	if m.waiting() >= m.limits.waiting {
		return protocolErrorf("received step %q beyond the limit of waiting payloads, %d", step, m.limits.waiting)
	}
	return nil
}

// waiting returns how many payloads no exchange under way is about to take.
func (m *mailbox) waiting() (n int) {
	for _, s := range m.slots {
		n += len(s.payloads)
		if s.busy && len(s.payloads) > 0 {
			n--
		}
	}
	return n
}

// put adds a payload that was admitted and has arrived.
func (m *mailbox) put(step string, payload []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.slot(step).payloads <- payload
}

// enter begins an exchange of a step and returns where its payload arrives.
func (m *mailbox) enter(step string) (<-chan []byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.slot(step)
	if s.busy {
		return nil, fmt.Errorf("exchange step %q: already under way", step)
	}
	s.busy = true
	return s.payloads, nil
}

// leave ends an exchange.
func (m *mailbox) leave(step string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.slots[step]
	s.busy = false
	if len(s.payloads) == 0 {
		delete(m.slots, step)
	}
}
