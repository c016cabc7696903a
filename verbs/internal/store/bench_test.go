package store

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/ibperf/ibperf/verbs/internal/memfd"
)

// sizes are the message sizes of the benchmarks.
var sizes = []int{2, 8, 16, 64, 256, 1 << 10, 4 << 10, 64 << 10, 1 << 20, 8 << 20}

func benchSizes(b *testing.B, store func(dst, src []byte)) {
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			dst, src := make([]byte, n), make([]byte, n)
			for i := range src {
				src[i] = byte(i)
			}
			b.SetBytes(int64(n))
			for b.Loop() {
				store(dst, src)
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

// BenchmarkOrderCost copies a message alternately by Ordered and by copy, between two buffers of
// shared memory. It reports the median time of both, and the median of the ratios of neighbouring
// copies: above 1 order costs time. Pin it to one CPU, for example with taskset -c 1.
func BenchmarkOrderCost(b *testing.B) {
	for _, size := range []int{8, 32, 128, 512, 2 << 10, 8 << 10, 32 << 10, 128 << 10, 512 << 10, 2 << 20, 8 << 20} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			src, dst := sharedBuffer(b, size), sharedBuffer(b, size)
			for i := range src {
				src[i], dst[i] = byte(i), 1
			}
			var ordered, other, ratios []float64
			for b.Loop() {
				first, second := orderPair(dst, src, len(ratios)%2 == 1)
				ordered, other, ratios = append(ordered, first), append(other, second), append(ratios, first/second)
			}
			if !bytes.Equal(dst, src) {
				b.Fatal("the copy differs from the message")
			}
			b.ReportMetric(0, "ns/op") // b.Loop measures a pair of copies
			b.ReportMetric(median(ordered), "ordered-ns")
			b.ReportMetric(median(other), "copy-ns")
			b.ReportMetric(median(ratios), "ratio")
		})
	}
}

// orderPair returns the mean nanoseconds of a copy by Ordered and of one by copy. If swapped, copy
// runs first.
func orderPair(dst, src []byte, swapped bool) (ordered, other float64) {
	if swapped {
		other = meanCopy(unordered, dst, src)
		return meanCopy(Ordered, dst, src), other
	}
	ordered = meanCopy(Ordered, dst, src)
	return ordered, meanCopy(unordered, dst, src)
}

// unordered is Go's copy with the signature of Ordered.
//
//go:noinline
func unordered(dst, src []byte) { copy(dst, src) }

// meanCopy returns the mean nanoseconds of a copy, from about a millisecond of copies. One
// unmeasured copy fills the caches.
func meanCopy(store func(dst, src []byte), dst, src []byte) float64 {
	n := max(2, min(1<<18, 16<<20/len(src)))
	store(dst, src)
	start := time.Now()
	for range n {
		store(dst, src)
	}
	return float64(time.Since(start)) / float64(n)
}

func sharedBuffer(b *testing.B, size int) []byte {
	b.Helper()
	m, err := memfd.New("ordercost", size)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { m.Close() })
	return m.Bytes()
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}
