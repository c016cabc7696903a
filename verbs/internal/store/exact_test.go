package store

import (
	"bytes"
	"fmt"
	"testing"
)

const (
	guard  = 0xA5
	guards = 64 // guard bytes before the first offset and after the last byte
)

// storeFunc stores src at the front of dst, whose first byte the reader finds at address base.
type storeFunc func(dst, src []byte, base uint64)

// storeFuncs returns the three ways to store a message, the shuffled ones from the seed.
func storeFuncs(seed uint64) map[string]storeFunc {
	blocks, all := NewShuffler(seed), NewShuffler(seed)
	return map[string]storeFunc{
		"Ordered": func(dst, src []byte, _ uint64) { Ordered(dst, src) },
		"Blocks":  func(dst, src []byte, base uint64) { blocks.Blocks([]Piece{{dst, src, base}}) },
		"Bytes":   func(dst, src []byte, base uint64) { all.Bytes([]Piece{{dst, src, base}}) },
	}
}

// arena is a destination buffer between guard bytes.
type arena []byte

func newArena(room int) arena {
	return bytes.Repeat([]byte{guard}, guards+room+guards)
}

// check stores src at the offset and returns an error if the result differs from a copy.
func (a arena) check(store storeFunc, src []byte, offset int, base uint64) error {
	at := guards + offset
	end := at + len(src)
	store(a[at:], src, base)
	if !bytes.Equal(a[at:end], src) {
		return fmt.Errorf("%d bytes at offset %d, base %d: bytes differ", len(src), offset, base)
	}
	for i := at; i < end; i++ {
		a[i] = guard
	}
	if bytes.Count(a, []byte{guard}) != len(a) {
		return fmt.Errorf("%d bytes at offset %d, base %d: guard bytes were overwritten", len(src), offset, base)
	}
	return nil
}

func source(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*7 + i>>8)
	}
	return b
}

func TestExactForEverySmallSizeAndOffset(t *testing.T) {
	for name, store := range storeFuncs(1) {
		t.Run(name, func(t *testing.T) {
			a, src := newArena(700), source(700)
			for size := 0; size <= 600; size++ {
				for offset := 0; offset <= 40; offset++ {
					for _, from := range []int{0, 1, 8, 19} {
						if err := a.check(store, src[from:from+size], offset, uint64(offset)); err != nil {
							t.Fatalf("source offset %d: %v", from, err)
						}
					}
				}
			}
		})
	}
}

func TestExactForEveryOffsetInABlock(t *testing.T) {
	for name, store := range storeFuncs(2) {
		t.Run(name, func(t *testing.T) {
			a, src := newArena(1024), source(600)
			for offset := 0; offset <= 2*block; offset++ {
				for size := 100; size <= 600; size += 7 {
					if err := a.check(store, src[:size], offset, uint64(size+offset)); err != nil {
						t.Fatal(err)
					}
				}
			}
		})
	}
}

func TestExactForLargeSizes(t *testing.T) {
	src := source(5<<20 + 1)
	for name, store := range storeFuncs(3) {
		t.Run(name, func(t *testing.T) {
			a := newArena(len(src) + 128)
			for _, size := range []int{4095, 65537, 256<<10 - 1, 256 << 10, 256<<10 + 300, 5<<20 + 1} {
				for _, offset := range []int{0, 1, 127} {
					if err := a.check(store, src[:size], offset, 5); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
}

func TestShortDestinationPanics(t *testing.T) {
	for name, store := range storeFuncs(4) {
		for _, size := range []int{1, 8, 16, 300} {
			t.Run(fmt.Sprintf("%s/%d", name, size), func(t *testing.T) {
				defer func() {
					if recover() == nil {
						t.Error("no panic")
					}
				}()
				store(make([]byte, size-1, size), make([]byte, size), 0)
			})
		}
	}
}

func TestNothingAllocates(t *testing.T) {
	dst, src := make([]byte, 1000), source(1000)
	for name, store := range storeFuncs(5) {
		if n := testing.AllocsPerRun(100, func() { store(dst, src, 3) }); n != 0 {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
}

func FuzzExact(f *testing.F) {
	f.Add([]byte("a message"), uint8(3), uint64(120), uint64(1))
	f.Add(source(1000), uint8(127), uint64(127), uint64(2))
	f.Fuzz(func(t *testing.T, src []byte, offset uint8, base, seed uint64) {
		a := newArena(int(offset) + len(src))
		for name, store := range storeFuncs(seed) {
			if err := a.check(store, src, int(offset), base); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}
