package text

import (
	"fmt"
	"strings"

	"github.com/ibperf/ibperf/internal/printable"
	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/result"
)

// rowFormat prints rows in perftest's columns, which scripts count. There are four formats: latency,
// mean latency, and bandwidth in two units. If rows differ in their mode, the mode follows the
// columns, and of several devices the device.
type rowFormat struct {
	header  string
	row     func(*result.Row) string
	modes   bool
	devices bool
}

// hasModes reports whether the rows of a run differ in their mode or have an unsafe one. For other
// runs the header names the mode.
func hasModes(f *result.File) bool {
	return f.Parameters.Compare || len(f.Parameters.Modes) > 1 || f.Parameters.ForceData
}

const modeGap = 6 // blanks between perftest's header and the mode

func newRowFormat(kind option.Kind, meanOnly, gbits bool) *rowFormat {
	switch {
	case kind == option.KindLatency && meanOnly:
		return &rowFormat{header: " #bytes        #iterations       t_avg[usec]    tps average", row: meanRow}
	case kind == option.KindLatency:
		return &rowFormat{header: " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec] ", row: latencyRow}
	case gbits:
		return &rowFormat{header: " #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]", row: gbitRow}
	}
	return &rowFormat{header: " #bytes     #iterations    BW peak[MiB/sec]    BW average[MiB/sec]   MsgRate[Mpps]", row: mibRow}
}

// addCPUUtil adds perftest's column of --cpu_util.
func (f *rowFormat) addCPUUtil() {
	plain := f.row
	f.header += "    CPU_Util[%]"
	f.row = func(r *result.Row) string {
		util := result.Unmeasured
		if r.Local.CPUUtil != nil {
			util = fmt.Sprintf("%-3.2f", units.Finite(*r.Local.CPUUtil)*100)
		}
		return plain(r) + "\t    " + util
	}
}

func (f *rowFormat) headerLine() string {
	var after []string
	if f.modes {
		after = append(after, "mode")
	}
	if f.devices {
		after = append(after, "device")
	}
	if len(after) == 0 {
		return f.header + "\n"
	}
	return f.header + strings.Repeat(" ", modeGap) + strings.Join(after, " ") + "\n"
}

// rowLine returns the line of a row, followed by its mode, if rows have one, with the label before
// it, and by its device, if runs have several.
func (f *rowFormat) rowLine(r *result.Row, label, device string) string {
	line := f.row(r)
	var after []string
	if f.modes {
		after = append(after, strings.TrimSpace(label+" "+r.ModeMark()))
	}
	if f.devices {
		after = append(after, device)
	}
	if len(after) == 0 {
		return line + "\n"
	}
	gap := max(len(f.header)+modeGap-visibleWidth(line), 2)
	return line + strings.Repeat(" ", gap) + strings.Join(after, " ") + "\n"
}

// rowLines returns the lines of a row: of several devices one for each, and then that of all of them.
func (f *rowFormat) rowLines(run *result.File, r *result.Row, label string) string {
	var b strings.Builder
	devices := run.Local.Devices()
	for i := range r.Devices {
		row := r.OfDevice(i)
		b.WriteString(f.rowLine(rows.AsPerftest(run, &row), label, printable.Clean(devices[i].PortName())))
	}
	return b.String() + f.rowLine(rows.AsPerftest(run, r), label, allDevices(run))
}

// allDevices returns what the row of a run has: the sum of the rates of several devices, the latencies of all of them, or those of
// one device.
func allDevices(run *result.File) string {
	switch {
	case !run.Local.Several():
		return printable.Clean(run.Local.Device.Name)
	case run.Kind == option.KindBandwidth:
		return "sum"
	}
	return "all"
}

// visibleWidth returns the width of an ASCII line on a terminal with tab stops every 8 columns.
func visibleWidth(line string) int {
	width := 0
	for _, c := range line {
		if c == '\t' {
			width += 8 - width%8
		} else {
			width++
		}
	}
	return width
}

func latencyRow(r *result.Row) string {
	l := r.Latency
	if l.MeanOnly {
		return strings.ReplaceAll(latencyRow(&result.Row{Size: r.Size, Latency: &result.Latency{N: l.N}}), "0.000", "-    ")
	}
	d := units.UsecDecimals(l.P50Ns)
	return fmt.Sprintf(" %-7d %d          %-7.*f        %-7.*f      %-7.*f  \t       %-7.*f     \t%-7.*f\t\t%-7.*f \t\t%-7.*f",
		r.Size, l.N, d, units.Usec(l.MinNs), d, units.Usec(l.MaxNs), d, units.Usec(l.P50Ns), d, units.Usec(l.MeanNs),
		d, units.Usec(l.StdevNs), d, units.Usec(l.P99Ns), d, units.Usec(l.P999Ns))
}

func meanRow(r *result.Row) string {
	l := r.Latency
	return fmt.Sprintf(" %-7d       %d            %-7.*f        %-7.2f",
		r.Size, l.N, units.UsecDecimals(l.MeanNs), units.Usec(l.MeanNs), units.Finite(l.Rate))
}

func mibRow(r *result.Row) string {
	return bandwidthRow(r, units.MiBps, 2)
}

func gbitRow(r *result.Row) string {
	return bandwidthRow(r, units.Gbps, units.GbitDecimals(r.Bandwidth.Average))
}

// addColumn adds a column after perftest's.
func (f *rowFormat) addColumn(head string, cell func(*result.Row) string) {
	const gap = 4
	plain, before := f.row, len(f.header)
	f.header += strings.Repeat(" ", gap) + head
	f.row = func(r *result.Row) string {
		line := plain(r)
		return line + strings.Repeat(" ", max(before+gap-visibleWidth(line), 2)) + cell(r)
	}
}

// addLost adds the number of lost messages, for transports that may lose some.
func (f *rowFormat) addLost() {
	f.addColumn("lost", func(r *result.Row) string { return result.ColumnOf("delivery.lost").Text(r) })
}

// addWindows adds the rates of the slowest window and of the median window. The peak is that of the
// fastest.
func (f *rowFormat) addWindows(gbits bool) {
	unit, scale := "MiB/sec", units.MiBps
	if gbits {
		unit, scale = "Gb/sec", units.Gbps
	}
	window := func(v float64) string {
		if v == 0 {
			return result.Unmeasured
		}
		return fmt.Sprintf("%.2f", scale(v))
	}
	f.addColumn("BW slowest["+unit+"]", func(r *result.Row) string { return window(r.Bandwidth.Slowest) })
	f.addColumn("BW median["+unit+"]", func(r *result.Row) string { return window(r.Bandwidth.MedianWindow) })
}

func bandwidthRow(r *result.Row, scale func(float64) float64, decimals int) string {
	b := r.Bandwidth
	return fmt.Sprintf(" %-7d    %-10d       %-7.*f            %-7.*f\t\t     %-7.6f",
		r.Size, b.Messages, decimals, scale(b.Peak), decimals, scale(b.Average), units.Mpps(b.MsgRate))
}
