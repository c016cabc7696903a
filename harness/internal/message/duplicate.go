package message

import "sync/atomic"

// poison is the bit of a marker's lowest byte that [Markers.Poison] flips. The result is neither the
// marker itself nor that of the slot's next message: the lowest bytes of those differ by the odd
// number of slots.
const poison = 0x80

// Redelivered reports whether message k-slots was delivered to its slot a second time: any of its
// markers, which were poisoned after it was consumed, is in memory again. Message k is the next one
// of that slot. In the first pass over the ring there is no earlier message. Redelivered loads every
// marker, so it is for runs with --verify.
func (m *Markers) Redelivered(k uint64) bool {
	slots := uint64(m.ring.slots)
	if k < slots {
		return false
	}
	base := m.slotBase(k)
	for i := range m.n {
		s := m.spot(i)
		if atomic.LoadUint64(&m.words[base+s.word])&s.mask == s.value(k-slots) {
			return true
		}
	}
	return false
}

// Poison changes the markers of message k so that they are neither its own nor those of the slot's
// next message. A receiver poisons a message after it has consumed it, so that [Markers.Redelivered]
// detects a second delivery. The requester of READs poisons a slot before it posts a READ into it, so
// that the arrival of the same data is detected. Poisoning twice has the same result as once.
func (m *Markers) Poison(k uint64) {
	m.poisonAt(m.slotBase(k), k)
	m.seek(k)
}

// poisonAt is Poison in the slot that begins at word base.
func (m *Markers) poisonAt(base int, k uint64) {
	for i := range m.n {
		m.ring.buf[base*wordSize+m.spot(i).lowest()] = byte(k+1) ^ poison
	}
}
