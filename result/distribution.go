package result

import (
	"math"
)

// A Bucket is a recorded latency and the number of samples up to it.
type Bucket struct {
	Ns   float64 // as reported: after Factor
	UpTo uint64  // samples in this bucket and all below
}

// Distribution decodes the histogram into the buckets that hold samples, in ascending order. It
// multiplies values by Factor and keeps them within the exact minimum and maximum, since the
// histogram has three digits.
func (l *Latency) Distribution() ([]Bucket, error) {
	h, err := decodeHistogram(l.Histogram)
	if err != nil {
		return nil, err
	}
	var buckets []Bucket
	var upTo uint64
	for _, bar := range h.Distribution() {
		if bar.Count <= 0 {
			continue
		}
		upTo += uint64(bar.Count)
		ns := math.Max(float64(bar.To)*l.Factor, l.MinNs)
		if l.MaxNs > 0 {
			ns = math.Min(ns, l.MaxNs)
		}
		buckets = append(buckets, Bucket{Ns: ns, UpTo: upTo})
	}
	return buckets, nil
}
