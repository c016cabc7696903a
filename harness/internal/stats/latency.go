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

// Median returns the median of the times as they were recorded, 0 without any. If the clock's steps
// make many times equal, it interpolates between half a step below them and half a step above, by the
// fraction of times that are smaller. Otherwise medians that differ by less than a step would appear
// equal, or a whole step apart.
func (s *Samples) Median() float64 {
	if s.n == 0 {
		return 0
	}
	v := s.Percentile(50)
	if s.n < minInterpolated {
		return v
	}
	low, high := s.furthestEqual(v, 0), s.furthestEqual(v, 100)
	below, above := s.Percentile(low-percentileStep), s.Percentile(high+percentileStep)
	step := min(v-below, above-v)
	if low <= percentileStep || high >= 100-percentileStep || step <= 0 {
		return v
	}
	return v + step*((50-low)/(high-low)-0.5)
}

// minInterpolated is the smallest number of samples whose median is interpolated between steps of the
// clock.
const minInterpolated = 100

// percentileStep is the precision of the percentiles that furthestEqual finds.
const percentileStep = 1e-3

// furthestEqual returns the percentile nearest to end, 0 or 100, that has the value of the median.
func (s *Samples) furthestEqual(median, end float64) float64 {
	in, out := 50.0, end
	if s.Percentile(out) == median {
		return out
	}
	for max(in-out, out-in) > percentileStep {
		if mid := (in + out) / 2; s.Percentile(mid) == median {
			in = mid
		} else {
			out = mid
		}
	}
	return in
}

// percentile returns the upper end of the histogram's cell that holds the p-th
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
