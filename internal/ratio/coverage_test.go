package ratio

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// machine is what a round's moment is worth on a machine, as a logarithm, one call for
// each mode of each round.
type machine func() float64

// fill makes rounds of two modes that are equally fast, on a machine that drifts under
// both. The modes of a round take turns in being first.
func fill(rnd *rand.Rand, m machine, a, b []float64) {
	for i := range a {
		first, second := m(), m()
		if i%2 == 1 {
			first, second = second, first
		}
		a[i] = math.Exp(first + 0.03*rnd.NormFloat64())
		b[i] = math.Exp(second + 0.03*rnd.NormFloat64())
	}
}

// machines drift in the ways that shared hosts do.
var machines = map[string]func(rnd *rand.Rand) machine{
	"still": func(*rand.Rand) machine { return func() float64 { return 0 } },
	"walk": func(rnd *rand.Rand) machine {
		x := 0.0
		return func() float64 { x += 0.05 * rnd.NormFloat64(); return x }
	},
	"persistent": func(rnd *rand.Rand) machine { return regression(rnd, 0.9, 0.2) },
	"jumps": func(rnd *rand.Rand) machine {
		x := 0.0
		return func() float64 {
			if rnd.IntN(8) == 0 {
				x = 0.3 * rnd.NormFloat64()
			}
			return x
		}
	},
	"sine": func(rnd *rand.Rand) machine {
		at := rnd.Float64() * 2 * math.Pi
		return func() float64 { at += 0.15; return 0.2 * math.Sin(at) }
	},
}

// regression returns an AR(1) process: each value is rho times the last one and a new part.
func regression(rnd *rand.Rand, rho, sd float64) machine {
	x := rnd.NormFloat64()
	return func() float64 {
		x = rho*x + math.Sqrt(1-rho*rho)*rnd.NormFloat64()
		return sd * x
	}
}

// covered simulates rounds of a true ratio of 1 and returns how often the interval holds it.
func covered(n int, fill func(rnd *rand.Rand, a, b []float64), runs []int) float64 {
	const times = 2000
	rnd := rand.New(rand.NewPCG(11, uint64(n)))
	a, b := make([]float64, n), make([]float64, n)
	held := 0
	for range times {
		fill(rnd, a, b)
		if !Of(a, b, runs).Different() {
			held++
		}
	}
	return float64(held) / times
}

var counts = []int{6, 10, 20, 40, 100}

// divided returns the runs of n rounds in k runs.
func divided(n, k int) []int {
	runs := make([]int, n)
	for i := range runs {
		runs[i] = i * k / n
	}
	return runs
}

func atLeast(t *testing.T, what string, n int, got, want float64) {
	t.Helper()
	t.Logf("%-20s n=%-3d %.1f %%", what, n, 100*got)
	if got < want {
		t.Errorf("%s: of %d rounds, %.1f %% of intervals hold the ratio", what, n, 100*got)
	}
}

// What both modes of a round share costs nothing.
func TestCoverageOnDriftingMachines(t *testing.T) {
	for name, m := range machines {
		for _, n := range counts {
			f := func(rnd *rand.Rand, a, b []float64) { fill(rnd, m(rnd), a, b) }
			atLeast(t, name, n, covered(n, f, divided(n, 1)), 0.94)
		}
	}
}

// Ratios that drift themselves. Six rounds are too few to see it.
func TestCoverageOfDriftingRatios(t *testing.T) {
	for _, c := range []struct {
		what            string
		rho, least, six float64
	}{{"correlated by 0.3", 0.3, 0.92, 0.92}, {"correlated by 0.6", 0.6, 0.90, 0.84}} {
		for _, n := range counts {
			f := func(rnd *rand.Rand, a, b []float64) {
				x := regression(rnd, c.rho, 0.05)
				for i := range a {
					a[i], b[i] = math.Exp(x()), 1
				}
			}
			least := c.least
			if n == 6 {
				least = c.six
			}
			atLeast(t, c.what, n, covered(n, f, divided(n, 1)), least)
		}
	}
}

// Slow rounds of one mode move the median a little, which many rounds notice.
func TestCoverageWithOutliers(t *testing.T) {
	slow := func(rnd *rand.Rand, a, b []float64) {
		for i := range a {
			a[i], b[i] = math.Exp(0.03*rnd.NormFloat64()), math.Exp(0.03*rnd.NormFloat64())
			if rnd.IntN(20) == 0 {
				b[i] *= 3
			}
		}
	}
	heavy := func(rnd *rand.Rand, a, b []float64) {
		for i := range a {
			a[i], b[i] = math.Exp(0.03*rnd.NormFloat64()/rnd.NormFloat64()), 1
		}
	}
	for _, n := range counts {
		atLeast(t, "slow rounds", n, covered(n, slow, divided(n, 1)), 0.92)
		atLeast(t, "heavy tails", n, covered(n, heavy, divided(n, 1)), 0.94)
	}
}

// Each run has a ratio of its own. Two runs tell little of how runs differ.
func TestCoverageOfRunsThatDiffer(t *testing.T) {
	for _, k := range []int{2, 3, 5, 10} {
		least := 0.90
		if k == 2 {
			least = 0.85
		}
		for _, sd := range []float64{0, 0.3, 1, 5} {
			for _, n := range counts {
				runs := divided(n, k)
				f := func(rnd *rand.Rand, a, b []float64) {
					level := 0.0
					for i := range a {
						if i == 0 || runs[i] != runs[i-1] {
							level = sd * rnd.NormFloat64()
						}
						a[i], b[i] = math.Exp(0.03*(level+rnd.NormFloat64())), 1
					}
				}
				if n >= 2*k {
					atLeast(t, fmt.Sprintf("%d runs, %g sd", k, sd), n, covered(n, f, runs), least)
				}
			}
		}
	}
}

// Independent rounds pay little for what the others need. Two or three runs are too few
// to tell that they do not differ.
func TestWidthOfIndependentRounds(t *testing.T) {
	for _, c := range []struct {
		runs int
		most float64
	}{{1, 1.25}, {2, 2}, {3, 1.4}, {5, 1.25}, {10, 1.25}} {
		for _, n := range counts {
			if n < 2*c.runs {
				continue
			}
			var wide, plain float64
			rnd := rand.New(rand.NewPCG(5, uint64(n)))
			a, b := make([]float64, n), make([]float64, n)
			for range 1000 {
				fill(rnd, machines["still"](rnd), a, b)
				wide += width(Of(a, b, divided(n, c.runs)))
				plain += width(Of(a, b, divided(n, n)))
			}
			t.Logf("%d rounds in %d runs: %.2f times as wide", n, c.runs, wide/plain)
			if wide > c.most*plain {
				t.Errorf("of %d rounds in %d runs: %.2f times as wide as need be", n, c.runs, wide/plain)
			}
		}
	}
}

func width(r Ratio) float64 { return math.Log(r.High / r.Low) }
