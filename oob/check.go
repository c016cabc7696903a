package oob

import (
	"errors"
	"fmt"
	"math"

	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/reports/result"
)

// Check returns which figure of a round cannot have been measured, its value and what is allowed.
func (r *Round) Check(l Limits) error {
	threads := l.threads()
	events := l.ns() * threads * eventsPerNs
	err := checkAll(
		l.span("cpu_ns", float64(r.CPUNs), threads),
		l.span("wall_ns", float64(r.WallNs), threads),
		check{"sleeps", float64(r.Sleeps), 0, events, l.allowed()},
		check{"preempted", float64(r.Preempted), 0, events, l.allowed()},
		check{"cpu", float64(r.CPU), -1, mostCPU, ""},
		l.moved("sent", r.Sent),
		l.moved("came", r.Came),
		check{"clock_drift", r.Drift, -units.Measurable, units.Measurable, ""},
		check{"begin_ns", float64(r.Begin), -mostClock, mostClock, ""},
		check{"end_ns", float64(r.End), float64(r.Begin), float64(r.Begin) + l.ns(), "begin_ns and " + l.allowed()},
	)
	if err == nil && r.Verify != nil {
		err = within("verify", checkVerify(r.Verify, l))
	}
	if err == nil && r.Figure != nil {
		err = within("figure", checkFigure(r.Figure, l))
	}
	return err
}

func checkVerify(v *result.Verify, l Limits) error {
	err := checkAll(l.moved("messages", v.Messages), l.moved("torn", v.Torn), l.moved("stale", v.Stale), l.moved("duplicates", v.Duplicates))
	if err != nil {
		return err
	}
	return checkText("first", v.First)
}

func checkFigure(f *result.Round, l Limits) error {
	err := checkAll(
		l.seconds("seconds", f.Seconds),
		l.count("messages", f.Messages, f.Seconds),
		l.span("p50_ns", f.P50Ns, 1),
		l.span("mean_ns", f.MeanNs, 1),
		rate("average_bytes_per_s", f.Average),
	)
	if err == nil && l.Kind == result.KindBandwidth {
		err = same("average_bytes_per_s", f.Average, perSecond(float64(f.Messages)*float64(l.Size), f.Seconds)).err()
	}
	return err
}

// perSecond is a number over a time; what took no time has no rate.
func perSecond(n, seconds float64) float64 {
	if seconds == 0 {
		return 0
	}
	return n / seconds
}

// Check returns which figure of a side cannot be, its value and what is allowed.
func (p *Promise) Check() error {
	s := &p.Side
	return checkAll(
		rate("clock_ns", s.ClockNs), rate("clock_step_ns", s.ClockStepNs), rate("clock_hz", s.ClockHz),
		check{"cpus", float64(s.CPUs), 0, mostCPU, ""},
		check{"kept", float64(p.Kept), 0, math.MaxInt32, ""},
	)
}

// Check returns which figure of a row cannot have been measured, its value and what is allowed.
func (r *Row) Check(l Limits) error {
	switch {
	case r.Latency != nil && l.Kind != result.KindLatency:
		return errors.New("latency is there, which a bandwidth test does not measure")
	case r.Bandwidth != nil && l.Kind != result.KindBandwidth:
		return errors.New("bandwidth is there, which a latency test does not measure")
	case r.Latency != nil:
		return within("latency", checkLatency(r.Latency, l))
	case r.Bandwidth != nil:
		return within("bandwidth", checkBandwidth(r.Bandwidth, l))
	}
	return nil
}

func checkLatency(v *result.Latency, l Limits) error {
	err := checkAll(
		l.moved("n", v.N), check{"n", float64(v.N), 1, math.Inf(1), ""},
		l.span("mean_ns", v.MeanNs, 1),
		rate("iterations_per_s", v.Rate),
	)
	switch {
	case err != nil:
		return err
	case v.Factor != 0.5 && v.Factor != 1:
		return fmt.Errorf("factor is %v, allowed is 0.5 or 1", v.Factor)
	case v.MeanOnly:
		return nil
	}
	err = checkAll(
		l.span("max_ns", v.MaxNs, 1),
		check{"min_ns", v.MinNs, 0, v.MaxNs, "up to max_ns"},
		check{"mean_ns", v.MeanNs, v.MinNs * (1 - rounding), v.MaxNs * (1 + rounding), "min_ns to max_ns"},
		check{"stdev_ns", v.StdevNs, 0, (v.MaxNs-v.MinNs)*(1+rounding) + rounding, "up to max_ns - min_ns"},
		check{"p50_ns", v.P50Ns, v.MinNs, v.MaxNs, "min_ns to max_ns"},
		check{"p90_ns", v.P90Ns, v.P50Ns, v.MaxNs, "p50_ns to max_ns"},
		check{"p99_ns", v.P99Ns, v.P90Ns, v.MaxNs, "p90_ns to max_ns"},
		check{"p99_9_ns", v.P999Ns, v.P99Ns, v.MaxNs, "p99_ns to max_ns"},
		check{"p99_99_ns", v.P9999Ns, v.P999Ns, v.MaxNs, "p99_9_ns to max_ns"},
	)
	if err != nil {
		return err
	}
	return checkHistogram(v)
}

// checkHistogram decodes the histogram, whose samples are those of the statistics.
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
		return fmt.Errorf("histogram has %d samples, allowed is n, %d", samples, v.N)
	}
	return nil
}

func checkBandwidth(b *result.Bandwidth, l Limits) error {
	err := checkAll(
		l.seconds("seconds", b.Seconds),
		l.count("messages", b.Messages, b.Seconds),
		same("bytes", float64(b.Bytes), float64(b.Messages)*float64(l.Size)),
		rate("messages_per_s", b.MsgRate),
		same("messages_per_s", b.MsgRate, perSecond(float64(b.Messages), b.Seconds)),
		rate("average_bytes_per_s", b.Average),
		same("average_bytes_per_s", b.Average, b.MsgRate*float64(l.Size)),
		rate("slowest_bytes_per_s", b.Slowest),
		rate("median_window_bytes_per_s", b.MedianWindow),
		rate("peak_bytes_per_s", b.Peak),
		l.seconds("window_s", b.WindowS),
		l.seconds("aligned_within_s", b.AlignedWithin),
	)
	if err != nil {
		return err
	}
	return checkText("measured_at", b.MeasuredAt, "sender", "receiver", "requester")
}
