//go:build linux

package store

import (
	"runtime"
	"testing"
	"time"
)

// budget is the time for which messages are observed that must all be in order. On a busy machine
// both sides may share one CPU; then every message costs a context switch and is complete when the
// reader runs. Only messages that the reader observed while they arrived are counted.
const budget = time.Second / 2

// observeTimeout is the time for which a reader on another CPU waits to observe a message out of
// order: milliseconds on an idle machine, more on a busy one.
const observeTimeout = time.Minute

// expectInOrder sends n messages, all of which must be observed in order.
func expectInOrder(t *testing.T, o *observer, n int, spans []span, store func(dst, src []byte)) {
	t.Helper()
	if !InOrder {
		t.Skip("no order is promised on " + runtime.GOARCH)
	}
	if testing.Short() {
		n /= 10
	}
	watched, wrong := 0, false
	defer o.send(store)()
	o.watch(t, budget, spans, func(seen int) bool {
		if seen != interrupted {
			watched++
		}
		wrong = seen == disordered
		return wrong || watched == n
	})
	if wrong {
		t.Errorf("message %d of those observed was out of order", watched)
	}
	t.Logf("%d messages were observed", watched)
}

// expectOutOfOrder sends messages until one is observed out of order.
func expectOutOfOrder(t *testing.T, o *observer, spans []span, store func(dst, src []byte)) {
	t.Helper()
	messages := 0
	defer o.send(store)()
	if !o.watch(t, observeTimeout, spans, func(seen int) bool {
		messages++
		return seen == disordered
	}) {
		t.Errorf("none of %d messages was observed out of order within %v", messages, observeTimeout)
	}
	t.Logf("%d messages were sent", messages)
}

func TestOrderedHoldsForTheLastByte(t *testing.T) {
	observed(t, func(t *testing.T, o *observer) {
		expectInOrder(t, o, 200_000, o.whole(), Ordered)
	})
}

func TestOrderedHoldsForEveryBlock(t *testing.T) {
	observed(t, func(t *testing.T, o *observer) {
		expectInOrder(t, o, 20_000, o.blocks(), Ordered)
	})
}

func TestBlocksHoldsForEveryBlock(t *testing.T) {
	observed(t, func(t *testing.T, o *observer) {
		s := NewShuffler(1)
		expectInOrder(t, o, 20_000, o.blocks(), func(dst, src []byte) { s.Blocks([]Piece{{dst, src, uint64(o.offset)}}) })
	})
}

func TestBlocksFailsForTheLastByte(t *testing.T) {
	observed(t, func(t *testing.T, o *observer) {
		s := NewShuffler(1)
		expectOutOfOrder(t, o, o.whole(), func(dst, src []byte) { s.Blocks([]Piece{{dst, src, uint64(o.offset)}}) })
	})
}

func TestBytesFailsForTheLastByte(t *testing.T) {
	observed(t, func(t *testing.T, o *observer) {
		s := NewShuffler(1)
		expectOutOfOrder(t, o, o.whole(), func(dst, src []byte) { s.Bytes([]Piece{{dst, src, uint64(o.offset)}}) })
	})
}

func TestBytesFailsForSomeBlock(t *testing.T) {
	observed(t, func(t *testing.T, o *observer) {
		s := NewShuffler(1)
		expectOutOfOrder(t, o, o.blocks(), func(dst, src []byte) { s.Bytes([]Piece{{dst, src, uint64(o.offset)}}) })
	})
}

func TestBytesFailsWithinOneBlock(t *testing.T) {
	s, o := NewShuffler(1), newObserver(t, shape{100, 3})
	expectOutOfOrder(t, o, o.whole(), func(dst, src []byte) { s.Bytes([]Piece{{dst, src, 3}}) })
}
