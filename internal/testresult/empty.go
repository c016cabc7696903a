package testresult

import (
	"math"
	"testing"
	"time"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// Empty returns runs that measured next to nothing: no rows, rows of zeros, one sample.
func Empty(tb testing.TB) map[string]*result.File {
	zeroLat := File(tb, "write", option.KindLatency, []int{8}, "data", "poll")
	for i := range zeroLat.Rows {
		zeroLat.Rows[i].Latency = &result.Latency{}
	}
	zeroBW := File(tb, "write", option.KindBandwidth, []int{8, 16}, "data", "poll")
	for i := range zeroBW.Rows {
		zeroBW.Rows[i].Bandwidth = &result.Bandwidth{}
		zeroBW.Rows[i].Local = result.Cost{}
	}
	oneSample := File(tb, "write", option.KindLatency, []int{8}, "poll")
	oneSample.Rows[0].Latency = Latency(tb, "poll", 8, 1)
	noSize := File(tb, "write", option.KindBandwidth, []int{0}, "poll")
	zeroTimed := File(tb, "read", option.KindLatency, []int{8}, "poll")
	zeroTimed.Parameters.Iterations, zeroTimed.Parameters.Duration = 0, time.Second
	zeroTimed.Rows[0].Latency = &result.Latency{}
	extreme := File(tb, "write", option.KindLatency, []int{0, 8, 1 << 27}, "data", "poll")
	for i, ns := range []float64{0, 5e-324, 1, 1e300, math.MaxFloat64, 0} {
		l := extreme.Rows[i].Latency
		l.MinNs, l.P50Ns, l.P99Ns, l.MaxNs, l.MeanNs, extreme.Rows[i].Local.CPUNs = 0, ns, ns, ns, ns, ns
	}
	fast := File(tb, "write", option.KindBandwidth, []int{8, 16}, "poll")
	fast.Rows[0].Bandwidth = &result.Bandwidth{Average: math.MaxFloat64, Peak: math.MaxFloat64, MsgRate: math.MaxFloat64}
	return map[string]*result.File{
		"extreme latency":      extreme,
		"extreme bandwidth":    fast,
		"no latency rows":      File(tb, "write", option.KindLatency, nil, "poll"),
		"no bandwidth rows":    File(tb, "write", option.KindBandwidth, nil, "poll"),
		"latency zeros":        zeroLat,
		"bandwidth zeros":      zeroBW,
		"one sample":           oneSample,
		"empty messages":       noSize,
		"zero timed latency":   zeroTimed,
		"nothing but the kind": {Kind: option.KindLatency, Op: "write"},
	}
}
