package message

import "fmt"

// examination holds the findings of an examination of every byte of a bad message.
type examination struct {
	wrong    int // bytes, markers included
	at       int // offset of the first of them in the message
	expected byte
	found    byte

	outside      int // bytes outside the markers
	outsideWrong int
	outsideOld   int // bytes that have the value from before the message
	marksRight   int // markers
}

// stale reports whether the slot holds an older message.
func (v *examination) stale() bool {
	if v.outside == 0 {
		return v.marksRight == 0
	}
	return v.outsideOld == v.outside
}

// blame counts message k as torn or stale and describes it if it is the first.
func (c *Checker) blame(k uint64, slot int, pass uint64) {
	v := c.examine(k, slot, pass)
	kind := "torn"
	if v.stale() {
		kind = "stale"
		c.counts.Stale++
	} else {
		c.counts.Torn++
	}
	if v.wrong == 0 {
		c.first("message %d, %d bytes, slot %d: torn: bytes that were missing when its arrival was detected arrived during the check", k, c.ring.size, slot)
		return
	}
	c.first("message %d, %d bytes, slot %d: %s: %d bytes wrong, the first at offset %d (expected %#02x, found %#02x)%s",
		k, c.ring.size, slot, kind, v.wrong, v.at, v.expected, v.found, c.origin(&v, k, pass))
}

// origin describes the wrong bytes outside the markers.
func (c *Checker) origin(v *examination, k, pass uint64) string {
	if v.outsideWrong == 0 {
		return "; all of them in markers"
	}
	var old string
	switch {
	case c.read:
		old = "blank as before the READ"
	case pass == 0:
		old = "as before the first message"
	default:
		old = fmt.Sprintf("those of message %d", k-uint64(c.ring.slots))
	}
	if v.outsideOld == v.outsideWrong {
		return fmt.Sprintf("; outside the markers they are %s", old)
	}
	return fmt.Sprintf("; %d of %d outside the markers are %s", v.outsideOld, v.outsideWrong, old)
}

// examine compares the message word by word.
func (c *Checker) examine(k uint64, slot int, pass uint64) examination {
	var v examination
	words := c.ring.slotWords(slot)
	flip := passBits(pass)
	before := passBits(pass - 1)
	if c.read {
		before = ^flip
	}
	marker := 0
	for i := c.ring.firstWord; i <= c.ring.lastWord; i++ {
		found := words[i]
		if c.markers != nil && c.markers.spot(marker).word == i {
			s := c.markers.spot(marker)
			c.compare(&v, i, s.mask, s.value(k), found)
			if found&s.mask == s.value(k) {
				v.marksRight++
			}
			marker = min(marker+1, c.markers.n-1)
			continue
		}
		mask := c.ring.mask(i)
		pattern := mix(seed(slot, i))
		v.outside += onesBytes(mask)
		v.outsideWrong += c.compare(&v, i, mask, pattern^flip, found)
		v.outsideOld += onesBytes(mask) - differentBytes(found^pattern^before, mask)
	}
	return v
}

// compare counts the bytes under mask in which a word differs from the expected one,
// and keeps the first of the message.
func (c *Checker) compare(v *examination, word int, mask, expected, found uint64) int {
	n := differentBytes(expected^found, mask)
	if n == 0 {
		return 0
	}
	if v.wrong == 0 {
		shift := 0
		for byte((expected^found)&mask>>shift) == 0 {
			shift += 8
		}
		v.at = word*wordSize + shift/8 - c.ring.offset
		v.expected, v.found = byte(expected>>shift), byte(found>>shift)
	}
	v.wrong += n
	return n
}

// differentBytes counts the bytes under mask that are not 0 in diff.
func differentBytes(diff, mask uint64) int {
	n := 0
	for diff &= mask; diff != 0; diff >>= 8 {
		if byte(diff) != 0 {
			n++
		}
	}
	return n
}

// onesBytes counts the bytes that a mask of whole bytes selects.
func onesBytes(mask uint64) int { return differentBytes(mask, mask) }

// first keeps the details of the first bad message.
func (c *Checker) first(format string, args ...any) {
	if c.counts.First == "" {
		c.counts.First = fmt.Sprintf(format, args...)
	}
}
