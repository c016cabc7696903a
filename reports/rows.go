package reports

import (
	"fmt"
	"strings"

	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/reports/result"
)

// rowFormat prints rows in perftest's columns, which scripts count. There are four of them:
// by kind, and latency by whether there is more than a mean. Where rows differ in their mode it
// stands behind them.
type rowFormat struct {
	header string
	row    func(*result.Row) string
	modes  bool
}

// hasModes tells whether the rows of a run differ in their mode, or have a doubtful one. Those
// of others have the one that the header names.
func hasModes(f *result.File) bool {
	return f.Parameters.Compare || len(f.Parameters.Modes) > 1 || f.Parameters.ForceData
}

const modeGap = 6 // blanks between perftest's header and the column that it does not have

func newRowFormat(kind string, meanOnly, gbits bool) *rowFormat {
	switch {
	case kind == result.KindLatency && meanOnly:
		return &rowFormat{header: " #bytes        #iterations       t_avg[usec]    tps average", row: meanRow}
	case kind == result.KindLatency:
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
	if !f.modes {
		return f.header + "\n"
	}
	return f.header + strings.Repeat(" ", modeGap) + "mode\n"
}

// rowLine puts the mode, if rows have one, under its header, and label before it if there is one.
func (f *rowFormat) rowLine(r *result.Row, label string) string {
	line := f.row(r)
	if !f.modes {
		return line + "\n"
	}
	gap := max(len(f.header)+modeGap-visibleWidth(line), 2)
	if label != "" {
		label += " "
	}
	return line + strings.Repeat(" ", gap) + label + r.ModeMark() + "\n"
}

// visibleWidth is the width of an ASCII line on a terminal with tab stops at 8.
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

// iterations returns a row whose messages are what perftest's column #iterations counts: in a bidirectional
// test those that the side sends or READs itself. Where the directions are not known, that is half of all.
func iterations(f *result.File, r *result.Row) *result.Row {
	if !f.Parameters.Both || r.Bandwidth == nil {
		return r
	}
	one, b := *r, *r.Bandwidth
	b.Messages /= 2
	if local, _ := r.Directions(f.Role, f.Op); local != nil {
		b.Messages = local.Bandwidth.Messages
	}
	one.Bandwidth = &b
	return &one
}

// addColumn adds one that perftest does not have, behind its own.
func (f *rowFormat) addColumn(head string, cell func(*result.Row) string) {
	const gap = 4
	plain, before := f.row, len(f.header)
	f.header += strings.Repeat(" ", gap) + head
	f.row = func(r *result.Row) string {
		line := plain(r)
		return line + strings.Repeat(" ", max(before+gap-visibleWidth(line), 2)) + cell(r)
	}
}

// addLost adds how many messages were lost, where any may be.
func (f *rowFormat) addLost() {
	f.addColumn("lost", func(r *result.Row) string { return result.ColumnOf("delivery.lost").Text(r, false) })
}

// addWindows adds the slowest and the middle window, where the peak is the fastest.
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
