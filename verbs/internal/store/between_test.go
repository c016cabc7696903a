package store

import (
	"bytes"
	"testing"
)

// disorderObserved reports whether a mark was ever present without the bytes that it implies. It
// stores messages and checks each span between the stores, in the storing goroutine. The result
// follows from the seed and does not depend on another CPU's timing.
func disorderObserved(of shape, spans []span, store func(s *Shuffler, dst, src []byte)) bool {
	const messages = 100
	dst, m, seen := make([]byte, of.size), 1, false
	copy(dst, message(0, of.size))
	s := NewShuffler(1)
	s.between = func() {
		src := message(m, of.size)
		for _, i := range spans {
			arrived := dst[i.mark] == src[i.mark]
			seen = seen || arrived && !bytes.Equal(dst[i.from:i.mark+1], src[i.from:i.mark+1])
		}
	}
	for ; m <= messages && !seen; m++ {
		store(&s, dst, message(m, of.size))
	}
	return seen
}

func TestOrderObservedBetweenPieces(t *testing.T) {
	eachShape(t, func(t *testing.T, of shape) {
		blocks := func(s *Shuffler, dst, src []byte) { s.Blocks([]Piece{{dst, src, uint64(of.offset)}}) }
		all := func(s *Shuffler, dst, src []byte) { s.Bytes([]Piece{{dst, src, uint64(of.offset)}}) }
		for _, c := range []struct {
			name  string
			spans []span
			store func(s *Shuffler, dst, src []byte)
			want  bool
		}{
			{"Blocks, by the last byte", of.whole(), blocks, true},
			{"Blocks, by every block", of.blocks(), blocks, false},
			{"Bytes, by the last byte", of.whole(), all, true},
			{"Bytes, by every block", of.blocks(), all, true},
		} {
			if got := disorderObserved(of, c.spans, c.store); got != c.want {
				t.Errorf("%s: observed out of order: %v", c.name, got)
			}
		}
	})
}

func TestBytesObservedWithinOneBlock(t *testing.T) {
	of := shape{100, 3}
	if !disorderObserved(of, of.whole(), func(s *Shuffler, dst, src []byte) { s.Bytes([]Piece{{dst, src, 3}}) }) {
		t.Error("no message was observed out of order")
	}
}
