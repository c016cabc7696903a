package loop

import (
	"encoding/binary"

	"github.com/ibperf/ibperf/harness/internal/testcase"
	"github.com/ibperf/ibperf/verbs"
)

// Where messages may be lost or overtake each other, each carries the low 32 bits of its number as
// immediate data.

// setNumber writes the number of message k into its request.
func (o *sender) setNumber(k uint64) {
	binary.BigEndian.PutUint32(o.sends[k%uint64(o.slots)].Imm[:], uint32(k))
}

// numberOf returns the number of the message that a completion is for: the one that it carries,
// otherwise the next one of its QP.
func (i *receiver) numberOf(c *testcase.Case, wc *verbs.WC) uint64 {
	if !c.Numbered {
		return i.arrived
	}
	ahead := int32(binary.BigEndian.Uint32(wc.Imm[:]) - uint32(i.arrived))
	return i.arrived + uint64(int64(ahead))
}
