package message

// The pattern of a message: every aligned word of a slot has a number that
// depends on the slot and on the word's place, and each byte of it is combined
// with the low byte of the lap, which is how often the ring has been filled
// before. So two messages that follow one another in a slot differ in every
// byte, and so do any two of a slot less than 256 laps apart, while bytes of
// other slots or other places agree by chance only, one in 256.
const (
	everyByte = 0x0101010101010101
	slotStep  = 0xd1342543de82ef95 // odd numbers without much structure
	wordStep  = 0x9e3779b97f4a7c15
	mixFactor = 0xbf58476d1ce4e5b9
)

// seed returns what mix takes for a word of a slot; the next word's is wordStep
// more.
func seed(slot, word int) uint64 {
	return (uint64(slot)+1)*slotStep + uint64(word)*wordStep
}

// mix spreads the bits of x over the whole word (a round of splitmix64).
func mix(x uint64) uint64 { return (x ^ x>>32) * mixFactor }

// lapBits returns what a lap adds to every word of the pattern.
func lapBits(lap uint64) uint64 { return lap & 0xff * everyByte }

// place returns the slot of message k and the lap that fills it.
func (r *Ring) place(k uint64) (slot int, lap uint64) {
	index := r.Index(k)
	if index == k {
		return int(index), 0
	}
	return int(index), (k - index) / uint64(r.slots)
}

// Fill writes the pattern of message k over every byte of its slot.
func (r *Ring) Fill(k uint64) {
	slot, lap := r.place(k)
	r.fill(slot, lapBits(lap))
}

// Blank writes bytes over the slot of message k that differ from the message's
// pattern at every place: what the reader of READs does before it posts a READ.
// Markers are overwritten too and may turn out right by chance, so
// [Markers.Poison] comes after it.
func (r *Ring) Blank(k uint64) {
	slot, lap := r.place(k)
	r.fill(slot, ^lapBits(lap))
}

// Prefill writes into every slot the pattern of the message before the one of the slot
// that comes next, of those from number next on. It differs from that one's at every
// byte. A receiver that checks its messages does it before the first one, and then
// [Markers.Init].
func (r *Ring) Prefill(next uint64) {
	for k := next; k < next+uint64(r.slots); k++ {
		slot, lap := r.place(k)
		r.fill(slot, lapBits(lap-1))
	}
}

// fill writes the words of a slot, combined with flip, and leaves the bytes
// before and after the message alone.
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
// with x, combined with flip, 0 if they are all as they should be.
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
