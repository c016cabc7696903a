package results

import (
	"fmt"
	"strings"
	"time"

	"github.com/ibperf/ibperf/internal/limit"
	"github.com/ibperf/ibperf/internal/units"
)

// Limits holds what each test must reach. 0: no limit.
type Limits struct {
	MinBandwidth float64 `json:"min_bandwidth_bytes_per_s,omitempty" about:"--min-bw, of both directions"`
	MaxMedianNs  float64 `json:"max_latency_p50_ns,omitempty" about:"--max-lat p50"`
	MaxP99Ns     float64 `json:"max_latency_p99_ns,omitempty" about:"--max-lat p99"`
}

// SetMinBandwidth takes the argument of --min-bw, such as 180, 180G or 180Gb/s.
func (l *Limits) SetMinBandwidth(text string) error {
	gbps, err := limit.ParseRate(text)
	if err == nil {
		l.MinBandwidth = limit.Bandwidth{Rate: gbps}.BytesPerS(0)
	}
	return err
}

// SetMaxLatency takes the argument of --max-lat, such as p99=10us or p50=3us,p99=10us.
func (l *Limits) SetMaxLatency(text string) error {
	all, err := limit.ParseLatencies(text, []string{p50, p99})
	for _, one := range all {
		ns := &l.MaxP99Ns
		if one.Figure == p50 {
			ns = &l.MaxMedianNs
		}
		*ns = float64(one.Time)
	}
	return err
}

// The figures of latency that have limits.
const (
	p50 = "p50"
	p99 = "p99"
)

// minBandwidthText and maxLatencyText return a limit as the command line has it.
func (l *Limits) minBandwidthText() string {
	return "--min-bw " + limit.Bandwidth{Rate: units.Gbps(l.MinBandwidth)}.String()
}

func maxLatencyText(figure string, ns float64) string {
	return "--max-lat " + limit.Latency{Figure: figure, Time: time.Duration(ns)}.String()
}

// Missed returns which limits a test has missed, "" for none.
func (l *Limits) Missed(t *Test) string {
	var parts []string
	if l.MinBandwidth > 0 && t.Bandwidth < l.MinBandwidth {
		parts = append(parts, fmt.Sprintf("bandwidth %s Gb/s, below %s", units.RateText(t.Bandwidth, true), l.minBandwidthText()))
	}
	late := func(figure string, ns, most float64) {
		if most > 0 && ns > most {
			parts = append(parts, fmt.Sprintf("%s %s usec, above %s", figure, units.UsecText(ns), maxLatencyText(figure, most)))
		}
	}
	late(p50, t.MedianNs, l.MaxMedianNs)
	late(p99, t.P99Ns, l.MaxP99Ns)
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
	for i, n := range d.Nodes {
		if d.Settings.Ranks == 1 && n.State != Good && d.countMissed(i) > 0 {
			return true
		}
		for _, e := range n.Evidence {
			if d.Settings.Ranks > 1 && e.Figure == MeetsLimits && e.State != Good && d.countMissed(i) > 0 {
				return true
			}
		}
	}
	return false
}

// countMissed counts the tests of a node that missed a limit.
func (d *Document) countMissed(node int) (n int) {
	for i := range d.Tests {
		if t := &d.Tests[i]; (t.A == node || t.B == node) && t.Error == "" && d.Settings.Limits.Missed(t) != "" {
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
