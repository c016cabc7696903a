package rows

import (
	"math"
	"testing"

	"github.com/ibperf/ibperf/result"
)

func TestValueOfFewRounds(t *testing.T) {
	average := result.ColumnOf("bandwidth.average_bytes_per_s")
	e := Entry{Row: &result.Row{Bandwidth: &result.Bandwidth{Average: 5}}}
	for _, c := range []struct {
		rounds []float64
		want   float64
	}{{nil, 5}, {[]float64{7}, 5}, {[]float64{0, 0}, 5}, {[]float64{1, 8, 9}, 8}} {
		e.Rounds = nil
		for _, v := range c.rounds {
			e.Rounds = append(e.Rounds, result.Round{Average: v})
		}
		if got := e.Value(average); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("of rounds %v: %g, want %g", c.rounds, got, c.want)
		}
		if low, high := e.ValueInterval(average); low != 0 || high != 0 {
			t.Errorf("of rounds %v: an interval from %g to %g", c.rounds, low, high)
		}
	}
}
