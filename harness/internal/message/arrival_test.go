package message

import (
	"math/rand/v2"
	"testing"

	"github.com/ibperf/ibperf/verbs"
)

// deliver copies the i-th marker of message k from one ring to another, as a device does.
func deliver(dst, src *Markers, k uint64, i int) {
	s := src.spot(i)
	at := src.slotBase(k) + s.word
	dst.words[at] = dst.words[at]&^s.mask | src.words[at]&s.mask
}

func eachShape(t *testing.T, f func(t *testing.T, src, dst *Markers)) {
	const slots = 3
	for _, size := range []int{1, 2, 3, 7, 8, 9, 127, 128, 129, 136, 255, 256, 257, 300, 1000, 4096} {
		for offset := range verbs.BlockSize {
			for _, order := range orders {
				src := NewMarkers(ring(t, size, offset, slots), order)
				dst := NewMarkers(ring(t, size, offset, slots), order)
				dst.Init(0)
				f(t, src, dst)
				if t.Failed() {
					t.Fatalf("%d bytes at %d, %v", size, offset, order)
				}
			}
		}
	}
}

func TestArrivedNeedsEveryMarker(t *testing.T) {
	eachShape(t, func(t *testing.T, src, dst *Markers) {
		for missing := range dst.Len() {
			k := uint64(missing)
			src.Write(k)
			for i := range dst.Len() {
				if i != missing {
					deliver(dst, src, k, i)
				}
			}
			for range 2 {
				if dst.Arrived(k) {
					t.Errorf("message %d is there without marker %d", k, missing)
				}
			}
			deliver(dst, src, k, missing)
			if !dst.Arrived(k) {
				t.Errorf("message %d is not there", k)
			}
		}
	})
}

func TestArrivedInAnyOrder(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	eachShape(t, func(t *testing.T, src, dst *Markers) {
		for k := range uint64(5) {
			src.Write(k)
			for n, i := range rnd.Perm(dst.Len()) {
				if dst.Arrived(k) {
					t.Errorf("message %d is there after %d markers", k, n)
				}
				if rnd.IntN(2) == 0 && dst.Arrived(k+1) {
					t.Errorf("message %d is there after %d markers of %d", k+1, n, k)
				}
				deliver(dst, src, k, i)
			}
			if !dst.Arrived(k) {
				t.Errorf("message %d is not there", k)
			}
		}
	})
}

func TestPoisonAndRedelivered(t *testing.T) {
	eachShape(t, func(t *testing.T, src, dst *Markers) {
		const slots = 3
		for k := range uint64(300) {
			if dst.Arrived(k) || dst.Redelivered(k) {
				t.Errorf("message %d before it was sent", k)
			}
			if k >= slots {
				src.Write(k - slots)
				i := int(k) % dst.Len()
				deliver(dst, src, k-slots, i)
				if !dst.Redelivered(k) || dst.Arrived(k) {
					t.Errorf("message %d was delivered again unseen", k-slots)
				}
			}
			src.Write(k)
			for i := range dst.Len() {
				deliver(dst, src, k, i)
			}
			if !dst.Arrived(k) || dst.Redelivered(k) {
				t.Errorf("message %d is not there", k)
			}
			dst.Poison(k)
			dst.Poison(k)
			if dst.Arrived(k) || dst.Redelivered(k+slots) {
				t.Errorf("message %d is there after it was poisoned", k)
			}
			if dst.Len() > 4 && k > 9 {
				break // long messages differ in nothing else
			}
		}
	})
}

// The source of READs never changes, and the reader polls for the same marker
// each time it reads a slot.
func TestReadTheSameAgain(t *testing.T) {
	eachShape(t, func(t *testing.T, src, dst *Markers) {
		for k := range uint64(src.ring.Slots()) {
			src.ring.Fill(k)
			src.Write(k)
		}
		check := NewReadChecker(dst.ring, dst)
		for i := range uint64(10) {
			k := dst.ring.Index(i)
			dst.ring.Blank(k)
			dst.Poison(k)
			if dst.Arrived(k) {
				t.Errorf("read %d is there before it was posted", i)
			}
			copy(dst.ring.Slot(k), src.ring.Slot(k))
			if !dst.Arrived(k) || !check.Check(k) {
				t.Errorf("read %d is not there: %s", i, check.Counts().First)
			}
		}
	})
}

func TestOneSlotCanBeReadAgain(t *testing.T) {
	m := NewMarkers(ring(t, 300, 100, 1), verbs.OrderBlocks)
	for i := range 5 {
		m.Poison(0)
		if m.Arrived(0) {
			t.Fatalf("read %d is there before it was posted", i)
		}
		m.Write(0)
		if !m.Arrived(0) {
			t.Fatalf("read %d is not there", i)
		}
	}
}

func TestMarkersDoNotAllocate(t *testing.T) {
	for _, order := range orders {
		r := ring(t, 4096, 3, 65)
		m, check := NewMarkers(r, order), NewChecker(r, nil)
		m.Init(0)
		var k uint64
		good := 0
		n := testing.AllocsPerRun(1000, func() {
			r.Fill(k)
			if check.Check(k) {
				good++
			}
			m.Write(k)
			if m.Arrived(k) && !m.Redelivered(k) {
				good++
			}
			m.Poison(k)
			k++
		})
		if n != 0 || uint64(good) != 2*k {
			t.Errorf("%v: %g allocations, %d good of %d", order, n, good, k)
		}
	}
}
