package message

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/verbs"
)

// eachChecker runs f for rings with one marker, with many and with none.
func eachChecker(t *testing.T, sizes []int, offsets []int, f func(t *testing.T, r *Ring, m *Markers)) {
	for _, size := range sizes {
		for _, offset := range offsets {
			for _, kind := range []string{"none", "one", "blocks"} {
				r := ring(t, size, offset, 5)
				m := map[string]*Markers{
					"one": NewMarkers(r, verbs.OrderWhole), "blocks": NewMarkers(r, verbs.OrderBlocks),
				}[kind]
				t.Run(fmt.Sprintf("%d bytes at %d, markers %s", size, offset, kind), func(t *testing.T) { f(t, r, m) })
			}
		}
	}
}

func send(r *Ring, m *Markers, k uint64) {
	r.Fill(k)
	if m != nil {
		m.Write(k)
	}
}

var (
	someSizes   = []int{1, 2, 7, 8, 9, 15, 16, 17, 64, 127, 128, 129, 255, 256, 257, 400}
	someOffsets = []int{0, 1, 5, 7, 8, 64, 119, 120, 121, 127}
)

func TestCheckerFindsEveryFlippedBit(t *testing.T) {
	eachChecker(t, someSizes, someOffsets, func(t *testing.T, r *Ring, m *Markers) {
		const k = 12345
		c := NewChecker(r, m)
		send(r, m, k)
		if !c.Check(k) {
			t.Fatalf("good message: %s", c.Counts().First)
		}
		slot := r.Slot(k)
		for i := range slot {
			c.Reset()
			old := slot[i]
			slot[i] ^= 1 << (i % 8)
			if c.Check(k) {
				t.Fatalf("the change of byte %d was not found", i)
			}
			want := fmt.Sprintf("message %d, %d bytes, slot 0: ", k, len(slot))
			detail := fmt.Sprintf(": 1 bytes wrong, the first at offset %d (expected %#02x, found %#02x)", i, old, slot[i])
			if v := c.Counts(); v.Bad() != 1 || !strings.HasPrefix(v.First, want) || !strings.Contains(v.First, detail) {
				t.Fatalf("byte %d: %+v", i, v)
			}
			slot[i] = old
		}
		if !c.Check(k) {
			t.Fatalf("restored message: %s", c.Counts().First)
		}
	})
}

func TestCheckerIgnoresTheNeighbours(t *testing.T) {
	eachChecker(t, someSizes, someOffsets, func(t *testing.T, r *Ring, m *Markers) {
		for i := range r.buf {
			r.buf[i] = byte(i) | 1
		}
		c := NewChecker(r, m)
		for k := range uint64(20) {
			send(r, m, k)
			if !c.Check(k) {
				t.Fatal(c.Counts().First)
			}
		}
		if v := c.Counts(); v.Messages != 20 || v.Bad() != 0 || v.First != "" {
			t.Errorf("%+v", v)
		}
	})
}

// arriving returns a slot in which only the first n bytes of message k and its markers have arrived.
func arriving(r *Ring, m *Markers, k uint64, n int, before func()) {
	r.Fill(k)
	part := append([]byte(nil), r.Slot(k)[:n]...)
	before()
	copy(r.Slot(k), part)
	if m != nil {
		m.Write(k)
	}
}

func TestStaleAndTorn(t *testing.T) {
	eachChecker(t, []int{18, 128, 300, 2000}, someOffsets, func(t *testing.T, r *Ring, m *Markers) {
		for _, k := range []uint64{0, 3, 5, 77, 1285, 1 << 40} {
			write, read := NewChecker(r, m), NewReadChecker(r, m)
			for _, n := range []int{0, 9} { // one of 9 bytes is outside the markers
				arriving(r, m, k, n, func() { r.Prefill(0); before(r, m, k) })
				write.Check(k)
				arriving(r, m, k, n, func() { r.Blank(k) })
				read.Check(k)
			}
			for name, c := range map[string]*Checker{"write": write, "read": read} {
				v := c.Counts()
				if v.Messages != 2 || v.Stale != 1 || v.Torn != 1 || v.Duplicates != 0 {
					t.Errorf("%s of message %d: %+v", name, k, v)
				}
				if !strings.Contains(v.First, "stale") || !strings.Contains(v.First, origin(name, k)) {
					t.Errorf("%s of message %d: %q", name, k, v.First)
				}
			}
		}
	})
}

// before fills the slot of message k with the previous message of that slot, poisoned.
func before(r *Ring, m *Markers, k uint64) {
	if k < 5 {
		return
	}
	send(r, m, k-5)
	if m != nil {
		m.Poison(k - 5)
	}
}

func origin(name string, k uint64) string {
	switch {
	case name == "read":
		return "are blank as before the READ"
	case k < 5:
		return "are as before the first message"
	}
	return fmt.Sprintf("are those of message %d", k-5)
}

func TestNothingButMarkers(t *testing.T) {
	r := ring(t, 8, 124, 3) // 4 bytes in each of two blocks
	m := NewMarkers(r, verbs.OrderBlocks)
	m.Init(0)
	c := NewChecker(r, m)
	if c.Check(1); c.Counts().Stale != 1 {
		t.Errorf("nothing arrived: %+v", c.Counts())
	}
	c.Reset()
	m.Write(1)
	r.Slot(1)[7]++
	if c.Check(1); c.Counts().Torn != 1 || !strings.HasSuffix(c.Counts().First, "; all of them in markers") {
		t.Errorf("half of it arrived: %+v", c.Counts())
	}
}

func TestForeignBytes(t *testing.T) {
	r := ring(t, 64, 0, 3)
	c := NewChecker(r, nil)
	r.Fill(3)
	copy(r.Slot(3)[10:], "these are of no message")
	c.Check(3)
	want := "torn: 23 bytes wrong, the first at offset 10"
	if v := c.Counts(); v.Torn != 1 || !strings.Contains(v.First, want) || !strings.HasSuffix(v.First, "of 23 outside the markers are those of message 0") {
		t.Errorf("%+v", v)
	}
}

func TestOnlyTheFirstIsDescribed(t *testing.T) {
	r := ring(t, 64, 0, 3)
	c := NewChecker(r, nil)
	c.Duplicate(8)
	c.Check(9)
	c.Duplicate(10)
	v := c.Counts()
	if v.Messages != 1 || v.Duplicates != 2 || v.Bad() != 3 {
		t.Errorf("%+v", v)
	}
	if want := "message 8, 64 bytes, slot 2: delivered again after it was consumed"; v.First != want {
		t.Errorf("%q, want %q", v.First, want)
	}
}
