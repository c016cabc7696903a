package verbstest

import (
	"bytes"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// scatterSizes are sizes around those that CQEs have room for, ascending.
var scatterSizes = []int{1, 2, 7, 8, 31, 32, 33, 63, 64, 65, 128, 4096}

func arrivesUnpolled(e *env) {
	for _, typ := range []verbs.QPType{verbs.QPTypeRC, verbs.QPTypeUC} {
		e.sub(typ.String(), func(e *env) {
			c := conf().of(typ)
			c.inMemory = true
			a, b := e.pair(c)
			for i, size := range scatterSizes {
				if size > b.keptBack {
					b.arrives(a, size, byte(i+1))
				}
			}
		})
	}
}

// arrives moves a SEND of a size whose receiver looks at memory alone, until all is there.
func (s *side) arrives(from *side, size int, value byte) {
	s.Helper()
	copy(from.mem[:size], bytes.Repeat([]byte{value}, size))
	clear(s.mem[:size])
	s.recv(recv{id: 2, sges: []verbs.SGE{s.sge(0, size)}})
	from.post(send{id: 1, op: opSend, flags: signaled, sges: []verbs.SGE{from.sge(0, size)}})
	for end := time.Now().Add(patience); !s.shows(from, size); {
		if time.Now().After(end) {
			s.Fatalf("SEND of %d bytes is not in memory after %v: the CQ was not polled", size, patience)
		}
	}
	from.sendCQ.gives(1, verbs.WCSuccess)
	s.recvCQ.gives(2, verbs.WCSuccess)
}

// shows tells whether the first bytes of both sides' memories are the same, by whole words:
// sizes ascend, so behind them are zeros.
func (s *side) shows(from *side, size int) bool {
	for at := 0; at < size; at += 8 {
		if loadWord(s.mem[at:]) != loadWord(from.mem[at:]) {
			return false
		}
	}
	return true
}
