package message

// The pattern of a message: every aligned word of a slot has a number that depends on the slot and
// on the word's position, and each of its bytes is combined with the low byte of the number of the
// pass over the ring. So two successive messages of a slot differ in every byte, as do any two
// messages of a slot less than 256 passes apart. Bytes of other slots or positions agree only by
// chance, one in 256.
const (
	everyByte = 0x0101010101010101
	slotStep  = 0xd1342543de82ef95 // odd numbers without much structure
	wordStep  = 0x9e3779b97f4a7c15
	mixFactor = 0xbf58476d1ce4e5b9
)

// seed returns the argument of mix for a word of a slot; that of the next word is
// larger by wordStep.
func seed(slot, word int) uint64 {
	return (uint64(slot)+1)*slotStep + uint64(word)*wordStep
}

// mix spreads the bits of x over the whole word (a round of splitmix64).
func mix(x uint64) uint64 { return (x ^ x>>32) * mixFactor }

// passBits returns the bits that a pass over the ring combines with every word of the pattern.
func passBits(pass uint64) uint64 { return pass & 0xff * everyByte }

// position returns the slot of message k and the number of the pass over the ring.
func (r *Ring) position(k uint64) (slot int, pass uint64) {
	index := r.Index(k)
	if index == k {
		return int(index), 0
	}
	return int(index), (k - index) / uint64(r.slots)
}

// Fill writes the pattern of message k over every byte of its slot.
func (r *Ring) Fill(k uint64) {
	slot, pass := r.position(k)
	r.fill(slot, passBits(pass))
}

// Blank writes bytes over the slot of message k that all differ from the message's pattern. The
// requester of READs calls it before it posts a READ. Markers are overwritten too and may be right by
// chance, so [Markers.Poison] must follow.
func (r *Ring) Blank(k uint64) {
	slot, pass := r.position(k)
	r.fill(slot, ^passBits(pass))
}

// Prefill writes into every slot the pattern of the message that precedes the slot's next one, of
// the messages from number next on. It differs from that of the next one in every byte. A receiver
// that checks its messages calls it before the first one, and then [Markers.Init].
func (r *Ring) Prefill(next uint64) {
	for k := next; k < next+uint64(r.slots); k++ {
		slot, pass := r.position(k)
		r.fill(slot, passBits(pass-1))
	}
}

// fill writes the words of a slot, combined with flip, and leaves the bytes
// before and after the message unchanged.
func (r *Ring) fill(slot int, flip uint64) {
	words := r.slotWords(slot)[:r.lastWord+1]
	first, last := words[r.firstWord], words[r.lastWord]
	x := seed(slot, r.firstWord)
	for i := r.firstWord; i < len(words); i++ {
		words[i] = mix(x) ^ flip
		x += wordStep
	}
	words[r.firstWord] = words[r.firstWord]&r.firstMask | first&^r.firstMask
	words[r.lastWord] = words[r.lastWord]&r.lastMask | last&^r.lastMask
}

// differ returns the bits in which words differ from the pattern that begins
// with x, combined with flip; 0 if they are equal.
func differ(words []uint64, x, flip uint64) uint64 {
	var bad uint64
	for ; len(words) >= 4; words = words[4:] { // half the time of one by one
		y := x + wordStep
		bad |= (words[0] ^ mix(x) ^ flip) | (words[1] ^ mix(y) ^ flip)
		x = y + wordStep
		y = x + wordStep
		bad |= (words[2] ^ mix(x) ^ flip) | (words[3] ^ mix(y) ^ flip)
		x = y + wordStep
	}
	for _, w := range words {
		bad |= w ^ mix(x) ^ flip
		x += wordStep
	}
	return bad
}
