package stats

import (
	"math/big"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
	"github.com/ibperf/ibperf/result"
)

// Latency returns the statistics of the recorded times, each multiplied by
// factor: 0.5 makes a one-way latency of a ping-pong's round trip. The encoded
// histogram holds the times as they were recorded. Without any times there are
// no statistics, and the result is nil.
func (s *Samples) Latency(factor float64) *result.Latency {
	if s.n == 0 {
		return nil
	}
	l := &result.Latency{
		N:       s.n,
		MinNs:   float64(s.min) * factor,
		MeanNs:  s.Mean() * factor,
		StdevNs: s.stdev() * factor,
		MaxNs:   float64(s.max) * factor,
		Factor:  factor,
	}
	s.setPercentiles(l)
	return l
}

// setPercentiles sets the numbers that are taken from the histogram, and the histogram.
func (s *Samples) setPercentiles(l *result.Latency) {
	for p, ns := range map[float64]*float64{50: &l.P50Ns, 90: &l.P90Ns, 99: &l.P99Ns, 99.9: &l.P999Ns, 99.99: &l.P9999Ns} {
		*ns = s.Percentile(p) * l.Factor
	}
	l.Histogram = s.encode()
}

// Mean returns the mean of the times as they were recorded, 0 without any.
func (s *Samples) Mean() float64 {
	if s.n == 0 {
		return 0
	}
	return float64(s.sum) / float64(s.n)
}

// Median returns the median of the times as they were recorded, 0 without any. A clock that advances in
// steps, of step nanoseconds each, returns times that are up to a step too short or too long. So each time is
// spread evenly over a step around it, and over at most its own length. Otherwise medians that differ by
// less than a step would be equal, or a whole step apart.
func (s *Samples) Median(step float64) float64 {
	middle := s.Percentile(50)
	if s.n < minSpread {
		return middle
	}
	step = min(max(step, 1, middle/cellsOfValue), middle)
	times := s.hist.ValueAtPercentilesSlice(evenPercentiles)
	low, high := middle-step/2, middle+step/2
	for range 30 { // halves
		x := (low + high) / 2
		below := 0.0 // number of times below x
		for _, t := range times {
			below += min(max((x-float64(t))/step+0.5, 0), 1)
		}
		if below < float64(len(times))/2 {
			low = x
		} else {
			high = x
		}
	}
	return (low + high) / 2
}

const (
	minSpread    = 100  // the smallest number of times that are spread over steps of the clock
	cellsOfValue = 1000 // cells of the histogram are at most this part of their value wide
)

// evenPercentiles stand for a thousandth of all times each.
var evenPercentiles = func() []float64 {
	all := make([]float64, 1000)
	for i := range all {
		all[i] = (float64(i) + 0.5) / 10
	}
	return all
}()

// Percentile returns the upper end of the histogram's cell that holds the p-th
// percentile, kept within what was recorded.
func (s *Samples) Percentile(p float64) float64 {
	v := uint64(s.hist.ValueAtPercentile(p))
	return float64(min(max(v, s.min), s.max))
}

// stdev returns the population standard deviation, sqrt(n*squares - sum*sum)/n.
// The difference of the two large integers is exact; in floating point it would
// lose everything where the times lie close together.
func (s *Samples) stdev() float64 {
	n := new(big.Int).SetUint64(s.n)
	sum := new(big.Int).SetUint64(s.sum)
	squares := new(big.Int).SetUint64(s.sqHigh)
	squares.Lsh(squares, 64).Add(squares, new(big.Int).SetUint64(s.sqLow))

	spread := new(big.Int).Mul(n, squares)
	spread.Sub(spread, sum.Mul(sum, sum))
	root := new(big.Float).SetInt(spread)
	root.Sqrt(root)
	root.Quo(root, new(big.Float).SetInt(n))
	f, _ := root.Float64()
	return f
}

// encode returns the histogram in HdrHistogram's V2 compressed encoding, base64.
func (s *Samples) encode() string {
	b, err := s.hist.Encode(hdr.V2CompressedEncodingCookieBase)
	if err != nil {
		return "" // only compressing to memory can fail, and it does not
	}
	return string(b)
}
