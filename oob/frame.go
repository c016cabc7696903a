package oob

import (
	"encoding/binary"
	"fmt"
)

// Limits of a frame.
const (
	// MaxPayload is the largest payload of one exchange, in bytes.
	MaxPayload = 4 << 20
	// MaxStep is the longest name of a step, in bytes.
	MaxStep = 32
	// MaxReason is the longest reason for an abort, in bytes.
	MaxReason = 1 << 10
	// MaxClass is the longest class of an abort, in bytes.
	MaxClass = 16
)

const (
	magic      = "IBPF"
	version    = 2
	startSize  = len(magic) + 1
	headerSize = 12
)

// kind says what a frame is for.
type kind byte

const (
	kindHello kind = 1 + iota // the first frame of each side
	kindData                  // a payload of a step
	kindPing                  // proof of life
	kindAbort                 // the run ends early: the step is the class of the reason, the payload its text
	kindBye                   // the run is over
	kindProof                 // the second frame of each side that has a secret
)

// kinds holds the name and the limits of each kind: the longest step and the largest payload.
var kinds = map[kind]struct {
	name    string
	step    int
	payload int64
}{
	kindHello: {"hello", 0, helloSize},
	kindData:  {"data", MaxStep, MaxPayload},
	kindPing:  {"ping", 0, 0},
	kindAbort: {"abort", MaxClass, MaxReason},
	kindBye:   {"bye", 0, 0},
	kindProof: {"proof", 0, proofSize},
}

func (k kind) String() string {
	if known, ok := kinds[k]; ok {
		return known.name
	}
	return fmt.Sprintf("kind %d", byte(k))
}

// frame is one message.
type frame struct {
	kind    kind
	step    string
	payload []byte
}

// check tells whether a frame keeps to the limits, as the receiver will see it.
func (f frame) check() error {
	if err := (header{f.kind, len(f.step), int64(len(f.payload))}).check(); err != nil {
		return err
	}
	return f.checkStep()
}

// checkStep looks at what a step is made of, which may come to stand in an error text as it is.
func (f frame) checkStep() error {
	for _, c := range []byte(f.step) {
		switch {
		case f.kind == kindAbort && (c < 'a' || c > 'z'):
			return fmt.Errorf("class %q, it must be of the letters a to z", f.step)
		case c <= ' ' || c > '~':
			return fmt.Errorf("step name %q, it must be printable ASCII without spaces", f.step)
		}
	}
	return nil
}

// appendTo appends the frame in its wire form. The frame must have passed check.
func (f frame) appendTo(b []byte) []byte {
	b = append(b, magic...)
	b = append(b, version, byte(f.kind), byte(len(f.step)), 0)
	b = binary.BigEndian.AppendUint32(b, uint32(len(f.payload)))
	b = append(b, f.step...)
	return append(b, f.payload...)
}

// header is what the fixed part of a frame announces.
type header struct {
	kind    kind
	step    int
	payload int64
}

// check compares the announced lengths with the limits of the kind.
func (h header) check() error {
	known, ok := kinds[h.kind]
	switch {
	case !ok:
		return fmt.Errorf("unknown frame %v", h.kind)
	case known.step == 0 && h.step != 0:
		return fmt.Errorf("%v frame that names a step", h.kind)
	case h.kind == kindData && h.step == 0:
		return fmt.Errorf("%v frame without a step", h.kind)
	case h.step > known.step:
		return fmt.Errorf("%v frame with a step of %d bytes, the limit is %d", h.kind, h.step, known.step)
	case h.payload > known.payload:
		return fmt.Errorf("%v frame with a payload of %d bytes, the limit is %d", h.kind, h.payload, known.payload)
	}
	return nil
}
