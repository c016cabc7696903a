package oob

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// Check returns an error for the first impossible value of a round. It names the range of possible values.
func (r *Round) Check(l Limits) error {
	threads := l.threads()
	events := l.maxNs() * threads * maxEventsPerNs
	err := checkAll(
		l.checkNs("cpu_ns", float64(r.CPUNs), threads),
		l.checkNs("wall_ns", float64(r.WallNs), threads),
		check{"sleeps", float64(r.Sleeps), 0, events, l.timeReason},
		check{"preempted", float64(r.Preempted), 0, events, l.timeReason},
		check{"cpu", float64(r.CPU), -1, maxCPU, nil},
		l.checkTotal("sent", r.Sent),
		l.checkTotal("came", r.Received),
		check{"clock_drift", r.Drift, -units.Measurable, units.Measurable, nil},
		check{"begin_ns", float64(r.Begin), -maxClockNs, maxClockNs, nil},
		check{"end_ns", float64(r.End), float64(r.Begin), float64(r.Begin) + l.maxNs(), func() string { return "begin_ns and " + l.timeReason() }},
	)
	if err == nil {
		err = cmp.Or(checkNodes("numa_nodes", r.Nodes), checkCPUs("cpus", r.CPUs, l))
	}
	if err == nil && r.Verify != nil {
		err = inMember("verify", checkVerify(r.Verify, l))
	}
	if err == nil && r.Figure != nil {
		err = inMember("figure", checkFigure(r.Figure, l))
	}
	return cmp.Or(err, checkEach(r.Devices, l, (*Round).Check))
}

// checkEach checks the number of parts of a message, one of each device of a run with several, and each part.
func checkEach[T any](parts []T, l Limits, check func(*T, Limits) error) error {
	if want := l.parts(); len(parts) != want {
		return fmt.Errorf("devices has %d parts, want %d", len(parts), want)
	}
	l.Devices = 1 // a part has none
	for i := range parts {
		if err := check(&parts[i], l); err != nil {
			return inMember("devices", err)
		}
	}
	return nil
}

func checkVerify(v *result.Verify, l Limits) error {
	err := checkAll(l.checkTotal("messages", v.Messages), l.checkTotal("torn", v.Torn), l.checkTotal("stale", v.Stale), l.checkTotal("duplicates", v.Duplicates))
	if err != nil {
		return err
	}
	return checkText("first", v.First)
}

func checkFigure(f *result.Round, l Limits) error {
	err := checkAll(
		l.checkSeconds("seconds", f.Seconds),
		l.checkCount("messages", f.Messages, f.Seconds),
		l.checkNs("p50_ns", f.P50Ns, 1),
		check{"p90_ns", f.P90Ns, f.P50Ns / 2, l.maxNs(), reason("from p50_ns on, which is interpolated, and so from half of it")},
		check{"p99_ns", f.P99Ns, f.P90Ns, l.maxNs(), reason("from p90_ns on")},
		l.checkNs("mean_ns", f.MeanNs, 1),
		checkRate("average_bytes_per_s", f.Average),
	)
	if err == nil && l.Kind == option.KindBandwidth {
		err = checkDerived("average_bytes_per_s", f.Average, perSecond(float64(f.Messages)*float64(l.Size), f.Seconds)).err()
	}
	return err
}

// perSecond returns n divided by a time; 0 if the time is 0.
func perSecond(n, seconds float64) float64 {
	if seconds == 0 {
		return 0
	}
	return n / seconds
}

// checkCPUs checks the number and the numbers of the CPUs of threads.
func checkCPUs(name string, cpus []int, l Limits) error {
	err := check{name, float64(len(cpus)), 0, l.threads(), reason("threads")}.err()
	for _, cpu := range cpus {
		err = cmp.Or(err, check{name, float64(cpu), -1, maxCPU, nil}.err())
	}
	return err
}

