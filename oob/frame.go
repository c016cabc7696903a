package oob

import (
	"encoding/binary"
	"fmt"
)

// Limits of a frame.
const (
	// MaxPayload is the largest payload of one exchange, in bytes.
	MaxPayload = 4 << 20
	// MaxExchangeName is the longest name of an exchange, in bytes.
	MaxExchangeName = 32
	// MaxReason is the longest reason for an abort, in bytes.
	MaxReason = 1 << 10
	// MaxClass is the longest class of an abort, in bytes.
	MaxClass = 16
)

const (
	magic      = "IBPF"
	version    = 3
	startSize  = len(magic) + 1
	headerSize = 12
)

// kind is the purpose of a frame.
type kind byte

const (
	kindHello kind = 1 + iota // the first frame of each side
	kindData                  // a payload of the exchange that name is of
	kindPing                  // proof of life
	kindAbort                 // the run ends early; name is the class of the reason, the payload its text
	kindBye                   // the run is over
	kindProof                 // the second frame of each side that has a secret, the first one in TLS
)

// kinds holds the text and the limits of each kind: the longest name and the largest payload.
var kinds = map[kind]struct {
	text    string
	name    int
	payload int64
}{
	kindHello: {"hello", 0, helloSize},
	kindData:  {"data", MaxExchangeName, MaxPayload},
	kindPing:  {"ping", 0, 0},
	kindAbort: {"abort", MaxClass, MaxReason},
	kindBye:   {"bye", 0, 0},
	kindProof: {"proof", 0, proofSize},
}

func (k kind) String() string {
	if known, ok := kinds[k]; ok {
		return known.text
	}
	return fmt.Sprintf("kind %d", byte(k))
}

// frame is one message.
type frame struct {
	kind    kind
	name    string // of the exchange, or the class of an abort; empty in other kinds
	payload []byte
}

// check returns an error unless a frame is within the limits that the receiver checks.
func (f frame) check() error {
	if err := (header{f.kind, len(f.name), int64(len(f.payload))}).check(); err != nil {
		return err
	}
	return f.checkName()
}

// checkName checks the characters of the name, which error texts may show as they are.
func (f frame) checkName() error {
	for _, c := range []byte(f.name) {
		switch {
		case f.kind == kindAbort && (c < 'a' || c > 'z'):
			return fmt.Errorf("class %q, it must have only the letters a to z", f.name)
		case c <= ' ' || c > '~':
			return fmt.Errorf("name %q, it must be printable ASCII without spaces", f.name)
		}
	}
	return nil
}

// appendTo appends the wire form of a frame that has passed check.
func (f frame) appendTo(b []byte) []byte {
	b = append(b, magic...)
	b = append(b, version, byte(f.kind), byte(len(f.name)), 0)
	b = binary.BigEndian.AppendUint32(b, uint32(len(f.payload)))
	b = append(b, f.name...)
	return append(b, f.payload...)
}

// header is the fixed part of a frame.
type header struct {
	kind    kind
	name    int
	payload int64
}

// check compares the lengths with the limits of the kind.
func (h header) check() error {
	known, ok := kinds[h.kind]
	switch {
	case !ok:
		return fmt.Errorf("unknown frame %v", h.kind)
	case known.name == 0 && h.name != 0:
		return fmt.Errorf("%v frame with a name", h.kind)
	case h.kind == kindData && h.name == 0:
		return fmt.Errorf("%v frame without a name", h.kind)
	case h.name > known.name:
		return fmt.Errorf("%v frame with a name of %d bytes, the limit is %d", h.kind, h.name, known.name)
	case h.payload > known.payload:
		return fmt.Errorf("%v frame with a payload of %d bytes, the limit is %d", h.kind, h.payload, known.payload)
	}
	return nil
}
