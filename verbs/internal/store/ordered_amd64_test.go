//go:build linux

package store

import "testing"

// without runs a test as on CPUs that do not report AVX, and then AVX-512.
func without(t *testing.T, test func(t *testing.T)) {
	for _, c := range []struct {
		name    string
		feature *bool
	}{{"AVX", &atomic16}, {"AVX-512", &lineStores}} {
		t.Run(c.name, func(t *testing.T) {
			defer func(before bool) { *c.feature = before }(*c.feature)
			*c.feature = false
			test(t)
		})
	}
}

func TestExactWithout(t *testing.T) {
	without(t, TestExactForEverySmallSizeAndOffset)
	without(t, TestExactForLargeSizes)
}

func TestHoldsWithout(t *testing.T) {
	without(t, func(t *testing.T) {
		observed(t, func(t *testing.T, o *observer) {
			expectInOrder(t, o, 20_000, o.whole(), Ordered)
		})
	})
}

func TestEndsOfBlocksComeLastWithout(t *testing.T) {
	without(t, TestEndsOfBlocksComeLast)
}
