package results

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/ibperf/ibperf/internal/units"
)

// Limits holds what each test must reach. 0: no limit.
type Limits struct {
	MinBandwidth float64 `json:"min_bandwidth_bytes_per_s,omitempty" about:"--min-bw, of both directions"`
	MaxMedianNs  float64 `json:"max_latency_p50_ns,omitempty" about:"--max-lat p50"`
	MaxP99Ns     float64 `json:"max_latency_p99_ns,omitempty" about:"--max-lat p99"`
}

// bytesPerGb is the number of bytes of a gigabit.
const bytesPerGb = 1e9 / 8

// SetMinBandwidth takes the argument of --min-bw, such as 180 or 180Gb/s.
func (l *Limits) SetMinBandwidth(text string) error {
	v, err := strconv.ParseFloat(strings.TrimSuffix(text, "Gb/s"), 64)
	if err != nil || !(v > 0 && v < 1e9) {
		return errors.New("write a number of Gb/s above 0, such as 180")
	}
	l.MinBandwidth = v * bytesPerGb
	return nil
}

// SetMaxLatency takes the argument of --max-lat, such as p99=10us.
func (l *Limits) SetMaxLatency(text string) error {
	which, value, _ := strings.Cut(text, "=")
	d, err := time.ParseDuration(value)
	if err != nil || d <= 0 {
		return errors.New("write p99=TIME or p50=TIME, such as p99=10us")
	}
	switch which {
	case "p50":
		l.MaxMedianNs = float64(d)
	case "p99":
		l.MaxP99Ns = float64(d)
	default:
		return errors.New("write p99=TIME or p50=TIME, such as p99=10us")
	}
	return nil
}

// Missed returns which limits a test has missed, "" for none.
func (l *Limits) Missed(t *Test) string {
	var parts []string
	if l.MinBandwidth > 0 && t.Bandwidth < l.MinBandwidth {
		parts = append(parts, fmt.Sprintf("bandwidth %s Gb/s, below --min-bw %g", units.RateText(t.Bandwidth, true), l.MinBandwidth/bytesPerGb))
	}
	late := func(name string, ns, limit float64) {
		if limit > 0 && ns > limit {
			parts = append(parts, fmt.Sprintf("%s %s usec, above --max-lat %s=%v", name, units.UsecText(ns), name, time.Duration(limit)))
		}
	}
	late("p50", t.MedianNs, l.MaxMedianNs)
	late("p99", t.P99Ns, l.MaxP99Ns)
	return strings.Join(parts, "; ")
}

// value returns the value of a test as the figure of limits.
func (l *Limits) value(t Test) float64 {
	switch {
	case t.Error != "":
		return 0
	case l.Missed(&t) != "":
		return failed
	}
	return 1
}

// LimitsMissed reports whether tests missed limits and no evidence clears their nodes.
func (d *Document) LimitsMissed() bool {
	for _, n := range d.Nodes {
		if len(d.Nodes) == 1 {
			return n.State != Good && d.countMissed(n.Rank) > 0
		}
		for _, e := range n.Evidence {
			if e.Figure == MeetsLimits && e.State != Good && d.countMissed(n.Rank) > 0 {
				return true
			}
		}
	}
	return false
}

// countMissed counts the tests of a rank that missed a limit.
func (d *Document) countMissed(rank int) (n int) {
	for i := range d.Tests {
		if t := &d.Tests[i]; (t.A == rank || t.B == rank) && t.Error == "" && d.Settings.Limits.Missed(t) != "" {
			n++
		}
	}
	return n
}

// limitsText returns how many tests missed a limit.
func (d *Document) limitsText() string {
	missed, first := 0, ""
	for i := range d.Tests {
		if t := &d.Tests[i]; t.Error == "" {
			if text := d.Settings.Limits.Missed(t); text != "" {
				if missed++; missed == 1 {
					first = fmt.Sprintf("%v and %v: %s", d.Name(t.A), d.Name(t.B), text)
				}
			}
		}
	}
	if missed == 0 {
		return fmt.Sprintf("limits: all %d tests with figures met them\n", d.countMeasured())
	}
	return fmt.Sprintf("limits: %d of %d tests missed one, the first %s\n", missed, d.countMeasured(), first)
}

func (d *Document) countMeasured() (n int) {
	for i := range d.Tests {
		if d.Tests[i].Error == "" {
			n++
		}
	}
	return n
}
