package confidence

import (
	"math"
	"math/rand/v2"
	"testing"
)

// inTurn returns the logarithms of the figures of two builds whose runs were made in turn: the second one's times are multiplied by
// a factor, and a share of both builds' runs takes up to twice as long.
func inTurn(random *rand.Rand, runs int, factor, slow float64) (a, b []float64) {
	host := func() float64 {
		v := 0.02 * random.NormFloat64()
		if random.Float64() < slow {
			v += math.Ln2 * random.Float64()
		}
		return v
	}
	for range runs {
		a, b = append(a, host()), append(b, math.Log(factor)+host())
	}
	return a, b
}

// Of ten intervals together, all hold the ratio in 95 of 100 cases or more, and a slowdown of 5 % is found, also where the host
// is slow in half of the runs. Ranks are few, so that the intervals are a little wider than necessary.
func TestIntervalsOfTurnsHold(t *testing.T) {
	const intervals = 10
	for _, slow := range []float64{0, 0.25, 0.5} {
		random, missed, found, cases := rand.New(rand.NewPCG(1, 2)), 0, 0, 2000
		for range cases {
			some := false
			for range intervals {
				a, b := inTurn(random, 40, 1.05, slow)
				e := OfFastRuns(b, a, true, intervals)
				some = some || e.Low > 1.05 || e.High < 1.05
				found += map[bool]int{true: 1}[e.Low > 1]
			}
			missed += map[bool]int{true: 1}[some]
		}
		if share := float64(missed) / float64(cases); share > 0.05 || share < 0.01 {
			t.Errorf("slow in %g: in %.3f of all cases some interval did not hold the ratio, want 0.01 to 0.05", slow, share)
		}
		if share := float64(found) / float64(cases*intervals); share < 0.8 {
			t.Errorf("slow in %g: a slowdown of 5 %% was found in %.3f of all cases", slow, share)
		}
	}
}

// The chance that all of n values are above all of n others, and that the ranks of one are reached: by counting all orders.
func TestPrecedence(t *testing.T) {
	const n = 5
	var counts [n][n]float64 // by early and late rank
	orders := 0.0
	for order := range 1 << (2 * n) { // a set bit is a value of a
		var of [2][]int
		for place := range 2 * n {
			of[order>>place&1] = append(of[order>>place&1], place)
		}
		if len(of[0]) != n {
			continue
		}
		orders++
		for early := range n {
			for late := range n {
				if of[0][early] > of[1][late] {
					counts[early][late]++
				}
			}
		}
	}
	for early := range n {
		for late := range n {
			if got, want := precedence(n, early, late), counts[early][late]/orders; math.Abs(got-want) > 1e-12 {
				t.Errorf("ranks %d and %d: %g, want %g", early, late, got, want)
			}
		}
	}
}

// Six runs of each are too few for 35 intervals, and seven are enough.
func TestFewRunsInTurn(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for runs, want := range map[int]bool{6: false, 7: true} {
		a, b := inTurn(random, runs, 1, 0)
		if e := OfFastRuns(a, b, true, 35); e.Enough != want || e.N != runs {
			t.Errorf("%d runs: %+v", runs, e)
		}
	}
}

// The best rounds of a run count, those without a figure do not, and neither do runs that only one side has. Larger figures are better
// where they are rates.
func TestBestOfRuns(t *testing.T) {
	a := Series{[]float64{4, 0, 2, 4, 8}, []int{1, 1, 1, 2, 3}}
	b := Series{[]float64{1, 3, 2}, []int{1, 1, 2}}
	for least, want := range map[bool]float64{true: 2, false: 4. / 3} {
		if e := OfFastRuns(a.LogBest(least), b.LogBest(least), least, 1); e.N != 2 || e.Enough || math.Abs(e.Value-want) > 1e-9 {
			t.Errorf("least %v: %+v, want the ratio %g of 2 runs, without an interval", least, e, want)
		}
	}
	if e := OfFastRuns(nil, nil, true, 1); e != (Estimate{}) {
		t.Errorf("of nothing: %+v", e)
	}
}

// Rates have the reciprocals of the ratio of times, and of its interval.
func TestRatesInTurn(t *testing.T) {
	times, others := inTurn(rand.New(rand.NewPCG(5, 6)), 40, 1.05, 0.2)
	negative := func(v []float64) (all []float64) {
		for _, x := range v {
			all = append(all, -x)
		}
		return all
	}
	want, got := OfFastRuns(others, times, true, 30), OfFastRuns(negative(others), negative(times), false, 30)
	if math.Abs(got.Value*want.Value-1)+math.Abs(got.Low*want.High-1)+math.Abs(got.High*want.Low-1) > 1e-12 {
		t.Errorf("times %+v, rates %+v", want, got)
	}
}
