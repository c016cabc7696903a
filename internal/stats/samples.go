// Package stats turns what a timed loop sees into the numbers of a result: the
// latency statistics of single times and the rates of a stream of messages. Its
// recorders use constant memory and never allocate while they record.
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
// come from an HDR histogram of 1 ns to 100 s with three significant digits,
// which takes about 230 KiB whatever is recorded. It serves one goroutine.
type Samples struct {
	n        uint64
	min, max uint64
	sum      uint64 // of all times: 584 years of them
	sqLow    uint64 // the sum of their squares, 128 bits
	sqHigh   uint64
	hist     *hdr.Histogram
	kept     []int64 // the first times, as many as there is room for
}

// NewSamples returns an empty recorder, whose memory has been touched so that
// recording causes no page faults.
func NewSamples() *Samples {
	s := &Samples{hist: hdr.New(histogramMin, histogramMax, histogramDigits)}
	s.Reset()
	return s
}

// Reset forgets all times.
func (s *Samples) Reset() {
	s.hist.Reset()
	*s = Samples{min: ^uint64(0), hist: s.hist, kept: s.kept}
}

// Keep makes room for the first n times since a Reset, beside their statistics.
func (s *Samples) Keep(n int) {
	s.kept = make([]int64, n)
	for i := range s.kept {
		s.kept[i] = -1 // the memory is there before anything is timed
	}
}

// Kept returns the first times in their order, as many as there was room for. They are
// those of s until the next Reset.
func (s *Samples) Kept() []int64 { return s.kept[:min(s.n, uint64(len(s.kept)))] }

// N returns how many times were recorded.
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
// histogram keeps as 1; a time above 100 s stands in the histogram as 100 s.
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
	// The error is about values outside the histogram, which do not get there.
	_ = s.hist.RecordValue(min(max(ns, histogramMin), histogramMax))
}
