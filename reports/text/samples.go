package text

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ibperf/ibperf/internal/printable"
	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/result"
)

// cyclesPerUsec returns the rate of the time stamp counter of the client, whose clock is used, or 0
// if it reads another clock.
func cyclesPerUsec(f *result.File) float64 {
	side := &f.Local
	if f.Role == "server" {
		side = &f.Peer
	}
	return units.Finite(side.ClockHz) / 1e6
}

// inCycles returns a row whose times are scaled so that they print as cycles in place of usec.
func inCycles(r result.Row, perUsec float64) result.Row {
	l := *r.Latency
	for _, ns := range []*float64{&l.MinNs, &l.MeanNs, &l.StdevNs, &l.P50Ns, &l.P90Ns, &l.P99Ns, &l.P999Ns, &l.P9999Ns, &l.MaxNs} {
		*ns *= perUsec
	}
	r.Latency = &l
	samples := slices.Clone(r.Samples)
	for i := range samples {
		samples[i] *= perUsec
	}
	r.Samples = samples
	devices := slices.Clone(r.Devices)
	for i := range devices {
		devices[i].Latency = inCycles(r.OfDevice(i), perUsec).Latency
	}
	r.Devices = devices
	return r
}

// samplesText lists samples as perftest does: a line that names the unit, then a line with the
// number and value of each.
func samplesText(samples []float64, unit string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "#, %s\n", unit)
	for i, ns := range samples {
		fmt.Fprintf(&b, "%d, %.3f\n", i, units.Usec(ns))
	}
	return b.String()
}

// samplesBlock returns the samples of a row, if they are asked for: in the order of time, sorted, or
// both. The line of column names follows.
func (t *Printer) samplesBlock(r *result.Row) string {
	if len(r.Samples) == 0 || !t.style.Unsorted && !t.style.Histogram {
		return ""
	}
	text := ""
	if t.style.Unsorted {
		text += samplesText(r.Samples, t.unit())
	}
	if t.style.Histogram {
		text += samplesText(slices.Sorted(slices.Values(r.Samples)), t.unit())
	}
	return text + rule + t.format.headerLine()
}

// unit returns the unit of times.
func (t *Printer) unit() string {
	if t.style.Cycles && cyclesPerUsec(t.file) > 0 {
		return "cycles"
	}
	return "usec"
}

// countersText lists the increase of the port's counters, as perftest does below each row.
func countersText(c *result.Cost) string {
	if len(c.Counters) == 0 {
		return ""
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(c.Counters)) {
		fmt.Fprintf(&b, "\t%s=%d\n", printable.Clean(name), c.Counters[name])
	}
	return b.String() + "\n"
}
