package message

import "github.com/ibperf/ibperf/result"

// Checker compares messages with the sent ones, byte by byte, once their arrival
// is detected, and counts those that differ:
//
//   - stale: all bytes outside the markers have the values from before the message;
//   - torn: any other difference;
//   - duplicate: a message was delivered again, see [Markers.Redelivered].
//
// A message that consists of markers only is stale if none of them is right. Checking
// a good message does not allocate.
type Checker struct {
	ring    *Ring
	markers *Markers
	read    bool
	counts  result.Verify
}

// NewChecker returns a checker of messages that are written or sent into r. Before
// message k a slot holds message k-slots or, in the first pass over the ring, what
// [Ring.Prefill] wrote. m is nil if messages carry no markers.
func NewChecker(r *Ring, m *Markers) *Checker { return &Checker{ring: r, markers: m} }

// NewReadChecker returns a checker of messages that are READ into r. Before each a slot
// holds what [Ring.Blank] wrote. m is nil if messages carry no markers. Messages have
// the numbers that [Ring.Index] returns.
func NewReadChecker(r *Ring, m *Markers) *Checker {
	return &Checker{ring: r, markers: m, read: true}
}

// Check reports whether every byte of message k has now the value that was sent, and
// counts the message.
func (c *Checker) Check(k uint64) bool {
	c.counts.Messages++
	slot, pass := c.ring.position(k)
	if c.intact(k, slot, passBits(pass)) {
		return true
	}
	c.blame(k, slot, pass)
	return false
}

// Duplicate counts that message k was delivered a second time.
func (c *Checker) Duplicate(k uint64) {
	c.counts.Duplicates++
	c.first("message %d, %d bytes, slot %d: delivered again after it was consumed", k, c.ring.size, c.ring.Index(k))
}

// Counts returns the counts of all checks since the last Reset.
func (c *Checker) Counts() result.Verify { return c.counts }

// Reset sets all counts to 0.
func (c *Checker) Reset() { c.counts = result.Verify{} }

// intact reports whether a slot holds message k. It compares the words between the markers at the
// speed of memory, and the markers and the outer words one by one.
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
