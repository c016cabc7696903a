package reports

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
)

// Parse decodes a result file and checks that tables and plots can be made
// from it: its format and version, and in every row the numbers of its kind.
func Parse(data []byte) (*File, error) {
	var head struct {
		Format  string `json:"format"`
		Version int    `json:"version"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, fmt.Errorf("parse JSON: %w", err)
	}
	switch {
	case head.Format != FormatName:
		return nil, fmt.Errorf("not a result file: format is %q, want %q", head.Format, FormatName)
	case head.Version > FormatVersion:
		return nil, fmt.Errorf("format version %d is newer than this program, which knows version %d: use a newer ibperf",
			head.Version, FormatVersion)
	case head.Version < 1:
		return nil, fmt.Errorf("format version %d does not exist", head.Version)
	}
	f := new(File)
	if err := json.Unmarshal(data, f); err != nil {
		return nil, fmt.Errorf("parse JSON: %w", err)
	}
	if err := f.check(); err != nil {
		return nil, err
	}
	return f, nil
}

// check returns what makes f useless for tables and plots.
func (f *File) check() error {
	if f.Kind != KindLatency && f.Kind != KindBandwidth {
		return fmt.Errorf("kind is %q, want %q or %q", f.Kind, KindLatency, KindBandwidth)
	}
	if f.Op == "" {
		return errors.New("op is missing")
	}
	for i := range f.Rows {
		if err := f.Rows[i].check(f.Kind); err != nil {
			return fmt.Errorf("row %d: %w", i+1, err)
		}
	}
	return nil
}

func (r *Row) check(kind string) error {
	if r.Size < 0 {
		return fmt.Errorf("size_bytes is negative: %d", r.Size)
	}
	if !knownMode(r.Mode) {
		return fmt.Errorf("mode is %q, want data, poll or event", r.Mode)
	}
	if err := checkNumbers("cpu_ns_per_message", r.Local.CPUNs, r.Peer.CPUNs); err != nil {
		return err
	}
	switch kind {
	case KindLatency:
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

func (l *Latency) check() error {
	err := errors.Join(
		checkNumbers("min_ns, mean_ns, max_ns", l.MinNs, l.MeanNs, l.MaxNs),
		checkNumbers("stdev_ns", l.StdevNs),
		checkNumbers("percentiles", l.P50Ns, l.P90Ns, l.P99Ns, l.P999Ns, l.P9999Ns),
		checkNumbers("factor", l.Factor))
	if err != nil {
		return err
	}
	if l.N == 0 {
		return nil
	}
	if _, err := l.distribution(); err != nil {
		return fmt.Errorf("decode histogram: %w", err)
	}
	return nil
}

func (b *Bandwidth) check() error {
	return errors.Join(
		checkNumbers("seconds", b.Seconds),
		checkNumbers("average_bytes_per_s", b.Average),
		checkNumbers("peak_bytes_per_s", b.Peak),
		checkNumbers("messages_per_s", b.MsgRate))
}

func checkNumbers(name string, values ...float64) error {
	for _, v := range values {
		if v < 0 || v > measurable || math.IsNaN(v) {
			return fmt.Errorf("%s: %v is not a number that can be measured", name, v)
		}
	}
	return nil
}
