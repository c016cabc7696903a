//go:build linux

package place

import "testing"

// withoutAVX makes Ordered place as on a CPU that does not report AVX.
func withoutAVX(t *testing.T) {
	before := wide
	wide = false
	t.Cleanup(func() { wide = before })
}

func TestExactWithoutAVX(t *testing.T) {
	withoutAVX(t)
	TestExactForEverySmallSizeAndOffset(t)
}

func TestHoldsWithoutAVX(t *testing.T) {
	withoutAVX(t)
	observed(t, func(t *testing.T, o *observer) {
		mustHold(t, o, 20_000, o.whole(), Ordered)
	})
}
