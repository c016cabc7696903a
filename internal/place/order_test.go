//go:build linux

package place

import (
	"runtime"
	"testing"
	"time"
)

// budget is how long messages are watched that must all be in order. A machine
// busy with other work may give the two sides one CPU by turns; then every message
// costs a change of threads, and is complete when the reader looks. Only those
// that the reader watched arrive are counted.
const budget = time.Second / 2

// patience is how long a reader on another CPU waits to see a message out of
// order: milliseconds on a machine of its own, more where other work has the CPUs.
const patience = time.Minute

// mustHold sends n messages, none of which may be seen out of order.
func mustHold(t *testing.T, o *observer, n int, spans []span, place func(dst, src []byte)) {
	t.Helper()
	if !InOrder {
		t.Skip("no order is promised on " + runtime.GOARCH)
	}
	if testing.Short() {
		n /= 10
	}
	watched, wrong := 0, false
	defer o.send(place)()
	o.watch(t, budget, spans, func(seen int) bool {
		if seen != unwatched {
			watched++
		}
		wrong = seen == disordered
		return wrong || watched == n
	})
	if wrong {
		t.Errorf("a message was seen out of order, the last of %d watched", watched)
	}
	t.Logf("%d messages were watched", watched)
}

// mustFail sends messages until one is seen out of order.
func mustFail(t *testing.T, o *observer, spans []span, place func(dst, src []byte)) {
	t.Helper()
	messages := 0
	defer o.send(place)()
	if !o.watch(t, patience, spans, func(seen int) bool {
		messages++
		return seen == disordered
	}) {
		t.Errorf("none of %d messages was seen out of order within %v", messages, patience)
	}
	t.Logf("%d messages were sent", messages)
}

func TestOrderedHoldsForTheLastByte(t *testing.T) {
	observed(t, func(t *testing.T, o *observer) {
		mustHold(t, o, 200_000, o.whole(), Ordered)
	})
}

func TestOrderedHoldsForEveryBlock(t *testing.T) {
	observed(t, func(t *testing.T, o *observer) {
		mustHold(t, o, 20_000, o.blocks(), Ordered)
	})
}

func TestBlocksHoldsForEveryBlock(t *testing.T) {
	observed(t, func(t *testing.T, o *observer) {
		s := NewShuffler(1)
		mustHold(t, o, 20_000, o.blocks(), func(dst, src []byte) { s.Blocks([]Piece{{dst, src, uint64(o.offset)}}) })
	})
}

func TestBlocksFailsForTheLastByte(t *testing.T) {
	observed(t, func(t *testing.T, o *observer) {
		s := NewShuffler(1)
		mustFail(t, o, o.whole(), func(dst, src []byte) { s.Blocks([]Piece{{dst, src, uint64(o.offset)}}) })
	})
}

func TestBytesFailsForTheLastByte(t *testing.T) {
	observed(t, func(t *testing.T, o *observer) {
		s := NewShuffler(1)
		mustFail(t, o, o.whole(), func(dst, src []byte) { s.Bytes([]Piece{{dst, src, uint64(o.offset)}}) })
	})
}

func TestBytesFailsForSomeBlock(t *testing.T) {
	observed(t, func(t *testing.T, o *observer) {
		s := NewShuffler(1)
		mustFail(t, o, o.blocks(), func(dst, src []byte) { s.Bytes([]Piece{{dst, src, uint64(o.offset)}}) })
	})
}

func TestBytesFailsWithinOneBlock(t *testing.T) {
	s, o := NewShuffler(1), newObserver(t, shape{100, 3})
	mustFail(t, o, o.whole(), func(dst, src []byte) { s.Bytes([]Piece{{dst, src, 3}}) })
}
