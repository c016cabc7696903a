package confidence

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// near reports an error if two numbers differ by more than rounding.
func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-6*math.Abs(want)) {
		t.Errorf("%s: %g, want %g", what, got, want)
	}
}

// Runs count once each, whatever their number of rounds; rounds without a figure do not count.
func TestOfRatio(t *testing.T) {
	a := []float64{6, 2, 3, 10, 8, 0, 5, math.NaN(), 90}
	b := []float64{1, 1, 1, 5, 2, 1, 0, 1, 10}
	runs := []int{7, 7, 7, 4, 4, 4, 4, 4, 9}
	r := OfRatio(a, b, runs)
	// The runs' ratios are 3/1, sqrt(80)/sqrt(10), 90/10; 4.3027 is Student's quantile for three runs.
	logs := []float64{math.Log(3), math.Log(8) / 2, math.Log(9)}
	m, sd := meanAndDeviation(logs)
	half := 4.302653 * sd / math.Sqrt(3)
	near(t, "value", r.Value, math.Cbrt(3*math.Sqrt(8)*9))
	near(t, "low", r.Low, math.Exp(m-half))
	near(t, "high", r.High, math.Exp(m+half))
	if r.N != 6 || !r.Enough || r.ExcludesOne() {
		t.Errorf("%+v", r)
	}
	near(t, "half-width", r.HalfWidth(), (r.High-r.Low)/2/r.Value)
}

// The example of docs/INTERVALS.md.
func TestOfRatioByHand(t *testing.T) {
	a := []float64{65.73, 79.17, 81.92, 65.51, 79.68}
	b := []float64{174.1, 211.3, 190.8, 174.1, 201.0}
	runs := []int{1, 2, 3, 4, 5}
	r := OfRatio(a, b, runs)
	for _, c := range []struct{ got, want float64 }{
		{r.Value, 0.390}, {r.Low, 0.363}, {r.High, 0.419}, {OfFigures(a, runs).Value, 74.04}, {OfFigures(b, runs).Value, 189.69},
	} {
		if math.Abs(c.got/c.want-1) > 0.002 {
			t.Errorf("%+v: %g, want %g", r, c.got, c.want)
		}
	}
}

func TestOfTooFew(t *testing.T) {
	ones := []float64{1, 1, 1, 1, 1, 1}
	for _, c := range []struct {
		what  string
		a     []float64
		runs  []int
		value float64
	}{
		{"one round", []float64{3}, []int{1}, 3},
		{"four rounds of one run", []float64{1, 2, 4, 8}, []int{1, 1, 1, 1}, math.Sqrt(8)},
		{"two runs", []float64{2, 2, 2, 8, 8, 8}, []int{1, 1, 1, 2, 2, 2}, 4},
	} {
		r := OfRatio(c.a, ones[:len(c.a)], c.runs)
		near(t, c.what, r.Value, c.value)
		near(t, c.what, r.Low, c.value)
		near(t, c.what, r.High, c.value)
		if r.N != len(c.a) || r.Enough || r.ExcludesOne() || !math.IsInf(r.HalfWidth(), 1) {
			t.Errorf("%s: %+v has an interval", c.what, r)
		}
	}
	if r := OfRatio(nil, nil, nil); r != (Estimate{}) || r.ExcludesOne() {
		t.Errorf("of nothing: %+v", r)
	}
}

// A slow round of a single run has little influence, since its part has a median.
func TestOfOneRun(t *testing.T) {
	a := slices.Repeat([]float64{2}, 20)
	b := slices.Repeat([]float64{1}, 20)
	a[7] = 1000
	r := OfRatio(a, b, make([]int, 20))
	if near(t, "value", r.Value, 2); r.Low < 1.99 || r.High > 2.01 || !r.Enough || r.N != 20 {
		t.Errorf("%+v", r)
	}
}

// The quotient of two values is the ratio.
func TestValuesAndRatioAgree(t *testing.T) {
	rnd := rand.New(rand.NewPCG(4, 5))
	for _, runs := range []int{1, 2, 3, 10} {
		a, _, of := rounds(rnd, runs, 7, 0.3, 0.3)
		b, _, _ := rounds(rnd, runs, 7, 0.3, 0.3)
		near(t, "ratio", OfRatio(a, b, of).Value, OfFigures(a, of).Value/OfFigures(b, of).Value)
	}
}

// Swapping the modes gives reciprocal values.
func TestOfSwapped(t *testing.T) {
	rnd := rand.New(rand.NewPCG(2, 3))
	for n := range 20 {
		a, b, of := rounds(rnd, 3, n+1, 0.1, 0.1)
		r, s := OfRatio(a, b, of), OfRatio(b, a, of)
		near(t, "value", r.Value*s.Value, 1)
		near(t, "low and high", r.Low*s.High, 1)
		near(t, "high and low", r.High*s.Low, 1)
		if r.Low > r.Value || r.Value > r.High || r.Low <= 0 {
			t.Errorf("of %d rounds: %+v", r.N, r)
		}
	}
}

// Equal ratios have an interval without width.
func TestOfEqualRatios(t *testing.T) {
	a, b, of := rounds(rand.New(rand.NewPCG(2, 3)), 4, 10, 0, 0)
	if r := OfRatio(a, b, of); r != (Estimate{Value: 1, Low: 1, High: 1, N: 40, Enough: true}) || r.ExcludesOne() {
		t.Errorf("%+v", r)
	}
}

func TestWidenedBy(t *testing.T) {
	e := Estimate{Value: 0.5, Low: 0.4, High: 0.6, N: 20, Enough: true}
	for _, c := range []struct {
		what      string
		control   Estimate
		low, high float64
	}{
		{"holds 1", Estimate{Value: 1.2, Low: 0.9, High: 1.6, Enough: true}, 0.4, 0.6},
		{"has no interval", Estimate{Value: 1.2, Low: 1.1, High: 1.3}, 0.4, 0.6},
		{"was not measured", Estimate{}, 0.4, 0.6},
		{"is above 1", Estimate{Value: 1.25, Low: 1.1, High: 1.4, Enough: true}, 0.32, 0.75},
		{"is below 1", Estimate{Value: 0.8, Low: 0.7, High: 0.9, Enough: true}, 0.32, 0.75},
	} {
		w := e.WidenedBy(c.control)
		near(t, "low: the control "+c.what, w.Low, c.low)
		near(t, "high: the control "+c.what, w.High, c.high)
		if w.Value != e.Value || w.N != e.N || !w.Enough {
			t.Errorf("the control %s: %+v", c.what, w)
		}
	}
}

// Eight runs and more form four groups of neighbours, whose means make the interval.
func TestNeighbouringRunsFormGroups(t *testing.T) {
	a := []float64{1, 2, 3, 4, 5, 6, 7, 8}
	r := OfRatio(a, slices.Repeat([]float64{1}, 8), []int{1, 2, 3, 4, 5, 6, 7, 8})
	var logs []float64
	for i := 1; i < 8; i += 2 {
		logs = append(logs, math.Log(float64(i*(i+1)))/2)
	}
	m, sd := meanAndDeviation(logs)
	half := 3.182446 * sd / math.Sqrt(4)
	near(t, "value", r.Value, math.Exp(m))
	near(t, "low", r.Low, math.Exp(m-half))
	near(t, "high", r.High, math.Exp(m+half))
}
