package store

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

// shape is a message's size and its offset within a block.
type shape struct{ size, offset int }

// span is an inference of a reader: when the byte at mark has arrived, so have all bytes from from
// on.
type span struct{ from, mark int }

// whole returns the inference of a reader that spins on the last byte.
func (m shape) whole() []span {
	return []span{{0, m.size - 1}}
}

// blocks returns the inferences of a reader that spins on the last byte of every aligned block.
func (m shape) blocks() (spans []span) {
	for from := 0; from < m.size; {
		end := min((m.offset+from)/block*block+block-m.offset, m.size)
		spans = append(spans, span{from, end - 1})
		from = end
	}
	return spans
}

// eachShape runs a test for every shape at which order matters.
func eachShape(t *testing.T, test func(t *testing.T, of shape)) {
	for _, size := range []int{129, 256, 257, 4096, 65536} {
		for _, offset := range []int{0, 1, 127} {
			t.Run(fmt.Sprintf("%d+%d", size, offset), func(t *testing.T) { test(t, shape{size, offset}) })
		}
	}
}
