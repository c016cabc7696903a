package oob

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
	"github.com/ibperf/ibperf/verbs"
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
	return err
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

// Check returns an error for the first impossible value of a promise. It names the range of possible values.
func (p *Promise) Check() error {
	s := &p.Side
	err := checkAll(
		checkRate("clock_ns", s.ClockNs), checkRate("clock_step_ns", s.ClockStepNs), checkRate("clock_hz", s.ClockHz),
		check{"cpus", float64(s.CPUs), 0, maxCPU, nil},
		check{"active_mtu_bytes", float64(s.Device.ActiveMTU), 0, maxMTU, nil},
		check{"max_mtu_bytes", float64(s.Device.MaxMTU), 0, maxMTU, nil},
		check{"kept", float64(p.MaxScatterToCQE), 0, math.MaxInt32, nil},
		check{"order", float64(p.Order), float64(verbs.OrderUnknown), float64(verbs.OrderWhole), nil},
		check{"unlike", float64(len(p.PathDifferences)), 0, maxPathDifferences, reason("texts")},
	)
	if s.Idle != nil {
		for _, state := range s.Idle.States {
			err = cmp.Or(err, checkRate("exit_latency_ns", state.ExitNs).err())
		}
		if limit := s.Idle.LimitNs; limit != nil {
			err = cmp.Or(err, checkRate("latency_limit_ns", *limit).err())
		}
	}
	if s.NUMA != nil {
		err = cmp.Or(err, inMember("numa", checkNUMA(s.NUMA)))
	}
	if s.TPH != nil {
		err = cmp.Or(err, inMember("tph", checkTPH(s.TPH)))
	}
	if s.Tuning != nil {
		err = cmp.Or(err, inMember("tuning", checkTuning(s.Tuning)))
	}
	for _, text := range p.PathDifferences {
		err = cmp.Or(err, checkText("unlike", text))
	}
	return err
}

func checkTPH(t *result.TPH) error {
	cpu := 0
	if t.CPU != nil {
		cpu = *t.CPU
	}
	err := checkAll(check{"hint", float64(t.Hint), 0, 3, nil}, check{"cpu", float64(cpu), 0, maxCPU, nil})
	return cmp.Or(err, checkText("memory", t.Memory))
}

func checkNUMA(n *result.NUMA) error {
	nodes, shares := n.SetUp, 0.0
	if n.Device != nil {
		nodes = append(slices.Clip(nodes), *n.Device)
	}
	for _, m := range n.Memory {
		nodes, shares = append(slices.Clip(nodes), m.Node), max(shares, m.Share)
	}
	err := checkAll(
		check{"nodes", float64(n.Nodes), 0, maxNodes, nil},
		check{"memory", float64(len(n.Memory)), 0, maxNodes, reason("NUMA nodes")},
		check{"share", shares, 0, 1, nil},
	)
	return cmp.Or(err, checkNodes("node", nodes))
}

// checkNodes checks the number and the numbers of NUMA nodes.
func checkCPUs(name string, cpus []int, l Limits) error {
	err := check{name, float64(len(cpus)), 0, l.threads(), reason("threads")}.err()
	for _, cpu := range cpus {
		err = cmp.Or(err, check{name, float64(cpu), -1, maxCPU, nil}.err())
	}
	return err
}

func checkNodes(name string, nodes []int) error {
	err := check{name, float64(len(nodes)), 0, 3 * maxNodes, reason("NUMA nodes")}.err()
	for _, node := range nodes {
		err = cmp.Or(err, check{name, float64(node), 0, maxNodes - 1, nil}.err())
	}
	return err
}

// Check returns an error for the first impossible value of a row. It names the range of possible values.
func (r *Row) Check(l Limits) error {
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
