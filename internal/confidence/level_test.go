package confidence

import (
	"math"
	"math/rand/v2"
	"testing"
)

// rounds returns figures of runs whose levels have the standard deviation between, and whose rounds
// have the standard deviation within.
func rounds(rnd *rand.Rand, runs, each int, between, within float64) (a, b []float64, of []int) {
	for run := range runs {
		level := between * rnd.NormFloat64()
		for range each {
			a = append(a, math.Exp(level+within*rnd.NormFloat64()))
			b = append(b, 1)
			of = append(of, 3*run+1)
		}
	}
	return a, b, of
}

func TestWidest(t *testing.T) {
	for _, c := range []struct {
		runs, each      int
		between, within float64
		want            Level
	}{
		{1, 20, 0, 0.1, Unknown},
		{20, 1, 0.1, 0.1, Unknown},
		{0, 0, 0, 0, Unknown},
		{5, 20, 0.3, 0.03, Runs},
		{10, 10, 0.1, 0.03, Runs},
		{2, 100, 0.5, 0.01, Runs},
		{5, 20, 0, 0.1, Rounds},
		{10, 10, 0.005, 0.1, Rounds},
		{5, 20, 0, 0, Rounds},
	} {
		const times = 200
		rnd := rand.New(rand.NewPCG(1, 9))
		right := 0
		for range times {
			a, b, of := rounds(rnd, c.runs, c.each, c.between, c.within)
			if Widest(a, b, of) == c.want {
				right++
			}
		}
		if right < times*85/100 {
			t.Errorf("%+v: %d of %d times", c, right, times)
		}
	}
}

func TestLevelNames(t *testing.T) {
	for l, want := range map[Level]string{Unknown: "unknown", Rounds: "rounds", Runs: "connections"} {
		if l.String() != want {
			t.Errorf("%d is %q, want %q", l, l, want)
		}
	}
}
