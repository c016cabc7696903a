package confidence

import (
	"math"
	"math/rand/v2"
	"testing"
)

// found returns in which fraction of cases rounds form two levels, whose logarithms fill draws.
func found(rounds int, fill func(rnd *rand.Rand, logs []float64)) float64 {
	const times = 4000
	rnd := rand.New(rand.NewPCG(6, 7))
	n := 0
	for range times {
		v := make([]float64, rounds)
		fill(rnd, v)
		for i := range v {
			v[i] = 100 * math.Exp(v[i])
		}
		if _, two := TwoLevels(v); two {
			n++
		}
	}
	return float64(n) / times
}

func TestOneLevelIsNotTwo(t *testing.T) {
	for _, c := range []struct {
		what string
		most float64
		fill func(rnd *rand.Rand, v []float64)
	}{
		{"little variation", 0, func(rnd *rand.Rand, v []float64) {
			for i := range v {
				v[i] = 0.03 * rnd.NormFloat64()
			}
		}},
		{"much variation", 0.01, func(rnd *rand.Rand, v []float64) {
			for i := range v {
				v[i] = 0.3 * rnd.NormFloat64()
			}
		}},
		{"a long tail", 0.01, func(rnd *rand.Rand, v []float64) {
			for i := range v {
				v[i] = 0.05 * rnd.NormFloat64()
				if rnd.IntN(20) == 0 {
					v[i] += 0.2 + 0.5*rnd.ExpFloat64()
				}
			}
		}},
		{"a trend", 0.01, func(rnd *rand.Rand, v []float64) {
			for i := range v {
				v[i] = 0.02*float64(i) + 0.05*rnd.NormFloat64()
			}
		}},
		{"a random walk", 0.04, func(rnd *rand.Rand, v []float64) {
			x := 0.0
			for i := range v {
				x += 0.05 * rnd.NormFloat64()
				v[i] = x + 0.03*rnd.NormFloat64()
			}
		}},
	} {
		for _, rounds := range []int{10, 20} {
			got := found(rounds, c.fill)
			t.Logf("%s, %d rounds: %.2f %%", c.what, rounds, 100*got)
			if got > c.most {
				t.Errorf("%s: %.1f %% of rows of %d rounds have two levels", c.what, 100*got, rounds)
			}
		}
	}
}

func TestTwoLevelsAreFound(t *testing.T) {
	for _, c := range []struct {
		ratio, spread, least float64
		rounds, slow         int
	}{
		{1.3, 0.03, 0.99, 20, 10}, {1.3, 0.03, 0.99, 20, 5}, {1.5, 0.05, 0.99, 20, 10}, {1.5, 0.05, 0.99, 20, 4}, {4, 0.15, 0.99, 20, 16},
		{1.3, 0.05, 0.7, 20, 10}, {1.3, 0.03, 0.85, 10, 4}, {2, 0.05, 0.99, 10, 3},
	} {
		got := found(c.rounds, func(rnd *rand.Rand, v []float64) {
			for i, at := range rnd.Perm(len(v)) {
				v[i] = c.spread * rnd.NormFloat64()
				if at < c.slow {
					v[i] += math.Log(c.ratio)
				}
			}
		})
		t.Logf("%+v: %.1f %%", c, 100*got)
		if got < c.least {
			t.Errorf("%+v: found in %.1f %% of rows", c, 100*got)
		}
	}
}

func TestLevels(t *testing.T) {
	var figures []float64
	for i := range 20 {
		v := []float64{65, 66, 67, 270}[i%4]
		figures = append(figures, v, 0)
	}
	levels, two := TwoLevels(figures)
	if !two || levels.LowShare != 0.75 || levels.HighShare != 0.25 {
		t.Errorf("%+v, %v", levels, two)
	}
	near(t, "low", levels.Low, 66)
	near(t, "high", levels.High, 270)
	if _, two := TwoLevels(figures[:18]); two {
		t.Error("9 rounds form two levels")
	}
	if _, two := TwoLevels(make([]float64, 30)); two {
		t.Error("rounds without figures form two levels")
	}
	for i := range figures {
		figures[i] = 1
	}
	if _, two := TwoLevels(figures); two {
		t.Error("equal rounds form two levels")
	}
}
