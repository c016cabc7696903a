package message

import "sync/atomic"

// slotBase returns the first word of message k's slot. It makes k the current message.
func (m *Markers) slotBase(k uint64) int {
	if k != m.k {
		m.seek(k)
	}
	return m.base
}

// seek makes message k the current one and polling begin at its first marker.
func (m *Markers) seek(k uint64) {
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
	m.setMarker(0, m.first)
}

// setMarker makes the i-th marker of the current message, at s, the one to poll.
func (m *Markers) setMarker(i int, s spot) {
	m.seen, m.at, m.mask, m.want = i, m.base+s.word, s.mask, s.value(m.k)
}

// Arrived reports whether all markers of message k are in memory. It remembers how many of them it
// has found, so a poll for one message is one load, and one more for each marker found. Once true, it
// remains true only until Arrived is called for the slot's next message, or message k is poisoned.
func (m *Markers) Arrived(k uint64) bool {
	m.Seek(k)
	return m.ArrivedCurrent()
}

// Seek makes message k the current one, whose arrival [Markers.ArrivedCurrent] detects.
func (m *Markers) Seek(k uint64) {
	if k != m.k {
		m.seek(k)
	}
}

// ArrivedCurrent reports whether all markers of the current message are in memory. It is the fast path
// of [Markers.Arrived].
func (m *Markers) ArrivedCurrent() bool {
	return atomic.LoadUint64(&m.words[m.at])&m.mask == m.want && (m.seen+1 == m.n || m.othersArrived())
}

// First returns the word of the current message's first marker, the mask of the marker's bytes, and
// their value once the message has arrived. A poller of many rings keeps the words in one slice.
func (m *Markers) First() (word *uint64, mask, want uint64) {
	return &m.words[m.base+m.first.word], m.first.mask, m.first.value(m.k)
}

// othersArrived reports whether the markers after the polled one are in memory. It stops at the first
// one that is not, which is polled next.
func (m *Markers) othersArrived() bool {
	for i := m.seen + 1; i < m.n; i++ {
		m.setMarker(i, m.spot(i))
		if atomic.LoadUint64(&m.words[m.at])&m.mask != m.want {
			return false
		}
	}
	return true
}
