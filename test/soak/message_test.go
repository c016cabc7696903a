package soak

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
)

// message is the kind of a SEND.
type message uint8

const (
	data    message = iota + 1 // with a payload
	note                       // a WRITE has stored a payload in the slot of the window
	offer                      // the other side shall READ a region
	release                    // the payload of the slot was checked
)

// headerSize is the number of bytes of a SEND before its payload.
const headerSize = 32

// header is the beginning of a SEND.
type header struct {
	what    message
	slot    uint16 // of the sender; of release: of the receiver
	rkey    uint32 // of offer
	addr    uint64 // of offer
	version uint32 // determines the payload, with seed, side and slot
	length  uint32 // bytes of the payload
}

func (h header) put(b []byte) {
	_ = b[headerSize-1]
	b[0] = byte(h.what)
	binary.LittleEndian.PutUint16(b[2:], h.slot)
	binary.LittleEndian.PutUint32(b[4:], h.rkey)
	binary.LittleEndian.PutUint64(b[8:], h.addr)
	binary.LittleEndian.PutUint32(b[16:], h.version)
	binary.LittleEndian.PutUint32(b[20:], h.length)
}

func parse(b []byte) header {
	_ = b[headerSize-1]
	return header{
		what: message(b[0]), slot: binary.LittleEndian.Uint16(b[2:]), rkey: binary.LittleEndian.Uint32(b[4:]),
		addr: binary.LittleEndian.Uint64(b[8:]), version: binary.LittleEndian.Uint32(b[16:]), length: binary.LittleEndian.Uint32(b[20:]),
	}
}

// noise holds random bytes, of which payloads are parts.
var noise = func() []byte {
	b := make([]byte, 4<<20)
	rand.NewChaCha8([32]byte{1}).Read(b)
	return b
}()

// payload returns the n bytes that the side sends, a part of noise.
func payload(seed uint64, role int, slot uint16, version uint32, n int) []byte {
	r := rand.NewPCG(seed, uint64(version)<<20|uint64(slot)<<4|uint64(role))
	at := int(r.Uint64() % uint64(len(noise)-n+1))
	return noise[at:][:n]
}

// compare returns an error with the position of the first wrong byte.
func compare(what string, got, want []byte) error {
	if bytes.Equal(got, want) {
		return nil
	}
	if len(got) != len(want) {
		return fmt.Errorf("%s: %d bytes instead of %d", what, len(got), len(want))
	}
	first, wrong := -1, 0
	for i := range got {
		if got[i] != want[i] {
			if wrong++; first < 0 {
				first = i
			}
		}
	}
	return fmt.Errorf("%s: %d of %d bytes are wrong, the first at %d: %#x instead of %#x",
		what, wrong, len(got), first, got[first], want[first])
}
