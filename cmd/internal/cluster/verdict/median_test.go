package verdict

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestMedians compares them with medians of sorted copies, with equal values among them.
func TestMedians(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		values := make([]float64, 1+random.IntN(12))
		for i := range values {
			values[i] = float64(random.IntN(8))
		}
		sorted := slices.Sorted(slices.Values(values))
		for i, v := range sorted {
			others := slices.Delete(slices.Clone(sorted), i, i+1)
			if got, want := medianOfOthers(sorted, v), median(others, v); got != want {
				t.Fatalf("median of %v without %v: %v, want %v", sorted, v, got, want)
			}
			if got := nth(slices.Clone(values), i); got != v {
				t.Fatalf("value %d of %v: %v", i, values, got)
			}
		}
	}
	if median([]float64{1, 2, 4, 9}, 0) != 3 || median(nil, 7) != 7 {
		t.Error("median of four values, or of none")
	}
}
