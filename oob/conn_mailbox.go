package oob

import (
	"fmt"
	"sync"
)

// mailbox holds the payloads that have arrived, in order for each name of an exchange.
type mailbox struct {
	mu     sync.Mutex
	other  Bound  // of exchanges that bounds does not have, as before a plan is agreed
	bounds Bounds // nil: any name is allowed
	most   int    // number of payloads that may wait for their exchanges
	slots  map[string]*slot
}

// slot holds the payloads of exchanges with one name. It exists while it has payloads or is busy.
type slot struct {
	payloads chan []byte // never full: it has room for all payloads of a mailbox
	busy     bool        // an exchange with the name is in progress
}

func (m *mailbox) slot(name string) *slot {
	s := m.slots[name]
	if s == nil {
		s = &slot{payloads: make(chan []byte, maxWaitingOfPeer+1)}
		m.slots[name] = s
	}
	return s
}

// allow sets the bounds of the exchanges from now on.
func (m *mailbox) allow(b Bounds) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.bounds, m.most = b, maxWaitingOfPeer
}

// bound returns the bound of an exchange.
func (m *mailbox) bound(name string) Bound {
	m.mu.Lock()
	defer m.mu.Unlock()
	b, known := m.bounds[name]
	if !known {
		return m.other
	}
	return b
}

// admit returns an error unless there is room for a payload of a size.
func (m *mailbox) admit(name string, payload int64) error {
	b := m.bound(name)
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, known := m.bounds[name]; m.bounds != nil && !known {
		return protocolErrorf("received exchange %q, which is not part of the run", name)
	}
	if err := b.check(name, payload); err != nil {
		return err
	}
	if m.waiting() >= m.most {
		return protocolErrorf("received exchange %q beyond the limit of waiting payloads, %d", name, m.most)
	}
	return nil
}

// waiting returns the number of payloads that no exchange in progress is about to take.
func (m *mailbox) waiting() (n int) {
	for _, s := range m.slots {
		n += len(s.payloads)
		if s.busy && len(s.payloads) > 0 {
			n--
		}
	}
	return n
}

// put adds a payload that was admitted.
func (m *mailbox) put(name string, payload []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.slot(name).payloads <- payload
}

// enter begins an exchange and returns the channel of its payloads.
func (m *mailbox) enter(name string) (<-chan []byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.slot(name)
	if s.busy {
		return nil, fmt.Errorf("exchange %q: another exchange with this name is in progress", name)
	}
	s.busy = true
	return s.payloads, nil
}

// leave ends an exchange.
func (m *mailbox) leave(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.slots[name]
	s.busy = false
	if len(s.payloads) == 0 {
		delete(m.slots, name)
	}
}
