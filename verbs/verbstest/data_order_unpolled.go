package verbstest

import (
	"bytes"
	"time"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

// scatterSizes are sizes near the limits of scatter to CQE, ascending.
var scatterSizes = []int{1, 2, 7, 8, 31, 32, 33, 63, 64, 65, 128, 4096}

func arrivesUnpolled(e *env) {
	for _, typ := range []verbs.QPType{verbs.QPTypeRC, verbs.QPTypeUC} {
		e.sub(typ.String(), func(e *env) {
			c := conf().WithType(typ)
			c.NoScatter = true
			a, b := e.pair(c)
			for i, size := range scatterSizes {
				if size > b.ScatterToCQE {
					b.arrives(a, size, byte(i+1))
				}
			}
		})
	}
}

// arrives sends a message whose receiver polls memory, but no CQ, until all bytes have arrived.
func (s *side) arrives(from *side, size int, value byte) {
	s.Helper()
	copy(from.Mem[:size], bytes.Repeat([]byte{value}, size))
	clear(s.Mem[:size])
	s.PostRecv(recv{ID: 2, SGEs: []verbs.SGE{s.SGE(0, size)}})
	from.Post(send{ID: 1, Op: opSend, Flags: signaled, SGEs: []verbs.SGE{from.SGE(0, size)}})
	for end := time.Now().Add(fixture.WaitTimeout); !s.shows(from, size); {
		if time.Now().After(end) {
			s.Fatalf("SEND of %d bytes is not in memory after %v: the CQ was not polled", size, fixture.WaitTimeout)
		}
	}
	from.SendCQ.Expect(1, verbs.WCSuccess)
	s.RecvCQ.Expect(2, verbs.WCSuccess)
}

// shows reports whether the first size bytes of both sides' memories are equal, by whole words:
// sizes ascend, so the bytes after them are zeros.
func (s *side) shows(from *side, size int) bool {
	for at := 0; at < size; at += 8 {
		if loadWord(s.Mem[at:]) != loadWord(from.Mem[at:]) {
			return false
		}
	}
	return true
}
