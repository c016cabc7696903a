package stats

import (
	"math/big"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
	"github.com/ibperf/ibperf/reports/result"
)

// Latency returns the statistics of the recorded times, each multiplied by
// factor: 0.5 makes a one-way latency of a ping-pong's round trip. The encoded
// histogram holds the times as they were recorded. Without any times there are
// no statistics, and the result is nil.
func (s *Samples) Latency(factor float64) *result.Latency {
	if s.n == 0 {
		return nil
	}
	return &result.Latency{
		N:         s.n,
		MinNs:     float64(s.min) * factor,
		MeanNs:    s.Mean() * factor,
		StdevNs:   s.stdev() * factor,
		P50Ns:     s.percentile(50) * factor,
		P90Ns:     s.percentile(90) * factor,
		P99Ns:     s.percentile(99) * factor,
		P999Ns:    s.percentile(99.9) * factor,
		P9999Ns:   s.percentile(99.99) * factor,
		MaxNs:     float64(s.max) * factor,
		Factor:    factor,
		Histogram: s.encode(),
	}
}

// Mean returns the mean of the times as they were recorded, 0 without any.
func (s *Samples) Mean() float64 {
	if s.n == 0 {
		return 0
	}
	return float64(s.sum) / float64(s.n)
}

// Median returns the median of the times as they were recorded, 0 without any. Where the
// clock's steps make many times equal, it lies between half a step below them and half a
// step above, by how many are smaller: so that medians which differ by less than a step
// do not look equal, or a whole step apart.
func (s *Samples) Median() float64 {
	if s.n == 0 {
		return 0
	}
	v := s.percentile(50)
	if s.n < manySamples {
		return v
	}
	low, high := s.reach(v, 0), s.reach(v, 100)
	below, above := s.percentile(low-reachStep), s.percentile(high+reachStep)
	step := min(v-below, above-v)
	if low <= reachStep || high >= 100-reachStep || step <= 0 {
		return v
	}
	return v + step*((50-low)/(high-low)-0.5)
}

// manySamples is from how many times on a median is sought between the steps of the clock.
const manySamples = 100

// reachStep is how exactly reach finds a percentile.
const reachStep = 1e-3

// reach returns the percentile nearest to end that has the value of the median.
func (s *Samples) reach(median, end float64) float64 {
	in, out := 50.0, end
	if s.percentile(out) == median {
		return out
	}
	for max(in-out, out-in) > reachStep {
		if mid := (in + out) / 2; s.percentile(mid) == median {
			in = mid
		} else {
			out = mid
		}
	}
	return in
}

// percentile returns the upper end of the histogram's cell that holds the p-th
// percentile, kept within what was recorded.
func (s *Samples) percentile(p float64) float64 {
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
