// Package stats computes the numbers of a result from the measurements of a timed loop: latency
// statistics of single times ([Samples], samples.go and latency.go) and rates of a stream of
// messages ([Rate], rate.go and windows.go). Recording uses constant memory and does not allocate.
package stats

import (
	"math/bits"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// The histogram's geometry: values in nanoseconds, kept to 0.1 %.
const (
	histogramMin    = 1
	histogramMax    = 100e9 // 100 s
	histogramDigits = 3
)

// Samples records single times in nanoseconds. Minimum, maximum, mean and
// standard deviation are exact, however long or many the times are; percentiles
// are those of an HDR histogram of 1 ns to 100 s with three significant digits,
// which takes about 230 KiB. It serves one goroutine.
type Samples struct {
	n        uint64
	min, max uint64
	sum      uint64 // of all times; overflows after 584 years
	sqLow    uint64 // the sum of their squares, 128 bits
	sqHigh   uint64
	hist     *hdr.Histogram
	kept     []int64 // the first times, up to the number of Keep
}

// NewSamples returns an empty recorder, whose memory has been touched so that
// recording causes no page faults.
func NewSamples() *Samples {
	s := &Samples{hist: hdr.New(histogramMin, histogramMax, histogramDigits)}
	s.Reset()
	return s
}

// Reset removes all times.
func (s *Samples) Reset() {
	s.hist.Reset()
	*s = Samples{min: ^uint64(0), hist: s.hist, kept: s.kept}
}

// Keep keeps the first n times after each Reset, in addition to the statistics.
func (s *Samples) Keep(n int) {
	s.kept = make([]int64, n)
	for i := range s.kept {
		s.kept[i] = -1 // touches the memory before anything is timed
	}
}

// Kept returns the first times in their order, up to the number of Keep. The slice is valid until
// the next Reset.
func (s *Samples) Kept() []int64 { return s.kept[:min(s.n, uint64(len(s.kept)))] }

// N returns the number of recorded times.
func (s *Samples) N() uint64 { return s.n }

// Merge adds all times of other.
func (s *Samples) Merge(other *Samples) {
	s.n += other.n
	s.sum += other.sum
	s.min = min(s.min, other.min)
	s.max = max(s.max, other.max)
	var carry uint64
	s.sqLow, carry = bits.Add64(s.sqLow, other.sqLow, 0)
	s.sqHigh, _ = bits.Add64(s.sqHigh, other.sqHigh, carry)
	s.hist.Merge(other.hist)
}

// Record adds one time in nanoseconds. A negative time counts as 0, which the
// histogram keeps as 1; the histogram keeps a time above 100 s as 100 s.
func (s *Samples) Record(ns int64) {
	ns = max(ns, 0)
	v := uint64(ns)
	if s.n < uint64(len(s.kept)) {
		s.kept[s.n] = ns
	}
	s.n++
	s.sum += v
	s.min = min(s.min, v)
	s.max = max(s.max, v)
	high, low := bits.Mul64(v, v)
	var carry uint64
	s.sqLow, carry = bits.Add64(s.sqLow, low, 0)
	s.sqHigh, _ = bits.Add64(s.sqHigh, high, carry)
	// RecordValue fails only for a value outside the histogram, which min and max prevent.
	_ = s.hist.RecordValue(min(max(ns, histogramMin), histogramMax))
}
