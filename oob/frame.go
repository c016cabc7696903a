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
)

const (
	magic      = "IBPF"
	version    = 1
	startSize  = len(magic) + 1
	headerSize = 12
)

// kind says what a frame is for.
type kind byte

const (
	kindHello kind = 1 + iota // the first frame of each side
	kindData                  // a payload of a step
	kindPing                  // proof of life
	kindAbort                 // the run ends early, the payload says why
	kindBye                   // the run is over
)

// kinds holds the name and the largest payload of each kind. Only data names a step.
var kinds = map[kind]struct {
	name    string
	payload int64
}{
	kindHello: {"hello", helloSize},
	kindData:  {"data", MaxPayload},
	kindPing:  {"ping", 0},
	kindAbort: {"abort", MaxReason},
	kindBye:   {"bye", 0},
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
	return checkStep(f.step)
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
	case h.kind != kindData && h.step != 0:
		return fmt.Errorf("%v frame that names a step", h.kind)
	case h.kind == kindData && h.step == 0:
		return fmt.Errorf("%v frame without a step", h.kind)
	case h.step > MaxStep:
		return fmt.Errorf("step name of %d bytes, the limit is %d", h.step, MaxStep)
	case h.payload > known.payload:
		return fmt.Errorf("%v frame with a payload of %d bytes, the limit is %d", h.kind, h.payload, known.payload)
	}
	return nil
}

// checkStep refuses names that could not be shown in an error text as they are.
func checkStep(step string) error {
	for _, c := range []byte(step) {
		if c <= ' ' || c > '~' {
			return fmt.Errorf("step name %q, it must be printable ASCII without spaces", step)
		}
	}
	return nil
}