// Check returns an error for the first impossible value of a row. It names the range of possible values.
func (r *Row) Check(l Limits) error {
	if err := checkEach(r.Devices, l, (*Row).Check); err != nil {
		return err
	}
	switch {
	case r.Latency != nil && l.Kind != option.KindLatency:
		return errors.New("latency is set, which a bandwidth test does not measure")
	case r.Bandwidth != nil && l.Kind != option.KindBandwidth:
		return errors.New("bandwidth is set, which a latency test does not measure")
	case r.Load != nil && r.Latency == nil:
		return errors.New("load is set without latency")
	case r.Load != nil:
		return cmp.Or(inMember("latency", checkLatency(r.Latency, l)), inMember("load", checkLoad(r.Load, l)))
	case r.Latency != nil:
		return inMember("latency", checkLatency(r.Latency, l))
	case r.Bandwidth != nil:
		return inMember("bandwidth", checkBandwidth(r.Bandwidth, l))
	}
	return nil
}

func checkLatency(v *result.Latency, l Limits) error {
	err := checkAll(
		l.checkTotal("n", v.N), check{"n", float64(v.N), 1, math.Inf(1), nil},
		l.checkNs("mean_ns", v.MeanNs, 1),
		checkRate("iterations_per_s", v.Rate),
	)
	switch {
	case err != nil:
		return err
	case v.Factor != 0.5 && v.Factor != 1:
		return fmt.Errorf("factor = %v, want 0.5 or 1", v.Factor)
	case v.MeanOnly:
		return nil
	}
	err = checkAll(
		l.checkNs("max_ns", v.MaxNs, 1),
		check{"min_ns", v.MinNs, 0, v.MaxNs, reason("up to max_ns")},
		check{"mean_ns", v.MeanNs, v.MinNs * (1 - relTolerance), v.MaxNs * (1 + relTolerance), reason("min_ns to max_ns")},
		check{"stdev_ns", v.StdevNs, 0, (v.MaxNs-v.MinNs)*(1+relTolerance) + relTolerance, reason("up to max_ns - min_ns")},
		check{"p50_ns", v.P50Ns, v.MinNs, v.MaxNs, reason("min_ns to max_ns")},
		check{"p90_ns", v.P90Ns, v.P50Ns, v.MaxNs, reason("p50_ns to max_ns")},
		check{"p99_ns", v.P99Ns, v.P90Ns, v.MaxNs, reason("p90_ns to max_ns")},
		check{"p99_9_ns", v.P999Ns, v.P99Ns, v.MaxNs, reason("p99_ns to max_ns")},
		check{"p99_99_ns", v.P9999Ns, v.P999Ns, v.MaxNs, reason("p99_9_ns to max_ns")},
	)
	if err != nil {
		return err
	}
	return checkHistogram(v)
}

func checkLoad(v *result.Load, l Limits) error {
	err := checkAll(
		checkRate("offered_per_s", v.Offered),
		check{"window", float64(v.Window), 1, option.MaxDepth, nil},
		l.checkTotal("backlog", v.Backlog),
	)
	if err != nil || v.Service == nil {
		return err
	}
	return inMember("service", checkLatency(v.Service, l))
}

// checkHistogram returns an error unless the histogram has as many samples as the statistics.
func checkHistogram(v *result.Latency) error {
	buckets, err := v.Distribution()
	if err != nil {
		return fmt.Errorf("histogram cannot be decoded: %w", err)
	}
	var samples uint64
	if n := len(buckets); n > 0 {
		samples = buckets[n-1].UpTo
	}
	if samples != v.N {
		return fmt.Errorf("histogram has %d samples, want n = %d", samples, v.N)
	}
	return nil
}

func checkBandwidth(b *result.Bandwidth, l Limits) error {
	err := checkAll(
		l.checkSeconds("seconds", b.Seconds),
		l.checkCount("messages", b.Messages, b.Seconds),
		checkDerived("bytes", float64(b.Bytes), float64(b.Messages)*float64(l.Size)),
		checkRate("messages_per_s", b.MsgRate),
		checkDerived("messages_per_s", b.MsgRate, perSecond(float64(b.Messages), b.Seconds)),
		checkRate("average_bytes_per_s", b.Average),
		checkDerived("average_bytes_per_s", b.Average, b.MsgRate*float64(l.Size)),
		checkRate("slowest_bytes_per_s", b.Slowest),
		checkRate("median_window_bytes_per_s", b.MedianWindow),
		checkRate("peak_bytes_per_s", b.Peak),
		l.checkSeconds("window_s", b.WindowS),
		l.checkSeconds("aligned_within_s", b.AlignedWithin),
	)
	if err != nil {
		return err
	}
	return checkText("measured_at", b.MeasuredAt, "sender", "receiver", "requester")
}
