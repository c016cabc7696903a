package confidence

import (
	"math"
	"math/rand/v2"
	"testing"
)

// inTurn returns the figures of two builds whose runs were made in turn on a host that drifts: the second is slower by a factor.
func inTurn(random *rand.Rand, runs int, factor float64) (a, b Series) {
	for run := range runs {
		host := 1 + 0.5*float64(run)/float64(runs)
		for range 2 {
			a.Figures = append(a.Figures, host*math.Exp(0.03*random.NormFloat64()))
			b.Figures = append(b.Figures, factor*host*math.Exp(0.03*random.NormFloat64()))
			a.Runs, b.Runs = append(a.Runs, run+1), append(b.Runs, run+1)
		}
	}
	return a, b
}

// Of ten intervals together, all hold the ratio in 95 of 100 cases or more, though the host becomes slower by half.
func TestIntervalsOfTurnsHold(t *testing.T) {
	const intervals = 10
	random, missed, found, cases := rand.New(rand.NewPCG(1, 2)), 0, 0, 2000
	for range cases {
		some := false
		for range intervals {
			e := OfLogRatios(LogRatios(inTurn(random, 20, 0.95)), intervals)
			some = some || e.Low > 1/0.95 || e.High < 1/0.95
			found += map[bool]int{true: 1}[e.Low > 1]
		}
		missed += map[bool]int{true: 1}[some]
	}
	if share := float64(missed) / float64(cases); share > 0.06 || share < 0.02 {
		t.Errorf("in %.3f of all cases some interval did not hold the ratio, want 0.05", share)
	}
	if share := float64(found) / float64(cases*intervals); share < 0.99 {
		t.Errorf("a slowdown of 5 %% was found in %.3f of all cases", share)
	}
}

// In some pairs the host was in two states, in which the figures differ by three: the interval stays narrow.
func TestDisturbedPairsMoveLittle(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var logs []float64
	for i := range 40 {
		v := 0.05 + 0.03*random.NormFloat64()
		if i%10 == 0 {
			v += math.Log(3) * float64(i%20/10*2-1)
		}
		logs = append(logs, v)
	}
	if e := OfLogRatios(logs, 60); e.Low <= 1 || e.High > 1.12 {
		t.Errorf("%+v, want about 1.05 and an interval above 1", e)
	}
}

// The critical values of Wilcoxon's tables (two sides, 5 and 1 %).
func TestSignedRankCut(t *testing.T) {
	for _, c := range []struct {
		n           int
		probability float64
		want        int
	}{{5, 0.025, 0}, {6, 0.025, 1}, {10, 0.025, 9}, {20, 0.025, 53}, {20, 0.005, 38}, {12, 0.0004, 1}, {11, 0.0004, 0}} {
		if got := signedRankCut(c.n, c.probability); got != c.want {
			t.Errorf("of %d at %g: %d, want %d", c.n, c.probability, got, c.want)
		}
	}
}

// Rounds without a figure, and runs that only one side has, do not count.
func TestTurnsWithoutAFigure(t *testing.T) {
	a := Series{[]float64{2, 0, 4, 8}, []int{1, 1, 2, 3}}
	b := Series{[]float64{1, 1, 2}, []int{1, 1, 2}}
	e := OfLogRatios(LogRatios(a, b), 1)
	if e.N != 2 || e.Enough || math.Abs(e.Value-2) > 1e-9 {
		t.Errorf("%+v, want the ratio 2 of 2 pairs, without an interval", e)
	}
	if e := OfLogRatios(nil, 1); e != (Estimate{}) {
		t.Errorf("of nothing: %+v", e)
	}
}
