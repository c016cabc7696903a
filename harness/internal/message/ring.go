package message

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/ibperf/ibperf/verbs"
)

const (
	wordSize   = 8 // bytes of an aligned word
	blockWords = verbs.BlockSize / wordSize
)

// Ring is the layout of messages in a buffer. Slot s begins at byte s*stride +
// offset, where the stride is offset + size rounded up to 128: every message
// begins at the same offset in an aligned 128-byte block, and no two share
// such a block.
type Ring struct {
	buf   []byte
	words []uint64 // the same memory

	size, offset, slots, stride int

	// Argument and result of the last call of Index.
	k, index uint64

	// The words of a slot, counted from the slot's first block, that a message
	// touches, and the masks of its bytes in the outer two.
	firstWord, lastWord int
	firstMask, lastMask uint64
}

// RingBytes returns the size of a ring for messages of size bytes that
// begin offset bytes into an aligned 128-byte block.
func RingBytes(size, offset, slots int) int { return slots * stride(size, offset) }

func stride(size, offset int) int {
	return (offset + size + verbs.BlockSize - 1) &^ (verbs.BlockSize - 1)
}

// NewRing returns a ring of an odd number of slots in buf, whose first byte must
// be 128-byte aligned and which must have at least [RingBytes] bytes. The size
// of a message is at least 1 byte, the offset 0 to 127 bytes.
func NewRing(buf []byte, size, offset, slots int) (*Ring, error) {
	if err := checkGeometry(size, offset, slots); err != nil {
		return nil, err
	}
	need := RingBytes(size, offset, slots)
	if len(buf) < need {
		return nil, fmt.Errorf("message ring: a buffer of %d bytes instead of %d", len(buf), need)
	}
	words, err := wordsOf(buf[:need:need])
	if err != nil {
		return nil, err
	}
	r := &Ring{buf: buf[:need:need], words: words, size: size, offset: offset, slots: slots, stride: stride(size, offset)}
	r.firstWord = offset / wordSize
	r.lastWord = (offset + size - 1) / wordSize
	r.firstMask = byteMask(offset%wordSize, wordSize)
	r.lastMask = byteMask(0, (offset+size-1)%wordSize+1)
	return r, nil
}

func checkGeometry(size, offset, slots int) error {
	switch {
	case binary.NativeEndian.Uint16([]byte{1, 0}) != 1:
		return errors.New("message ring: big-endian machines are not supported")
	case size < 1:
		return fmt.Errorf("message ring: messages of %d bytes", size)
	case offset < 0 || offset >= verbs.BlockSize:
		return fmt.Errorf("message ring: offset %d is not within 0 to %d", offset, verbs.BlockSize-1)
	case slots < 1 || slots%2 == 0:
		return fmt.Errorf("message ring: %d slots, where an odd number is needed", slots)
	case size > math.MaxInt/slots-2*verbs.BlockSize:
		return fmt.Errorf("message ring: %d slots of %d bytes are too many", slots, size)
	}
	return nil
}

// byteMask selects bytes from to to-1 of a word, byte 0 at the lowest address.
func byteMask(from, to int) uint64 {
	return ^uint64(0) >> (8 * (wordSize - to)) &^ (1<<(8*from) - 1)
}

// Size returns the size of a message in bytes.
func (r *Ring) Size() int { return r.size }

// Slots returns the number of messages that the ring holds.
func (r *Ring) Slots() int { return r.slots }

// Index returns the slot of message k. The source of READs holds one constant message in
// each slot, so for READs message k is numbered Index(k), at the source and at the destination.
func (r *Ring) Index(k uint64) uint64 {
	switch k {
	case r.k:
	case r.k + 1: // spares a division
		if r.index++; r.index == uint64(r.slots) {
			r.index = 0
		}
	default:
		r.index = k % uint64(r.slots)
	}
	r.k = k
	return r.index
}

// SlotOffset returns the offset of message k in the buffer, in bytes.
func (r *Ring) SlotOffset(k uint64) int { return int(r.Index(k))*r.stride + r.offset }

// Slot returns the bytes of message k in the buffer.
func (r *Ring) Slot(k uint64) []byte {
	at := r.SlotOffset(k)
	return r.buf[at : at+r.size : at+r.size]
}

// slotWords returns the aligned words of a slot, from its first block on.
func (r *Ring) slotWords(slot int) []uint64 {
	n := r.stride / wordSize
	return r.words[slot*n : (slot+1)*n : (slot+1)*n]
}

// mask returns the mask of the message's bytes in a word of a slot.
func (r *Ring) mask(word int) uint64 {
	m := ^uint64(0)
	if word == r.firstWord {
		m &= r.firstMask
	}
	if word == r.lastWord {
		m &= r.lastMask
	}
	return m
}
