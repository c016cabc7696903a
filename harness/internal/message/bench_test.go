package message

import (
	"fmt"
	"testing"

	"github.com/ibperf/ibperf/verbs"
)

func eachSize(b *testing.B, f func(b *testing.B, size int)) {
	for _, size := range []int{8, 256, 4096, 65536, 1 << 20} {
		b.Run(fmt.Sprint(size), func(b *testing.B) { f(b, size) })
	}
}

func BenchmarkFill(b *testing.B) {
	eachSize(b, func(b *testing.B, size int) {
		r := ring(b, size, 0, 3)
		b.SetBytes(int64(size))
		var k uint64
		for b.Loop() {
			r.Fill(k)
			k++
		}
	})
}

func benchmarkCheck(b *testing.B, order verbs.Order) {
	eachSize(b, func(b *testing.B, size int) {
		r := ring(b, size, 0, 3)
		m := NewMarkers(r, order)
		for k := range uint64(3) {
			send(r, m, k)
		}
		c := NewChecker(r, m)
		b.SetBytes(int64(size))
		b.ReportAllocs()
		var k uint64
		for b.Loop() {
			if !c.Check(k % 3) {
				b.Fatal(c.Counts().First)
			}
			k++
		}
	})
}

func BenchmarkCheckWhole(b *testing.B)  { benchmarkCheck(b, verbs.OrderWhole) }
func BenchmarkCheckBlocks(b *testing.B) { benchmarkCheck(b, verbs.OrderBlocks) }

func benchmarkMarkers(b *testing.B, size int, order verbs.Order, f func(m *Markers, k uint64)) {
	m := NewMarkers(ring(b, size, 0, 129), order)
	m.Init(0)
	b.ReportAllocs()
	var k uint64
	for b.Loop() {
		f(m, k)
		k++
	}
}

func BenchmarkWrite(b *testing.B) {
	benchmarkMarkers(b, 8, verbs.OrderWhole, func(m *Markers, k uint64) { m.Write(k) })
}

func BenchmarkWriteBlocks4096(b *testing.B) {
	benchmarkMarkers(b, 4096, verbs.OrderBlocks, func(m *Markers, k uint64) { m.Write(k) })
}

// BenchmarkArrivedNext polls for another message each time.
func BenchmarkArrivedNext(b *testing.B) {
	benchmarkMarkers(b, 8, verbs.OrderWhole, func(m *Markers, k uint64) { m.Arrived(k) })
}

// BenchmarkArrivedNotYet polls for a message that has not arrived.
func BenchmarkArrivedNotYet(b *testing.B) {
	benchmarkMarkers(b, 8, verbs.OrderWhole, func(m *Markers, _ uint64) { m.Arrived(1) })
}

func BenchmarkWriteArrivedBlocks4096(b *testing.B) {
	benchmarkMarkers(b, 4096, verbs.OrderBlocks, func(m *Markers, k uint64) {
		m.Write(k)
		if !m.Arrived(k) {
			b.Fatal("not there")
		}
	})
}

func BenchmarkPoison(b *testing.B) {
	benchmarkMarkers(b, 8, verbs.OrderWhole, func(m *Markers, k uint64) { m.Poison(k) })
}
