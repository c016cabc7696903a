package chart

import (
	"math"
	"testing"

	"gonum.org/v1/plot"
)

func TestLogRangeHoldsItsValues(t *testing.T) {
	for _, v := range []float64{1e-9, 0.105, 1, 1.9, 2, 4.99, 5, 9.99, 10, 123456, 1e12} {
		low, high := LogFloor(v), LogCeil(v)
		if !(low < v && v < high) || high/low > 10.001 {
			t.Errorf("%g lies in %g..%g", v, low, high)
		}
	}
}

// allSizes returns stops at the powers of two.
var allSizes = func() (stops []plot.Tick) {
	for size := 2.0; size <= 8<<20; size *= 2 {
		stops = append(stops, plot.Tick{Value: size, Label: "size"})
	}
	return stops
}()

func TestTicksAreFewAndLabelled(t *testing.T) {
	for _, c := range []struct {
		name      string
		ticker    plot.Ticker
		low, high float64
	}{
		{"one decade", LogTicks{}, 1, 10},
		{"many decades", LogTicks{}, 0.01, 1e6},
		{"from zero", EvenTicks{}, 0, 72000},
		{"tiny", EvenTicks{}, 0, 1e-9},
		{"all sizes", stopTicks(allSizes), 2, 8 << 20},
		{"two sizes", stopTicks(allSizes[5:7]), 64, 128},
	} {
		labels := 0
		for _, tick := range c.ticker.Ticks(c.low, c.high) {
			if tick.Value < c.low*0.99 || tick.Value > c.high*1.01 {
				t.Errorf("%s: a tick at %g", c.name, tick.Value)
			}
			if tick.Label != "" {
				labels++
			}
		}
		if labels < 2 || labels > 13 {
			t.Errorf("%s: %d labels", c.name, labels)
		}
	}
	if ticks := (EvenTicks{}).Ticks(0, math.Inf(1)); ticks != nil {
		t.Errorf("an endless axis has ticks %v", ticks)
	}
}

func TestStopAxisOfOneStop(t *testing.T) {
	s := Blank()
	s.SizeAxis([]int{64})
	if a := s.Plot.X; !(a.Min < 64 && a.Max > 64) || s.XLabel != "message size [bytes]" {
		t.Errorf("the axis is from %g to %g, %q", a.Min, a.Max, s.XLabel)
	}
}

func TestNumber(t *testing.T) {
	for _, c := range []struct {
		v      float64
		digits int
		want   string
	}{{0.123456, 3, "0.123"}, {123456, 3, "123000"}, {41.2, 4, "41.2"}, {1e-7, 4, "0.0000001"}, {0, 4, "0"}} {
		if got := Number(c.v, c.digits); got != c.want {
			t.Errorf("%g with %d digits is %q, want %q", c.v, c.digits, got, c.want)
		}
	}
}
