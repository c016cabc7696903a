package message

import (
	"testing"

	"github.com/ibperf/ibperf/verbs"
)

// aligned returns n zero bytes at a 128-byte aligned address.
func aligned(t testing.TB, n int) []byte {
	t.Helper()
	b := make([]byte, n+verbs.BlockSize)
	for i := range verbs.BlockSize {
		if _, err := wordsOf(b[i : i+n]); err == nil {
			return b[i : i+n : i+n]
		}
	}
	t.Fatal("no aligned byte among 128")
	return nil
}

func ring(t testing.TB, size, offset, slots int) *Ring {
	t.Helper()
	return ringIn(t, aligned(t, RingBytes(size, offset, slots)), size, offset, slots)
}

func ringIn(t testing.TB, buf []byte, size, offset, slots int) *Ring {
	t.Helper()
	r, err := NewRing(buf, size, offset, slots)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestNewRingRefuses(t *testing.T) {
	buf := aligned(t, 4096)
	cases := map[string]struct {
		buf                 []byte
		size, offset, slots int
	}{
		"no size":         {buf, 0, 0, 3},
		"negative size":   {buf, -8, 0, 3},
		"negative offset": {buf, 8, -1, 3},
		"large offset":    {buf, 8, 128, 3},
		"even slots":      {buf, 8, 0, 4},
		"no slots":        {buf, 8, 0, 0},
		"negative slots":  {buf, 8, 0, -1},
		"short buffer":    {buf[:383], 8, 0, 3},
		"no buffer":       {nil, 8, 0, 3},
		"unaligned":       {buf[8:], 8, 0, 3},
		"overflow":        {buf, 1 << 61, 0, 9},
	}
	for name, c := range cases {
		if r, err := NewRing(c.buf, c.size, c.offset, c.slots); err == nil {
			t.Errorf("%s: got %+v", name, r)
		}
	}
}

func TestRingGeometry(t *testing.T) {
	const slots = 5
	buf := aligned(t, RingBytes(300, 127, slots))
	for size := 1; size <= 300; size++ {
		for offset := range verbs.BlockSize {
			r := ringIn(t, buf, size, offset, slots)
			stride := RingBytes(size, offset, 1)
			if stride%verbs.BlockSize != 0 || stride < offset+size || stride >= offset+size+verbs.BlockSize {
				t.Fatalf("%d bytes at %d: stride %d", size, offset, stride)
			}
			for _, k := range []uint64{0, 1, 4, 5, 6, 255, 256, 1<<32 - 1, 1 << 32, 1<<63 + 1, 1<<64 - 1} {
				want := int(k%slots)*stride + offset
				if got := r.SlotOffset(k); got != want {
					t.Fatalf("%d bytes at %d: message %d at %d, want %d", size, offset, k, got, want)
				}
				if s := r.Slot(k); len(s) != size || cap(s) != size || &s[0] != &buf[want] {
					t.Fatalf("%d bytes at %d: wrong slot for message %d", size, offset, k)
				}
			}
		}
	}
}

func TestFillStaysWithinTheMessage(t *testing.T) {
	const slots = 3
	for size := 1; size <= 150; size++ {
		for offset := range verbs.BlockSize {
			r := ring(t, size, offset, slots)
			for _, fill := range []func(uint64){r.Fill, r.Blank, func(uint64) { r.Prefill(0) }, NewMarkers(r, verbs.OrderBlocks).Write} {
				clear(r.buf)
				fill(1)
				for s := range uint64(slots) {
					clear(r.Slot(s))
				}
				for i, b := range r.buf {
					if b != 0 {
						t.Fatalf("%d bytes at %d: byte %d of the ring was written", size, offset, i)
					}
				}
			}
		}
	}
}

func TestPatternDiffersFromWhatWasThere(t *testing.T) {
	r := ring(t, 200, 5, 7)
	before := make([]byte, r.Size())
	allDiffer := func(what string, k uint64) {
		t.Helper()
		for i, b := range r.Slot(k) {
			if b == before[i] {
				t.Fatalf("%s: byte %d of message %d is still %#x", what, i, k, b)
			}
		}
	}
	r.Prefill(0)
	for k := range uint64(7 * 600) {
		copy(before, r.Slot(k))
		r.Fill(k)
		allDiffer("fill", k)
		copy(before, r.Slot(k))
		r.Blank(k)
		allDiffer("blank", k)
		r.Fill(k)
	}
}

func TestPatternDependsOnMessageAndPlace(t *testing.T) {
	const slots, size = 63, 1024
	r := ring(t, size, 0, slots)
	for k := range uint64(slots) {
		r.Fill(k)
	}
	equal, pairs := 0, 0
	for k := range uint64(slots) {
		a := r.Slot(k)
		for i, b := range r.Slot((k + 1) % slots) {
			for _, shift := range []int{0, 1, 8, 128} {
				pairs++
				if b == a[(i+shift)%size] {
					equal++
				}
			}
		}
	}
	if share := float64(equal) / float64(pairs); share > 1.1/256 {
		t.Errorf("%.2f %% of the bytes agree, want about 0.39 %%", 100*share)
	}
}
