package perftest

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/ibperf/ibperf/oob"
)

// Sizes of the keys of a QP, on links with LIDs and with GIDs. The last byte is NUL.
const (
	keysSizeLID = 59
	keysSizeGID = 108
)

// keysSize returns the size of both sides' keys. perftest decides by its own link and options which form it uses, and
// cannot read the other one.
func keysSize(gid bool) int {
	if gid {
		return keysSizeGID
	}
	return keysSizeLID
}

// formatKeys returns the wire form of the keys of a QP. As perftest's, its memory has relaxed ordering if the test may.
func formatKeys(e *oob.Endpoint, gid bool) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%04x:%04x:%06x:%06x:%08x:%016x:", e.LID, e.RdAtomic, e.QPNum, e.PSN, cmp.Or(e.RelaxedRKey, e.RKey), e.Addr)
	if gid {
		for _, x := range e.GID {
			fmt.Fprintf(&b, "%02x:", x)
		}
		b.WriteString("00000000:")
	} else {
		b.WriteString("00000000") // the number of an SRQ, of transports that are not supported
	}
	b.WriteByte(0)
	return b.Bytes()
}

// parseKeys parses the keys of a QP.
func parseKeys(b []byte) (e oob.Endpoint, err error) {
	text, rest, ok := bytes.Cut(b, []byte{0})
	fields := strings.Split(strings.TrimSuffix(string(text), ":"), ":")
	want := map[int]int{keysSizeLID: 7, keysSizeGID: 23}[len(b)]
	if !ok || len(rest) > 0 || len(fields) != want {
		return e, fmt.Errorf("%q are not %d fields", b, want)
	}
	number := func(digits int) (n uint64) {
		if len(fields[0]) != digits {
			err = errors.Join(err, fmt.Errorf("field %q does not have %d digits", fields[0], digits))
		}
		n, failed := strconv.ParseUint(fields[0], 16, 4*digits)
		err, fields = errors.Join(err, failed), fields[1:]
		return n
	}
	e.LID = uint16(number(4))
	e.RdAtomic = uint8(min(number(4), 255))
	e.QPNum, e.PSN, e.RKey, e.Addr = uint32(number(6)), uint32(number(6)), uint32(number(8)), number(16)
	for i := 0; len(fields) > 1; i++ {
		e.GID[i] = byte(number(2))
	}
	number(8)
	return e, err
}
