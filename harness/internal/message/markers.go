package message

import "github.com/ibperf/ibperf/verbs"

// Markers are the bytes of a message by which a poller detects its arrival. The device's promise
// about the order of data decides where they must be:
//
//   - verbs.OrderBlocks: one at the end of the message's piece of every aligned 128-byte block that
//     it touches;
//   - otherwise (verbs.OrderWhole, or memory that is polled without a promise): one at the end of
//     the message.
//
// A marker is the part of its piece's last aligned 8-byte word that belongs to the piece: 1 to 8
// bytes, which one atomic load reads. It holds the low bytes of the message's number plus 1, the
// lowest byte at the lowest address. Before message k arrives, its bytes are those of message
// k-slots, poisoned or not; [Markers.Init] writes those of a message that never existed.
//
// One Markers serves one ring and one goroutine. Calls for the current message, or
// the one after it, are cheapest.
type Markers struct {
	ring        *Ring
	words       []uint64 // memory of the ring
	slotWords   int      // words from slot to slot
	n           int      // markers of a message
	first, last spot     // first and last marker, which may be the same

	// The current message: that of the last call.
	k    uint64
	base int // first word of its slot

	// The marker of the current message that is polled next.
	seen int // index of the marker: those before it were found
	at   int // its word
	mask uint64
	want uint64
}

// spot is the position of a marker within a slot.
type spot struct {
	word  int    // counted from the slot's first block
	mask  uint64 // the marker's bytes
	shift uint   // bits below the marker
}

// value returns the marker of message k, shifted to its position in the word.
func (s spot) value(k uint64) uint64 { return (k + 1) << (s.shift & 63) & s.mask }

// lowest returns the offset of the marker's lowest byte from the slot's first block.
func (s spot) lowest() int { return s.word*wordSize + int(s.shift/8) }

// NewMarkers returns the markers of r's messages for a device that promises
// order. It writes nothing.
func NewMarkers(r *Ring, order verbs.Order) *Markers {
	m := &Markers{ring: r, words: r.words, slotWords: r.stride / wordSize, n: 1}
	begin, end := r.offset, r.offset+r.size
	if order == verbs.OrderBlocks {
		m.n = r.stride / verbs.BlockSize
	}
	m.last = pieceSpot(max(begin, r.stride-verbs.BlockSize), end)
	m.first = m.last
	if m.n > 1 {
		m.first = pieceSpot(begin, verbs.BlockSize)
	}
	m.seek(0)
	return m
}

// NewLastByteMarkers returns the markers of r's messages that are their last bytes alone, for a peer that
// writes and polls no others. It writes nothing.
func NewLastByteMarkers(r *Ring) *Markers {
	m := &Markers{ring: r, words: r.words, slotWords: r.stride / wordSize, n: 1}
	end := r.offset + r.size
	m.first = pieceSpot(end-1, end)
	m.last = m.first
	m.seek(0)
	return m
}

// pieceSpot returns the position of the marker of a piece of a message: bytes begin
// to end-1 of the slot.
func pieceSpot(begin, end int) spot {
	word := (end - 1) / wordSize
	from := max(begin-word*wordSize, 0)
	return spot{word: word, mask: byteMask(from, end-word*wordSize), shift: uint(8 * from)}
}

// spot returns the position of a message's i-th marker. Those between the first and
// the last are whole words at the end of whole blocks.
func (m *Markers) spot(i int) spot {
	switch i {
	case m.n - 1:
		return m.last
	case 0:
		return m.first
	}
	return spot{word: (i+1)*blockWords - 1, mask: ^uint64(0)}
}

// Len returns the number of markers of a message.
func (m *Markers) Len() int { return m.n }

// Init prepares every slot for messages from number next on: it writes the markers of the
// slot's previous message, poisoned as if it had been consumed.
func (m *Markers) Init(next uint64) {
	slots := uint64(m.ring.slots)
	for k := next; k < next+slots; k++ {
		m.writeAt(int(k%slots)*m.slotWords, k-slots)
		m.poisonAt(m.base, k-slots)
	}
	m.seek(next)
}

// Write writes the markers of message k into its slot. The sender calls it after it
// has written the rest of the message. The other bytes of a marker's word belong to
// no message.
func (m *Markers) Write(k uint64) {
	m.seek(k)
	m.put()
	for i := 1; i < m.n; i++ {
		m.setMarker(i, m.spot(i))
		m.put()
	}
}

// WriteAll writes the markers of n messages, at least one, beginning with message k.
func (m *Markers) WriteAll(k, n uint64) {
	if m.n > 1 {
		for end := k + n; k < end; k++ {
			m.Write(k)
		}
		return
	}
	m.Write(k)
	at, mask, step, words := m.at, m.mask, m.slotWords, m.words
	one := uint64(1) << (m.first.shift & 63)
	want := m.want
	for range n - 1 {
		if at += step; at >= len(words) {
			at -= len(words)
		}
		want = (want + one) & mask
		words[at] = words[at]&^mask | want
	}
	m.k, m.base = k+n-1, at-m.first.word
	m.setMarker(0, m.first)
}

// writeAt is Write into the slot that begins at word base.
func (m *Markers) writeAt(base int, k uint64) {
	m.k, m.base = k, base
	m.Write(k)
}

// put writes the marker that setMarker has set.
func (m *Markers) put() {
	w := &m.words[m.at]
	*w = *w&^m.mask | m.want
}
