package message

import "sync/atomic"

// slot returns the first word of message k's slot and remembers it.
func (m *Markers) slot(k uint64) int {
	if k != m.k {
		m.aim(k)
	}
	return m.base
}

// aim turns Arrived to the first marker of message k.
func (m *Markers) aim(k uint64) {
	switch k {
	case m.k:
	case m.k + 1: // spares a division
		m.base += m.slotWords
		if m.base == len(m.words) {
			m.base = 0
		}
	default:
		m.base = int(m.ring.Index(k)) * m.slotWords
	}
	m.k = k
	m.look(0, m.first)
}

// look turns Arrived to the i-th marker of its message, which is at s.
func (m *Markers) look(i int, s spot) {
	m.seen, m.at, m.mask, m.want = i, m.base+s.word, s.mask, s.value(m.k)
}

// Arrived tells whether all markers of message k are there. It remembers how
// many it has seen, so that polling for one message costs one load each time and
// one more for each marker. Once true it may stay true until the slot's next
// message is asked for or the message is poisoned.
func (m *Markers) Arrived(k uint64) bool {
	m.Expect(k)
	return m.Here()
}

// Expect turns [Markers.Here] to message k.
func (m *Markers) Expect(k uint64) {
	if k != m.k {
		m.aim(k)
	}
}

// Here is Arrived for the message that is expected, to be asked again and again.
func (m *Markers) Here() bool {
	return atomic.LoadUint64(&m.words[m.at])&m.mask == m.want && (m.seen+1 == m.n || m.others())
}

// First returns the word of the expected message's first marker, which bytes of it are the
// marker's, and what they are once the message is there. Who looks for messages in many
// rings keeps these side by side.
func (m *Markers) First() (word *uint64, mask, want uint64) {
	return &m.words[m.base+m.first.word], m.first.mask, m.first.value(m.k)
}

// others looks for the markers after the current one.
func (m *Markers) others() bool {
	for i := m.seen + 1; i < m.n; i++ {
		m.look(i, m.spot(i))
		if atomic.LoadUint64(&m.words[m.at])&m.mask != m.want {
			return false
		}
	}
	return true
}

// Again tells whether the slot of message k, whose markers were poisoned after
// message k-slots was consumed, holds any marker of message k-slots once more: a
// second delivery. In the first lap there is no such message. Every marker is
// looked at, so it is a call for runs that verify.
func (m *Markers) Again(k uint64) bool {
	slots := uint64(m.ring.slots)
	if k < slots {
		return false
	}
	base := m.slot(k)
	for i := range m.n {
		s := m.spot(i)
		if atomic.LoadUint64(&m.words[base+s.word])&s.mask == s.value(k-slots) {
			return true
		}
	}
	return false
}
