package confidence

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// gains returns points whose runs have a standard deviation. Some runs are outliers.
func gains(rnd *rand.Rand, runs int, deviation, outliers float64, means ...float64) (all []Gain) {
	for _, m := range means {
		g := Gain{}
		for range runs {
			v := m + deviation*rnd.NormFloat64()
			if rnd.Float64() < outliers {
				v += 10 * deviation * rnd.NormFloat64()
			}
			g.Logs = append(g.Logs, v)
		}
		all = append(all, g)
	}
	return all
}

func repeated(n int, gain float64) []float64 { return slices.Repeat([]float64{gain}, n) }

// Curves without a gain seldom have a change point, whatever their length, number of runs and noise.
func TestCurvesWithoutAGainHaveNoChangePoint(t *testing.T) {
	const times = 1000
	for _, n := range []int{1, 2, 3, 24} {
		for _, runs := range []int{3, 5} {
			for _, c := range []struct{ deviation, outliers float64 }{{0.02, 0}, {0.07, 0}, {0.07, 0.05}, {0.5, 0}} {
				rnd := rand.New(rand.NewPCG(uint64(n), uint64(runs)))
				wrong := 0
				for range times {
					if ChangePoint(gains(rnd, runs, c.deviation, c.outliers, repeated(n, 0)...)) > 0 {
						wrong++
					}
				}
				if wrong > times*4/100 {
					t.Errorf("%d points of %d runs, %+v: %.1f %% have a change point", n, runs, c, 100*float64(wrong)/times)
				}
			}
		}
	}
}

// What a whole run shares does not count as often as there are points.
func TestRunsThatAreFasterAtAllPointsAreNoGain(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	const times = 1000
	wrong := 0
	for range times {
		all := gains(rnd, 5, 0.05, 0, repeated(24, 0)...)
		for run := range 5 {
			shared := 0.1 * rnd.NormFloat64()
			for _, g := range all {
				g.Logs[run] += shared
			}
		}
		if ChangePoint(all) > 0 {
			wrong++
		}
	}
	if wrong > times*5/100 {
		t.Errorf("%.1f %% have a change point", 100*float64(wrong)/times)
	}
}

func TestChangePointIsFound(t *testing.T) {
	for _, c := range []struct {
		name      string
		deviation float64
		means     []float64
		want      int
	}{
		{"nowhere", 0.02, repeated(24, -0.2), 0},
		{"everywhere", 0.02, repeated(24, 0.3), 24},
		{"at 9 of 24", 0.05, slices.Concat(repeated(9, 0.4), repeated(15, 0)), 9},
		{"slower beyond", 0.05, slices.Concat(repeated(9, 0.4), repeated(15, -0.4)), 9},
		{"falling", 0.01, []float64{0.8, 0.6, 0.4, 0.2, 0.1, 0.01, 0, 0, 0}, 5},
		{"too little gain", 0.002, slices.Concat(repeated(4, 0.2), repeated(4, 0.015)), 4},
		{"one point", 0.02, []float64{0.3}, 1},
		{"two points", 0.02, []float64{0.3, 0}, 1},
		{"three points", 0.02, []float64{0.3, 0.3, 0}, 2},
		{"first slower", 0.02, []float64{-0.3, 0.2, 0.2, 0.2}, 0},
		{"no points", 0, nil, 0},
	} {
		rnd := rand.New(rand.NewPCG(1, 6))
		right := 0
		for range 100 {
			if ChangePoint(gains(rnd, 5, c.deviation, 0, c.means...)) == c.want {
				right++
			}
		}
		if right < 92 {
			t.Errorf("%s: found in %d of 100", c.name, right)
		}
	}
}

// A single point is faster if its own interval says so.
func TestOnePointIsJudgedByItsInterval(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 5))
	faster := 0
	for range 500 {
		g := gains(rnd, 5, 0.06, 0, 0.06)[0]
		ones := slices.Repeat([]float64{1}, 5)
		var figures []float64
		for _, v := range g.Logs {
			figures = append(figures, math.Exp(v))
		}
		e := OfRatio(figures, ones, []int{1, 2, 3, 4, 5})
		want := 0
		if e.Low > 1 && math.Log(e.Value) > MinGain {
			want, faster = 1, faster+1
		}
		if got := ChangePoint([]Gain{GainOf(figures, ones, []int{1, 2, 3, 4, 5})}); got != want {
			t.Errorf("%+v: change point %d", e, got)
		}
	}
	if faster < 100 || faster > 400 {
		t.Errorf("%d of 500 are faster", faster)
	}
}

// A point before the change point that says little is not where the curve ends.
func TestNoisyAndMissingPointsDoNotEndACurve(t *testing.T) {
	rnd := rand.New(rand.NewPCG(8, 1))
	right := 0
	for range 100 {
		all := gains(rnd, 5, 0.03, 0, slices.Concat(repeated(12, 0.2), repeated(12, 0))...)
		all[3].Logs[2] = -2           // an outlier
		all[5] = Gain{}               // disturbed
		all[6].Logs = all[6].Logs[:4] // broken off
		all[8].Doubt = 0.5            // its control failed
		if got := ChangePoint(all); got >= 11 && got <= 13 {
			right++
		}
	}
	if right < 95 {
		t.Errorf("found in %d of 100", right)
	}
}

func TestQuotientsOutOfRangeAreNoGain(t *testing.T) {
	large, small := slices.Repeat([]float64{1e300}, 5), slices.Repeat([]float64{1e-300}, 5)
	g := GainOf(large, small, []int{1, 2, 3, 4, 5})
	if got := ChangePoint([]Gain{g, g}); got != 0 {
		t.Errorf("change point %d", got)
	}
}

func TestDoubtOfControlsCounts(t *testing.T) {
	rnd := rand.New(rand.NewPCG(8, 2))
	all := gains(rnd, 5, 0.01, 0, repeated(10, 0.1)...)
	if got := ChangePoint(all); got != 10 {
		t.Errorf("change point %d", got)
	}
	for i := range all {
		all[i] = all[i].WidenedBy(Estimate{Value: 0.8, Low: 0.7, High: 0.9, Enough: true})
	}
	if got := ChangePoint(all); got != 0 {
		t.Errorf("change point %d although controls failed", got)
	}
}
