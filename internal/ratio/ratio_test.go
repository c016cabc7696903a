package ratio

import (
	"math"
	"math/rand/v2"
	"slices"
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
	a := []float64{6, 2, 12, 4, 10, 8, 0, 5, math.NaN()}
	b := []float64{1, 1, 1, 1, 1, 1, 1, 0, 1}
	runs := make([]int, len(a))
	r := Of(a, b, runs)
	if math.Abs(r.Median-math.Sqrt(48)) > 1e-9 || r.Low > 2+1e-9 || r.High < 12-1e-9 || r.N != 6 || !r.Enough || !r.Different() {
		t.Errorf("%+v", r)
	}
	if w := r.HalfWidth(); w != (r.High-r.Low)/2/r.Median {
		t.Errorf("half-width %g of %+v", w, r)
	}
}

func TestOfTooFew(t *testing.T) {
	r := Of([]float64{3, 5, 4, 6, 8}, []float64{1, 1, 1, 1, 1}, make([]int, 5))
	for _, v := range [][2]float64{{r.Median, 5}, {r.Low, 3}, {r.High, 8}} {
		if math.Abs(v[0]-v[1]) > 1e-9 {
			t.Errorf("%+v: %g, want %g", r, v[0], v[1])
		}
	}
	if r.N != 5 || r.Enough {
		t.Errorf("%+v", r)
	}
	if r.Different() || !math.IsInf(r.HalfWidth(), 1) {
		t.Errorf("%+v is known too well", r)
	}
	if r := Of(nil, nil, nil); r != (Ratio{}) || r.Different() {
		t.Errorf("of nothing: %+v", r)
	}
}

func TestMedian(t *testing.T) {
	r := Median([]float64{300, 310, 0, 305, 320, 290, 295}, make([]int, 7))
	if math.Abs(r.Median-302.5) > 0.1 || r.Low > 290.001 || r.High < 319.999 || r.N != 6 || !r.Enough {
		t.Errorf("%+v", r)
	}
	if r := Median([]float64{300, 310}, []int{1, 1}); r.Enough || r.N != 2 {
		t.Errorf("of two figures: %+v", r)
	}
	if r := Median(nil, nil); r != (Ratio{}) {
		t.Errorf("of nothing: %+v", r)
	}
}

// Swapping the modes gives the reciprocals.
func TestOfSwapped(t *testing.T) {
	rnd := rand.New(rand.NewPCG(2, 3))
	for n := range 60 {
		a, b, of := rounds(rnd, 3, n+1, 0.1, 0.1)
		r, s := Of(a, b, of), Of(b, a, of)
		for _, one := range []float64{r.Median * s.Median, r.Low * s.High, r.High * s.Low} {
			if math.Abs(one-1) > 1e-9 {
				t.Errorf("of %d rounds: %+v and %+v", r.N, r, s)
			}
		}
		if r.Low > r.Median || r.Median > r.High || r.Low <= 0 {
			t.Errorf("of %d rounds: %+v", r.N, r)
		}
	}
}

// Equal ratios are known for sure, and are not taken for a drift.
func TestOfEqualRatios(t *testing.T) {
	a, b, of := rounds(rand.New(rand.NewPCG(2, 3)), 4, 10, 0, 0)
	if r := Of(a, b, of); r != (Ratio{Median: 1, Low: 1, High: 1, N: 40, Enough: true}) || r.Different() {
		t.Errorf("%+v", r)
	}
}

func TestRanks(t *testing.T) {
	if got, want := ranks([]float64{7, 3, 7, 1, 7}), []float64{3, 1, 3, 0, 3}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// The 97.5 % quantiles of Student's distribution, from its tables.
func TestStudent(t *testing.T) {
	for freedom, want := range map[float64]float64{1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 6: 2.447, 10: 2.228, 30: 2.042, 1e9: 1.960} {
		if got := 1.95996 * student(freedom); math.Abs(got/want-1) > 0.01 {
			t.Errorf("%g degrees of freedom: %g, want %g", freedom, got, want)
		}
	}
}
