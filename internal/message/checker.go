package message

import "github.com/ibperf/ibperf/reports/result"

// Checker compares messages with what was sent, byte by byte, at the moment
// their arrival was detected, and counts those that differ:
//
//   - stale: outside the markers, all bytes are still those of before;
//   - torn: any other difference;
//   - duplicate: a message was delivered again, see [Markers.Again].
//
// Where nothing but markers makes up a message, it is stale if none of them is
// right. Checking a good message does not allocate.
type Checker struct {
	ring    *Ring
	markers *Markers
	read    bool
	counts  result.Verify
}

// NewChecker returns a checker of messages that are written or sent into r. What
// a slot holds before is the message k-slots or, in the first lap, what
// [Ring.Prefill] wrote. m is nil if messages carry no markers.
func NewChecker(r *Ring, m *Markers) *Checker { return &Checker{ring: r, markers: m} }

// NewReadChecker returns a checker of messages that are read into r. What a slot
// holds before is what [Ring.Blank] wrote. m is nil if messages carry no
// markers. Messages go by the numbers that [Ring.Index] returns.
func NewReadChecker(r *Ring, m *Markers) *Checker {
	return &Checker{ring: r, markers: m, read: true}
}

// Check tells whether every byte of message k is right now as it was sent, and
// counts the message.
func (c *Checker) Check(k uint64) bool {
	c.counts.Messages++
	slot, lap := c.ring.place(k)
	if c.intact(k, slot, lapBits(lap)) {
		return true
	}
	c.blame(k, slot, lap)
	return false
}

// Duplicate counts that message k was delivered a second time.
func (c *Checker) Duplicate(k uint64) {
	c.counts.Duplicates++
	c.first("message %d, %d bytes, slot %d: delivered again after it was consumed", k, c.ring.size, c.ring.Index(k))
}

// Counts returns a copy of what was found so far.
func (c *Checker) Counts() result.Verify { return c.counts }

// Reset forgets what was found.
func (c *Checker) Reset() { c.counts = result.Verify{} }

// intact compares a slot with message k: the words between the markers at the
// speed of memory, the markers and the outer words by themselves.
func (c *Checker) intact(k uint64, slot int, flip uint64) bool {
	r, m := c.ring, c.markers
	words := r.slotWords(slot)[:r.lastWord+1]
	next := r.firstWord
	var bad uint64
	if m == nil || m.spot(0).word != next {
		bad = (words[next] ^ mix(seed(slot, next)) ^ flip) & r.mask(next)
		next++
	}
	if m == nil {
		if next < len(words) {
			bad |= differ(words[next:r.lastWord], seed(slot, next), flip)
			bad |= (words[r.lastWord] ^ mix(seed(slot, r.lastWord)) ^ flip) & r.lastMask
		}
		return bad == 0
	}
	for i := range m.n {
		s := m.spot(i)
		bad |= differ(words[next:s.word], seed(slot, next), flip)
		bad |= (words[s.word] ^ s.value(k)) & s.mask
		next = s.word + 1
	}
	return bad == 0
}
