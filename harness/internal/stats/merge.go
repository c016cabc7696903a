package stats

import (
	"fmt"
	"math"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
	"github.com/ibperf/ibperf/result"
)

// MergeLatencies returns the statistics of all samples of several measurements with the same factor,
// of which there is at least one. Its rate is not set.
func MergeLatencies(parts []*result.Latency) (*result.Latency, error) {
	all := &result.Latency{Factor: parts[0].Factor, MinNs: math.Inf(1)}
	for _, l := range parts {
		all.N += l.N
		all.MeanNs += l.MeanNs * float64(l.N)
		all.MeanOnly = all.MeanOnly || l.MeanOnly
	}
	if all.N == 0 {
		return &result.Latency{Factor: all.Factor, MeanOnly: all.MeanOnly}, nil
	}
	all.MeanNs /= float64(all.N)
	if all.MeanOnly {
		all.MinNs = 0
		return all, nil
	}
	hist := hdr.New(histogramMin, histogramMax, histogramDigits)
	squares := 0.0
	for _, l := range parts {
		if l.N == 0 {
			continue
		}
		h, err := hdr.Decode([]byte(l.Histogram))
		if err != nil {
			return nil, fmt.Errorf("decode histogram: %w", err)
		}
		hist.Merge(h)
		all.MinNs, all.MaxNs = min(all.MinNs, l.MinNs), max(all.MaxNs, l.MaxNs)
		off := l.MeanNs - all.MeanNs
		squares += float64(l.N) * (l.StdevNs*l.StdevNs + off*off)
	}
	all.StdevNs = math.Sqrt(squares / float64(all.N))
	merged := Samples{hist: hist, min: uint64(all.MinNs / all.Factor), max: uint64(all.MaxNs / all.Factor)}
	merged.setPercentiles(all)
	return all, nil
}

// MergeBandwidths returns the rates of several measurements together, of which there is at least one.
// The median window is the mean of their medians, weighted by time.
func MergeBandwidths(parts []*result.Bandwidth) *result.Bandwidth {
	all := &result.Bandwidth{MeasuredAt: parts[0].MeasuredAt}
	windowed := true
	for _, b := range parts {
		all.Messages += b.Messages
		all.Bytes += b.Bytes
		all.Seconds += b.Seconds
		all.AlignedWithin = max(all.AlignedWithin, b.AlignedWithin)
		windowed = windowed && (b.WindowS > 0 || b.Messages == 0)
	}
	if all.Seconds > 0 {
		all.Average, all.MsgRate = float64(all.Bytes)/all.Seconds, float64(all.Messages)/all.Seconds
	}
	if windowed {
		mergeWindows(all, parts)
	}
	return all
}

// mergeWindows sets the rates of the windows of parts, of which each one with messages has windows.
func mergeWindows(all *result.Bandwidth, parts []*result.Bandwidth) {
	seconds := 0.0
	for _, b := range parts {
		if b.WindowS == 0 {
			continue
		}
		if seconds == 0 {
			all.Slowest, all.WindowS = b.Slowest, b.WindowS
		}
		all.Slowest, all.Peak = min(all.Slowest, b.Slowest), max(all.Peak, b.Peak)
		all.MedianWindow += b.MedianWindow * b.Seconds
		seconds += b.Seconds
	}
	if seconds > 0 {
		all.MedianWindow /= seconds
	}
}
