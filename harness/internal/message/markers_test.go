package message

import (
	"bytes"
	"testing"

	"github.com/ibperf/ibperf/verbs"
)

// places returns the bytes of a slot that are markers for a promise: in every block that is stored in
// order the bytes of the last aligned word.
func places(size, offset int, order verbs.Order) [][]int {
	var all [][]int
	end := offset + size
	begin := offset
	for begin < end {
		stop := end
		if order == verbs.OrderBlocks {
			stop = min((begin/verbs.BlockSize+1)*verbs.BlockSize, end)
		}
		var marker []int
		for i := max(begin, (stop-1)&^7); i < stop; i++ {
			marker = append(marker, i)
		}
		all = append(all, marker)
		begin = stop
	}
	return all
}

// orders have different markers; the markers of all other orders are those of verbs.OrderWhole.
var orders = []verbs.Order{verbs.OrderWhole, verbs.OrderBlocks}

func checkPlaces(t *testing.T, buf []byte, size, offset int, order verbs.Order, k uint64) {
	t.Helper()
	r := ringIn(t, buf, size, offset, 3)
	m := NewMarkers(r, order)
	begin := r.SlotOffset(k) - offset
	slot := buf[begin : begin+RingBytes(size, offset, 1)]
	clear(slot)
	want := make([]byte, len(slot))
	all := places(size, offset, order)
	for _, marker := range all {
		if len(marker) < 1 || len(marker) > 8 || marker[0] < offset || marker[0]/8 != marker[len(marker)-1]/8 {
			t.Fatalf("%d bytes at %d, %v: marker at %v", size, offset, order, marker)
		}
		for i, place := range marker {
			if want[place] = byte((k + 1) >> (8 * i)); want[place] == 0 {
				t.Fatalf("message %d has a marker byte of 0, which this test cannot see", k)
			}
		}
	}
	m.Write(k)
	if m.Len() != len(all) || !bytes.Equal(slot, want) {
		t.Fatalf("%d bytes at %d, %v: %d markers\n got %x\nwant %x", size, offset, order, m.Len(), slot, want)
	}
}

func TestMarkerPlaces(t *testing.T) {
	buf := aligned(t, RingBytes(300, 127, 3))
	for size := 1; size <= 300; size++ {
		for offset := range verbs.BlockSize {
			for _, order := range orders {
				checkPlaces(t, buf, size, offset, order, 0x8877665544332210)
			}
		}
	}
}

func FuzzGeometry(f *testing.F) {
	f.Add(1, 0, uint64(1))
	f.Add(128, 1, uint64(256))
	f.Add(4096, 127, uint64(1<<40))
	f.Add(65536, 64, uint64(1<<63))
	f.Fuzz(func(t *testing.T, size, offset int, k uint64) {
		if size < 1 || size > 1<<17 || offset < 0 || offset > 127 {
			t.Skip()
		}
		buf := aligned(t, RingBytes(size, offset, 3))
		for _, order := range orders {
			checkPlaces(t, buf, size, offset, order, (k|0x0101010101010101)-1)
			r := ringIn(t, buf, size, offset, 3)
			m := NewMarkers(r, order)
			m.Init(0)
			k := k % (1 << 62)
			m.writeAt(m.slotBase(k), k-3)
			if m.Arrived(k) {
				t.Fatal("there before it was written")
			}
			r.Fill(k)
			m.Write(k)
			if !m.Arrived(k) || !NewChecker(r, m).Check(k) {
				t.Fatal("not there after it was written")
			}
		}
	})
}

// Numbers near the limits of every marker width.
func numbers() []uint64 {
	ks := []uint64{0, 1, 2, 100, 1<<64 - 1, 1<<64 - 2, 0x0123456789abcdef}
	for shift := 7; shift < 64; shift++ {
		for d := uint64(0); d < 4; d++ {
			ks = append(ks, 1<<shift+d-2)
		}
	}
	return ks
}

func TestMarkerDiffersFromWhatWasThere(t *testing.T) {
	var spots []spot
	for from := range wordSize {
		for to := from + 1; to <= wordSize; to++ {
			spots = append(spots, spot{mask: byteMask(from, to), shift: uint(8 * from)})
		}
	}
	slotCounts := []uint64{32767, 65535, 65537, 1<<20 + 1}
	for n := uint64(1); n < 600; n += 2 {
		slotCounts = append(slotCounts, n)
	}
	for _, slots := range slotCounts {
		for _, k := range append(numbers(), slots-1, slots, slots+1, 255*slots, 256*slots) {
			for _, s := range spots {
				now, before, after := s.value(k), s.value(k-slots), s.value(k+slots)
				poisoned := now ^ poison<<s.shift
				if now == before || now == after || poisoned == now || poisoned == after || poisoned == before {
					t.Fatalf("%d slots, message %d, mask %x: %x after %x, before %x, poisoned %x", slots, k, s.mask, now, before, after, poisoned)
				}
			}
		}
	}
}

func TestMarkersOverManyPasses(t *testing.T) {
	for _, order := range orders {
		for _, slots := range []int{1, 3, 127, 255, 257} {
			for _, size := range []int{1, 2, 9, 130} {
				r := ring(t, size, 0, slots)
				m := NewMarkers(r, order)
				m.Init(0)
				for k := range uint64(70_000) {
					if m.Arrived(k) {
						t.Fatalf("%d slots of %d bytes: message %d is there too early", slots, size, k)
					}
					m.Write(k)
					for range 2 {
						if !m.Arrived(k) {
							t.Fatalf("%d slots of %d bytes: message %d is not there", slots, size, k)
						}
					}
				}
			}
		}
	}
}

func TestOtherOrdersHaveOneMarker(t *testing.T) {
	r := ring(t, 1000, 9, 3)
	for _, order := range []verbs.Order{verbs.OrderUnknown, verbs.OrderNone, verbs.OrderWhole} {
		if n := NewMarkers(r, order).Len(); n != 1 {
			t.Errorf("%v: %d markers", order, n)
		}
	}
	if n := NewMarkers(r, verbs.OrderBlocks).Len(); n != 8 {
		t.Errorf("%d markers", n)
	}
}

// WriteAll writes the same markers as Write message by message, and so do the calls after it.
func TestWriteAll(t *testing.T) {
	const slots = 5
	for _, order := range orders {
		for _, size := range []int{1, 3, 8, 100, 128, 129, 1000} {
			for _, offset := range []int{0, 1, 7, 127} {
				one, all := aligned(t, RingBytes(size, offset, slots)), aligned(t, RingBytes(size, offset, slots))
				a, b := NewMarkers(ringIn(t, one, size, offset, slots), order), NewMarkers(ringIn(t, all, size, offset, slots), order)
				for k, n := uint64(0), uint64(1); k < 700; k, n = k+n, n%slots+1 {
					for i := range n {
						a.Write(k + i)
					}
					b.WriteAll(k, n)
					if !bytes.Equal(one, all) {
						t.Fatalf("size %d, offset %d, order %v: %d messages from %d on differ", size, offset, order, n, k)
					}
				}
				for k := uint64(700); k < 710; k++ {
					a.Write(k)
					b.Write(k)
				}
				if !bytes.Equal(one, all) {
					t.Errorf("size %d, offset %d, order %v: what is written afterwards differs", size, offset, order)
				}
			}
		}
	}
}
