package testresult

import (
	"slices"
	"testing"
	"time"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// Changed returns a run in modes data and poll, after change.
func Changed(tb testing.TB, kind option.Kind, change func(f *result.File)) *result.File {
	f := File(tb, "write", kind, []int{64}, "data", "poll")
	change(f)
	return f
}

// WithQPs returns a bandwidth run with n QPs.
func WithQPs(tb testing.TB, n int) *result.File {
	return Changed(tb, option.KindBandwidth, func(f *result.File) { f.Parameters.QPs = n })
}

// WithGap returns a latency run with a pause between messages.
func WithGap(tb testing.TB, gap time.Duration) *result.File {
	return Changed(tb, option.KindLatency, func(f *result.File) { f.Parameters.Gap = gap })
}

// ofComparison marks a run as part of a comparison of ib_compare.
func ofComparison(f *result.File, id, sweep string) *result.File {
	f.Comparison = &result.Comparison{ID: id, Sweep: sweep}
	return f
}

// LatencySweeps returns the runs of the two latency sweeps of a comparison, and a run outside of them
// that has the parameters of the first run of each.
func LatencySweeps(tb testing.TB, id string) (files, qps, gaps []*result.File) {
	for _, n := range []int{1, 16, 256} {
		f := Changed(tb, option.KindLatency, func(f *result.File) { f.Parameters.QPs = n })
		qps = append(qps, ofComparison(f, id, result.SweepQPs))
	}
	for _, gap := range []time.Duration{0, time.Microsecond, time.Millisecond} {
		gaps = append(gaps, ofComparison(WithGap(tb, gap), id, result.SweepGap))
	}
	return append(slices.Concat(qps, gaps), ofComparison(WithGap(tb, 0), id, "")), qps, gaps
}

// RateSweep returns latency runs at 10,000, 100,000 and 1,000,000 messages/s. Event does not keep the last rate.
func RateSweep(tb testing.TB) (files []*result.File) {
	for _, rate := range []float64{1e4, 1e5, 1e6} {
		f := Controlled(File(tb, "write", option.KindLatency, []int{64}, "data", "poll", "event"), 1)
		f.Parameters.RateLimit, f.Parameters.RateUnits = rate, option.RateMessages
		for i := range f.Rows {
			r := &f.Rows[i]
			r.Load = &result.Load{Offered: rate, Window: 128, Service: r.Latency}
			if r.Mode == option.ModeEvent && rate == 1e6 {
				r.Load.Growing, r.Load.Service = true, nil
				r.Latency = &result.Latency{N: r.Latency.N, MeanNs: r.Latency.MeanNs, Rate: 250_000, Factor: 1, MeanOnly: true}
				r.NoRatio = "the rate is too high"
				r.Rounds = slices.Clone(r.Rounds)
				for j := range r.Rounds {
					r.Rounds[j].Messages, r.Rounds[j].Seconds = 250_000, 1
				}
				r.Rounds[0].Messages = 1000 // a slow round
			}
		}
		files = append(files, f)
	}
	return files
}
