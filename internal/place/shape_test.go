package place

import (
	"fmt"
	"testing"
)

// period is the period of the test pattern: byte i of message m is
// (i+m)%period, so that every byte changes from each message to the next.
const period = 251

var pattern = func() []byte {
	p := make([]byte, 1<<16+period)
	for i := range p {
		p[i] = byte(i % period)
	}
	return p
}()

func message(m, size int) []byte {
	return pattern[m%period:][:size]
}

// A shape is how many bytes a message has and how far its first one is into a block.
type shape struct{ size, offset int }

// A span is what a reader infers from one byte: when mark has arrived, so has
// everything from from on.
type span struct{ from, mark int }

// whole is the inference of a reader that spins on the last byte.
func (m shape) whole() []span {
	return []span{{0, m.size - 1}}
}

// blocks is the inference of a reader that spins on the last byte of every
// aligned block.
func (m shape) blocks() (spans []span) {
	for from := 0; from < m.size; {
		end := min((m.offset+from)/block*block+block-m.offset, m.size)
		spans = append(spans, span{from, end - 1})
		from = end
	}
	return spans
}

// eachShape runs test for every shape at which order matters.
func eachShape(t *testing.T, test func(t *testing.T, of shape)) {
	for _, size := range []int{129, 256, 257, 4096, 65536} {
		for _, offset := range []int{0, 1, 127} {
			t.Run(fmt.Sprintf("%d+%d", size, offset), func(t *testing.T) { test(t, shape{size, offset}) })
		}
	}
}
