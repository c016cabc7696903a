package result

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/option"
)

// Parse decodes and checks a result file: its format and version, and that each row has valid
// numbers of its kind.
func Parse(data []byte) (*File, error) {
	f := new(File)
	if err := Decode(data, FormatName, FormatVersion, f); err != nil {
		return nil, err
	}
	if err := f.Parameters.decode(option.Test{Op: option.Op(f.Op), Kind: f.Kind}); err != nil {
		return nil, fmt.Errorf("parse parameters: %w", err)
	}
	f.Parameters.Devices = len(f.Local.Devices())
	if err := f.check(); err != nil {
		return nil, err
	}
	return f, nil
}

// check returns an error if tables and plots cannot be made from f.
func (f *File) check() error {
	if f.Kind != option.KindLatency && f.Kind != option.KindBandwidth {
		return fmt.Errorf("kind is %q, want %q or %q", f.Kind, option.KindLatency, option.KindBandwidth)
	}
	if f.Op == "" {
		return errors.New("op is missing")
	}
	for _, m := range f.NotMeasured {
		if !slices.Contains(NameOrder, m.Mode) || m.Size < 0 {
			return fmt.Errorf("not_measured: mode %q, size %d", m.Mode, m.Size)
		}
	}
	for i := range f.Rows {
		if err := f.Rows[i].check(f.Kind); err != nil {
			return fmt.Errorf("row %d: %w", i+1, err)
		}
	}
	return f.checkDevices()
}

func (r *Row) check(kind option.Kind) error {
	if r.Size < 0 {
		return fmt.Errorf("size_bytes is negative: %d", r.Size)
	}
	if !KnownMode(r.Mode) {
		return fmt.Errorf("mode is %q, want one of %q", r.Mode, ModeOrder)
	}
	if all := option.RowVariants(); r.Variant != "" && !slices.Contains(all, r.Variant) {
		return fmt.Errorf("variant is %q, want one of %q", r.Variant, all)
	}
	if err := r.checkCommon(); err != nil {
		return err
	}
	switch kind {
	case option.KindLatency:
		if r.Latency == nil {
			return errors.New("latency is missing")
		}
		return r.Latency.check()
	default:
		if r.Bandwidth == nil {
			return errors.New("bandwidth is missing")
		}
		return r.Bandwidth.check()
	}
}

// checkCommon checks the numbers that rows of each kind have.
func (r *Row) checkCommon() error {
	err := errors.Join(
		CheckNumbers("warmup_s", r.WarmupS),
		CheckNumbers("cpu_ns_per_message", r.Local.CPUNs, r.Peer.CPUNs),
		CheckNumbers("busy", r.Local.Busy, r.Peer.Busy),
		CheckNumbers("preempted_per_s", r.Local.PreemptedPerS, r.Peer.PreemptedPerS),
		CheckNumbers("sleeps_per_message", r.Local.SleepsPerMessage, r.Peer.SleepsPerMessage))
	for i, round := range r.Rounds {
		if bad := CheckNumbers("seconds, p50_ns, p90_ns, p99_ns, mean_ns, average_bytes_per_s", round.Seconds, round.P50Ns, round.P90Ns, round.P99Ns, round.MeanNs, round.Average); bad != nil {
			err = errors.Join(err, fmt.Errorf("round %d: %w", i+1, bad))
		}
	}
	return err
}

func (l *Latency) check() error {
	err := errors.Join(
		CheckNumbers("min_ns, mean_ns, max_ns", l.MinNs, l.MeanNs, l.MaxNs),
		CheckNumbers("stdev_ns", l.StdevNs),
		CheckNumbers("percentiles", l.P50Ns, l.P90Ns, l.P99Ns, l.P999Ns, l.P9999Ns),
		CheckNumbers("iterations_per_s", l.Rate),
		CheckNumbers("factor", l.Factor))
	if err != nil {
		return err
	}
	if l.N == 0 || l.MeanOnly {
		return nil
	}
	if _, err := l.Distribution(); err != nil {
		return fmt.Errorf("decode histogram: %w", err)
	}
	return nil
}

func (b *Bandwidth) check() error {
	return errors.Join(
		CheckNumbers("seconds", b.Seconds),
		CheckNumbers("average_bytes_per_s", b.Average),
		CheckNumbers("slowest, median_window and peak_bytes_per_s", b.Slowest, b.MedianWindow, b.Peak),
		CheckNumbers("window_s", b.WindowS),
		CheckNumbers("messages_per_s", b.MsgRate))
}

// CheckNumbers returns an error for numbers that cannot be measured.
func CheckNumbers(name string, values ...float64) error {
	for _, v := range values {
		if v < 0 || v > units.Measurable || math.IsNaN(v) {
			return fmt.Errorf("%s: %v is not a number that can be measured", name, v)
		}
	}
	return nil
}
