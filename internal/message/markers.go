package message

import "github.com/ibperf/ibperf/verbs"

// poison is the bit of a marker's lowest byte that [Markers.Poison] flips. The
// result is neither the marker itself nor that of the slot's next message: the
// lowest bytes of those differ by the odd number of slots.
const poison = 0x80

// Markers are the bytes of a message that tell of its arrival, at places that
// the device's promise about the order of data makes sufficient:
//
//   - verbs.OrderBlocks: one at the end of the message's piece of every aligned
//     128-byte block that it touches;
//   - otherwise (verbs.OrderWhole, or no promise and memory polled all the same):
//     one at the end of the message.
//
// A marker is the part of its piece's last aligned 8-byte word that belongs to
// the piece: 1 to 8 bytes, which one atomic load reads. It holds the low bytes
// of the message's number plus 1, the lowest byte at the lowest address. Before
// message k arrives, its place holds what message k-slots left there, poisoned
// or not; [Markers.Init] pretends that there was such a message.
//
// One Markers serves one ring and one goroutine. Calls for the same or the next
// message as the last call's are cheapest.
type Markers struct {
	ring        *Ring
	words       []uint64 // the ring's
	slotWords   int      // words from slot to slot
	n           int      // markers of a message
	first, last spot     // of the first and the last marker, which may be the same

	// The message that the last call was about.
	k    uint64
	base int // the first word of its slot

	// What Arrived looks for next.
	seen int // markers of k that are known to be there, the current one left out
	at   int // the word of the current marker
	mask uint64
	want uint64
}

// spot is a place of a marker within a slot.
type spot struct {
	word  int    // counted from the slot's first block
	mask  uint64 // the marker's bytes
	shift uint   // bits below the marker
}

// value returns the marker of message k as it stands in the word.
func (s spot) value(k uint64) uint64 { return (k + 1) << (s.shift & 63) & s.mask }

// lowest returns the place of the marker's lowest byte, counted from the slot's
// first block.
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
	m.aim(0)
	return m
}

// pieceSpot returns the place of the marker of a piece of a message: bytes begin
// to end-1 of the slot.
func pieceSpot(begin, end int) spot {
	word := (end - 1) / wordSize
	from := max(begin-word*wordSize, 0)
	return spot{word: word, mask: byteMask(from, end-word*wordSize), shift: uint(8 * from)}
}

// spot returns the place of a message's i-th marker. Those between the first and
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

// Len returns how many markers a message has.
func (m *Markers) Len() int { return m.n }

// Init prepares every slot for messages from number next on: it puts there the markers
// of the message that held the slot before, poisoned as if it had been consumed.
func (m *Markers) Init(next uint64) {
	slots := uint64(m.ring.slots)
	for k := next; k < next+slots; k++ {
		m.writeAt(int(k%slots)*m.slotWords, k-slots)
		m.poisonAt(m.base, k-slots)
	}
	m.aim(next)
}

// Write puts the markers of message k into its slot: for the sender, after the
// rest of the message is there. The other bytes of a marker's word belong to no
// message.
func (m *Markers) Write(k uint64) {
	m.aim(k)
	m.put()
	for i := 1; i < m.n; i++ {
		m.look(i, m.spot(i))
		m.put()
	}
}

// WriteAll is Write for each of n messages, at least one, from number k on.
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
	m.look(0, m.first)
}

// writeAt is Write into the slot that begins at word base.
func (m *Markers) writeAt(base int, k uint64) {
	m.k, m.base = k, base
	m.Write(k)
}

// put writes the current marker.
func (m *Markers) put() {
	w := &m.words[m.at]
	*w = *w&^m.mask | m.want
}

// Poison changes the markers of message k so that they are neither its own nor
// those of the slot's next message. The receiver does so after it consumed a
// message, to notice a second delivery of it with [Markers.Again]; the reader of
// READs before it posts a READ to a slot, to notice the arrival of what the slot
// held before. Poisoning twice is as good as once.
func (m *Markers) Poison(k uint64) {
	m.poisonAt(m.slot(k), k)
	m.aim(k)
}

// poisonAt is Poison in the slot that begins at word base.
func (m *Markers) poisonAt(base int, k uint64) {
	for i := range m.n {
		m.ring.buf[base*wordSize+m.spot(i).lowest()] = byte(k+1) ^ poison
	}
}
