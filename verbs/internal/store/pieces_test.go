package store

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
)

// layout lists the pieces of a message by offset and size, like a scatter list.
type layout []struct{ at, size int }

func (l layout) size() (n int) {
	for _, p := range l {
		n += p.size
	}
	return n
}

// message returns src as the pieces of a message to dst, whose first byte the reader finds at
// address 0.
func (l layout) message(dst, src []byte) (m []Piece) {
	for _, p := range l {
		m = append(m, Piece{dst[p.at:], src[:p.size], uint64(p.at)})
		src = src[p.size:]
	}
	return m
}

// image returns the expected content of dst: the pieces stored in the message's order.
func (l layout) image(dst, src []byte) []byte {
	out := bytes.Clone(dst)
	for _, p := range l {
		copy(out[p.at:], src[:p.size])
		src = src[p.size:]
	}
	return out
}

// apart returns n pieces of the size, each two blocks after the previous one.
func apart(n, size int) (l layout) {
	for i := range n {
		l = append(l, struct{ at, size int }{i * 2 * block, size})
	}
	return l
}

// adjoining returns n pieces of the size without gaps, from an address on.
func adjoining(at, n, size int) (l layout) {
	for i := range n {
		l = append(l, struct{ at, size int }{at + i*size, size})
	}
	return l
}

var layouts = map[string]layout{
	"32 of one block":           apart(32, block),
	"32 of a byte":              apart(32, 1),
	"a gather list":             adjoining(3, 32, 100),
	"small ones":                adjoining(120, 40, 8),
	"empty ones":                {{0, 0}, {5, 300}, {400, 0}, {400, 300}, {900, 0}},
	"nothing":                   {{0, 0}},
	"back to a block":           {{0, 40}, {256, 200}, {64, 64}, {40, 24}},
	"one block, backwards":      {{64, 64}, {0, 64}},
	"a block between two pages": {{4000, 200}, {8100, 90}},
}

const room = 1 << 14

func TestPiecesAreExact(t *testing.T) {
	for name, l := range layouts {
		s := NewShuffler(1)
		for kind, store := range map[string]func([]Piece){"Blocks": s.Blocks, "Bytes": s.Bytes} {
			for range 50 {
				dst := bytes.Repeat([]byte{guard}, room)
				src := source(l.size())
				want := l.image(dst, src)
				if store(l.message(dst, src)); !bytes.Equal(dst, want) {
					t.Fatalf("%s of %s: bytes differ", kind, name)
				}
			}
		}
	}
}

// TestPiecesAreShuffled covers that the last piece of a message can be stored before an earlier
// one, for all sizes of pieces.
func TestPiecesAreShuffled(t *testing.T) {
	for name, store := range map[string]func(*Shuffler, []Piece){"Blocks": (*Shuffler).Blocks, "Bytes": (*Shuffler).Bytes} {
		for _, size := range []int{1, 8, block} {
			l, s := apart(32, size), NewShuffler(1)
			dst, src := make([]byte, room), bytes.Repeat([]byte{1}, l.size())
			last, early := l[len(l)-1], 0
			s.between = func() {
				if dst[last.at+last.size-1] == 1 && !bytes.Equal(dst, l.image(dst, src)) {
					early++
				}
			}
			for m := 0; m < 100 && early == 0; m++ {
				clear(dst)
				store(&s, l.message(dst, src))
			}
			if early == 0 {
				t.Errorf("%s, 32 pieces of %d bytes: the last piece was never stored before another", name, size)
			}
		}
	}
}

// TestBlocksAreOrderedAcrossPieces covers that at any time a message's bytes within one aligned
// block are a prefix in the message's order, even across pieces.
func TestBlocksAreOrderedAcrossPieces(t *testing.T) {
	for name, l := range layouts {
		s, dst, src := NewShuffler(1), make([]byte, room), bytes.Repeat([]byte{1}, l.size())
		s.between = func() {
			if err := l.check(dst); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		for m := 0; m < 100 && !t.Failed(); m++ {
			clear(dst)
			s.Blocks(l.message(dst, src))
		}
	}
}

// check returns an error if dst has a later byte of the message in a block without an earlier one.
func (l layout) check(dst []byte) error {
	missing := map[int]bool{} // blocks with a missing byte
	for _, p := range l {
		for at := p.at; at < p.at+p.size; at++ {
			switch b := at / block; {
			case dst[at] == 0:
				missing[b] = true
			case missing[b]:
				return fmt.Errorf("byte %d is stored before an earlier byte of its block", at)
			}
		}
	}
	return nil
}

// TestPiecesAtAnyBaseAddress covers arbitrary addresses, which a peer may have chosen.
func TestPiecesAtAnyBaseAddress(t *testing.T) {
	const size = 300
	src, s := source(size), NewShuffler(1)
	for _, store := range []func([]Piece){s.Blocks, s.Bytes} {
		for range 50 {
			var message []Piece
			for _, base := range []uint64{0, 1<<63 - 64, 1 << 63, 1<<63 + 200, 1<<64 - size, 1<<64 - 1, 5} {
				message = append(message, Piece{make([]byte, size), src, base})
			}
			store(message)
			for _, p := range message {
				if !bytes.Equal(p.Dst, src) {
					t.Fatalf("bytes differ at %#x", p.Base)
				}
			}
		}
	}
}

func TestRandomPiecesAreExact(t *testing.T) {
	r, s := rand.New(rand.NewPCG(1, 2)), NewShuffler(3)
	for range 3000 {
		var l layout
		for at := 0; len(l) < 1+r.IntN(40); {
			at += r.IntN(60)
			l = append(l, struct{ at, size int }{at, r.IntN(200)})
			at += l[len(l)-1].size
		}
		r.Shuffle(len(l), func(i, j int) { l[i], l[j] = l[j], l[i] })
		dst, src := bytes.Repeat([]byte{guard}, room), source(l.size())
		want := l.image(dst, src)
		if s.Blocks(l.message(dst, src)); !bytes.Equal(dst, want) {
			t.Fatalf("Blocks of %v: bytes differ", l)
		}
		if s.Bytes(l.message(dst, src)); !bytes.Equal(dst, want) {
			t.Fatalf("Bytes of %v: bytes differ", l)
		}
	}
}
