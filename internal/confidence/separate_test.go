package confidence

import (
	"math"
	"math/rand/v2"
	"testing"
)

// drawn draws the figures of 10 runs of 3 rounds around a value: runs differ by 3 %, rounds by 1 %.
func drawn(r *rand.Rand, value float64) (s Series) {
	for run := range 10 {
		of := value * math.Exp(0.03*r.NormFloat64())
		for range 3 {
			s.Figures, s.Runs = append(s.Figures, of*math.Exp(0.01*r.NormFloat64())), append(s.Runs, run)
		}
	}
	return s
}

// Of 20 intervals for a ratio of 1, at least one excludes 1 in at most 5 % of all cases. One alone does so in 5 %.
func TestSeparateIntervalsHoldTogether(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const cases = 300
	for _, intervals := range []int{1, 20} {
		wrong := 0
		for range cases {
			excluded := false
			for range intervals {
				excluded = OfSeparate(drawn(r, 5), drawn(r, 5), intervals).ExcludesOne() || excluded
			}
			if excluded {
				wrong++
			}
		}
		if most := cases * 7 / 100; wrong > most {
			t.Errorf("%d of %d cases of %d intervals have one that excludes 1, want at most %d", wrong, cases, intervals, most)
		}
		if intervals == 1 && wrong < cases*2/100 {
			t.Errorf("only %d of %d single intervals exclude 1: they are too wide", wrong, cases)
		}
	}
}

func TestSeparateRatio(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	e := OfSeparate(drawn(r, 6), drawn(r, 4), 1)
	if !e.Enough || e.N != 30 || e.Low > 1.5 || e.High < 1.5 || math.Abs(e.Value/1.5-1) > 0.05 {
		t.Errorf("6 to 4: %+v", e)
	}
	back := OfSeparate(drawn(rand.New(rand.NewPCG(3, 4)), 4), drawn(rand.New(rand.NewPCG(3, 4)), 4), 1)
	if back.Value != 1 || !back.Enough {
		t.Errorf("a series to itself: %+v", back)
	}
	few := Series{Figures: []float64{1, 2}, Runs: []int{0, 1}}
	if e := OfSeparate(few, drawn(r, 4), 1); e.Enough || e.N != 2 || e.Low != e.Value {
		t.Errorf("two runs: %+v", e)
	}
	if e := OfSeparate(Series{}, few, 1); e != (Estimate{}) {
		t.Errorf("no rounds: %+v", e)
	}
	equal := Series{Figures: []float64{2, 2, 2}, Runs: []int{0, 1, 2}}
	if e := OfSeparate(equal, equal, 3); !e.Enough || e.Low != 1 || e.High != 1 {
		t.Errorf("figures without variation: %+v", e)
	}
}
