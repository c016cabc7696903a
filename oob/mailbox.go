package oob

import (
	"fmt"
	"sync"
)

// maxQueued is how many payloads may wait for this side to reach their steps. A peer that
// keeps to the steps is ahead by at most one in each concurrent exchange.
const maxQueued = 16

// mailbox keeps the payloads that have arrived, in order for each step.
type mailbox struct {
	mu     sync.Mutex
	slots  map[string]*slot
	queued int
}

// slot is one step's part of a mailbox. It exists while it holds payloads or is busy.
type slot struct {
	payloads chan []byte // never full: it has room for all that a mailbox holds
	busy     bool        // an exchange of the step is under way
}

func (m *mailbox) slot(step string) *slot {
	s := m.slots[step]
	if s == nil {
		s = &slot{payloads: make(chan []byte, maxQueued)}
		m.slots[step] = s
	}
	return s
}

// put adds a payload that has arrived.
func (m *mailbox) put(step string, payload []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.queued == maxQueued {
		return protocolErrorf("received step %q while %d payloads wait", step, maxQueued)
	}
	m.queued++
	m.slot(step).payloads <- payload
	return nil
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

// leave ends an exchange, which took its payload or not.
func (m *mailbox) leave(step string, took bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if took {
		m.queued--
	}
	s := m.slots[step]
	s.busy = false
	if len(s.payloads) == 0 {
		delete(m.slots, step)
	}
}
