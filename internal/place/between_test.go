package place

import (
	"bytes"
	"testing"
)

// seenBetween places messages until one of them, looked at between its pieces by
// the goroutine that places it, has a mark without what the mark implies. What is
// seen follows from the seed: no other CPU has to look in time.
func seenBetween(of shape, spans []span, place func(s *Shuffler, dst, src []byte)) bool {
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
		place(&s, dst, message(m, of.size))
	}
	return seen
}

func TestWhatIsSeenBetweenPieces(t *testing.T) {
	eachShape(t, func(t *testing.T, of shape) {
		blocks := func(s *Shuffler, dst, src []byte) { s.Blocks([]Piece{{dst, src, uint64(of.offset)}}) }
		all := func(s *Shuffler, dst, src []byte) { s.Bytes([]Piece{{dst, src, uint64(of.offset)}}) }
		for _, c := range []struct {
			name  string
			spans []span
			place func(s *Shuffler, dst, src []byte)
			want  bool
		}{
			{"Blocks, by the last byte", of.whole(), blocks, true},
			{"Blocks, by every block", of.blocks(), blocks, false},
			{"Bytes, by the last byte", of.whole(), all, true},
			{"Bytes, by every block", of.blocks(), all, true},
		} {
			if got := seenBetween(of, c.spans, c.place); got != c.want {
				t.Errorf("%s: seen out of order: %v", c.name, got)
			}
		}
	})
}

func TestBytesAreSeenBetweenPiecesOfOneBlock(t *testing.T) {
	of := shape{100, 3}
	if !seenBetween(of, of.whole(), func(s *Shuffler, dst, src []byte) { s.Bytes([]Piece{{dst, src, 3}}) }) {
		t.Error("no message was seen out of order")
	}
}
