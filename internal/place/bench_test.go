package place

import (
	"fmt"
	"testing"
)

// sizes are the message sizes of the benchmarks.
var sizes = []int{2, 8, 16, 64, 256, 1 << 10, 4 << 10, 64 << 10, 1 << 20, 8 << 20}

func benchSizes(b *testing.B, place func(dst, src []byte)) {
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			dst, src := make([]byte, n), make([]byte, n)
			for i := range src {
				src[i] = byte(i)
			}
			b.SetBytes(int64(n))
			for b.Loop() {
				place(dst, src)
			}
		})
	}
}

func BenchmarkOrdered(b *testing.B) {
	benchSizes(b, Ordered)
}

func BenchmarkCopy(b *testing.B) {
	benchSizes(b, func(dst, src []byte) { copy(dst, src) })
}

func BenchmarkBlocks(b *testing.B) {
	s := NewShuffler(1)
	benchSizes(b, func(dst, src []byte) { s.Blocks([]Piece{{dst, src, 0}}) })
}

func BenchmarkBytes(b *testing.B) {
	s := NewShuffler(1)
	benchSizes(b, func(dst, src []byte) { s.Bytes([]Piece{{dst, src, 0}}) })
}

func BenchmarkPublish(b *testing.B) {
	var rec [2]uint64
	for b.Loop() {
		Publish(&rec, 1, 2)
	}
}
