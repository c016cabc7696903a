//go:build linux

package place

import (
	"runtime"
	"testing"
)

// mustHold sends n messages, none of which may be seen out of order.
func mustHold(t *testing.T, o *observer, n int, spans []span, place func(dst, src []byte)) {
	t.Helper()
	if !InOrder {
		t.Skip("no order is promised on " + runtime.GOARCH)
	}
	if testing.Short() {
		n /= 10
	}
	watched, wrong := o.count(t, n, 1, spans, place)
	if wrong > 0 {
		t.Errorf("a message was seen out of order, the last of %d watched", watched)
	}
	t.Logf("%d messages were watched", watched)
}

// mustFail sends up to 20,000 messages, one of which must be seen out of order.
func mustFail(t *testing.T, o *observer, spans []span, place func(dst, src []byte)) {
	t.Helper()
	const messages = 20_000
	watched, wrong := o.count(t, messages, 500, spans, place)
	switch {
	case wrong > 0:
		t.Logf("%d of %d messages were seen out of order", wrong, watched)
	case watched < messages:
		t.Skipf("machine too busy: watched only %d messages arrive, all in order", watched)
	default:
		t.Errorf("none of %d messages was seen out of order", watched)
	}
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
		mustHold(t, o, 20_000, o.blocks(), func(dst, src []byte) { s.Blocks(dst, src, uint64(o.offset)) })
	})
}

func TestBlocksFailsForTheLastByte(t *testing.T) {
	observed(t, func(t *testing.T, o *observer) {
		s := NewShuffler(1)
		mustFail(t, o, o.whole(), func(dst, src []byte) { s.Blocks(dst, src, uint64(o.offset)) })
	})
}

func TestBytesFailsForTheLastByte(t *testing.T) {
	observed(t, func(t *testing.T, o *observer) {
		s := NewShuffler(1)
		mustFail(t, o, o.whole(), func(dst, src []byte) { s.Bytes(dst, src, uint64(o.offset)) })
	})
}

func TestBytesFailsForSomeBlock(t *testing.T) {
	observed(t, func(t *testing.T, o *observer) {
		s := NewShuffler(1)
		mustFail(t, o, o.blocks(), func(dst, src []byte) { s.Bytes(dst, src, uint64(o.offset)) })
	})
}

func TestBytesFailsWithinOneBlock(t *testing.T) {
	s, o := NewShuffler(1), newObserver(t, 100, 3)
	mustFail(t, o, o.whole(), func(dst, src []byte) { s.Bytes(dst, src, 3) })
}
