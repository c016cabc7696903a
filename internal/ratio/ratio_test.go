package ratio

import (
	"math"
	"testing"
)

// The ranks of the usual tables of intervals of the median at 95 %.
func TestRank(t *testing.T) {
	for n, want := range map[int]int{6: 1, 8: 1, 9: 2, 10: 2, 12: 3, 15: 4, 20: 6, 25: 8, 30: 10, 40: 14, 50: 18, 100: 40} {
		if k := rank(n); k != want {
			t.Errorf("of %d: %d, want %d", n, k, want)
		}
	}
	rank(100_000)
}

func TestOf(t *testing.T) {
	a := []float64{2, 4, 6, 8, 10, 12, 0, 5, math.NaN()}
	b := []float64{1, 1, 1, 1, 1, 1, 1, 0, 1}
	runs := make([]int, len(a))
	r := Of(a, b, runs)
	if r.Median != 7 || r.Low > 2 || r.High < 12 || r.N != 6 || !r.Enough || !r.Different() {
		t.Errorf("%+v", r)
	}
	if w := r.HalfWidth(); w != (r.High-r.Low)/14 {
		t.Errorf("half-width %g of %+v", w, r)
	}
}

func TestOfTooFew(t *testing.T) {
	r := Of([]float64{3, 5, 4, 6, 8}, []float64{1, 1, 1, 1, 1}, make([]int, 5))
	if want := (Ratio{Median: 5, Low: 3, High: 8, N: 5}); r != want {
		t.Errorf("%+v, want %+v", r, want)
	}
	if r.Different() || !math.IsInf(r.HalfWidth(), 1) {
		t.Errorf("%+v is known too well", r)
	}
	if r := Of(nil, nil, nil); r != (Ratio{}) || r.Different() {
		t.Errorf("of nothing: %+v", r)
	}
}
