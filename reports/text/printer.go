// Package text prints runs and groups of runs as text: perftest's header and columns, tables, notes,
// warnings and the verdict.
package text

import (
	"io"
	"slices"
	"strings"

	"github.com/ibperf/ibperf/internal/printable"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/reports/tables"
	"github.com/ibperf/ibperf/reports/verdict"
	"github.com/ibperf/ibperf/result"
)

// A Printer prints a run while it is measured: [Printer.Begin] before the first row, [Printer.Row]
// for each row, [Printer.End] after the last. It keeps the first error of its writer, see
// [Printer.Err], and prints nothing after it.
type Printer struct {
	w      io.Writer
	file   *result.File
	style  Style
	early  []string // warnings in the header
	rows   []result.Row
	format *rowFormat // nil until the line of column names is printed
	err    error
}

// New returns a Printer of the run f. It takes rows from [Printer.Row], not from f. The other
// members of f may be filled in until they are printed.
func New(w io.Writer, f *result.File, style Style) *Printer {
	return &Printer{w: w, file: f, style: style}
}

// Err returns the first error of the writer.
func (t *Printer) Err() error { return t.err }

// Begin prints the header, with the warnings that are known before the first row, and the addresses of the QPs.
// Device, order and parameters must be known.
func (t *Printer) Begin(addresses []Address) {
	t.early = rows.Single(t.file, nil).WarningLines()
	known := slices.DeleteFunc(slices.Clone(t.early), t.inHeader)
	t.print(headerBlock(t.file, known) + addressBlock(t.file.Op, addresses))
}

// inHeader reports whether the header has a line for what a warning says.
func (t *Printer) inHeader(warning string) bool {
	return slices.ContainsFunc(t.file.Warnings, func(w result.Warning) bool {
		return w.ID == result.WarnSoftwareDevice && printable.Clean(w.Text) == warning
	})
}

// Interval prints the row of an interval in a run without end.
func (t *Printer) Interval(r result.Row) {
	t.begin()
	t.print(t.line(t.inUnit(r)))
}

// line returns the line of a row.
func (t *Printer) line(r result.Row) string {
	return t.format.rowLines(t.file, &r, "") + countersText(&r.Local)
}

// inUnit returns a row with its times in the unit that is printed.
func (t *Printer) inUnit(r result.Row) result.Row {
	if t.unit() == "cycles" {
		return inCycles(r, cyclesPerUsec(t.file))
	}
	return r
}

// begin prints the line of column names before the first row.
func (t *Printer) begin() {
	if t.format != nil {
		return
	}
	t.format = newRowFormat(t.file.Kind, rows.MeanAlone(t.file), t.style.Gbits)
	t.format.modes, t.format.devices = hasModes(t.file), t.file.Local.Several()
	t.format.header = strings.ReplaceAll(t.format.header, "[usec]", "["+t.unit()+"]")
	if t.style.CPUUtil {
		t.format.addCPUUtil()
	}
	if t.file.Parameters.Endless && t.file.Kind == option.KindBandwidth {
		t.format.addWindows(t.style.Gbits)
	}
	if t.file.Parameters.Transport.Lossy() {
		t.format.addLost()
	}
	t.print(t.format.headerLine())
}

// Row prints a row and keeps it for [Printer.End].
func (t *Printer) Row(r result.Row) {
	if !r.Measured(t.file.Kind) {
		return
	}
	t.rows = append(t.rows, r)
	if t.begin(); t.file.Parameters.Endless {
		t.print(rule) // the summary of the intervals
	}
	r = t.inUnit(r)
	t.print(t.samplesBlock(&r) + t.line(r))
}

// End prints what needs all rows: the closing rule, of a comparison the ratios and the verdict, of --verify its
// result, and with [Style.Details] everything. It leaves warnings to the caller, see [Printer.Warnings].
func (t *Printer) End() {
	g := rows.Single(t.file, t.rows)
	if t.style.Both {
		t.print(t.directions())
	}
	side, shown := tables.SideBySide(g), Verdict(verdict.Judge(g.Runs), t.style)
	switch {
	case !t.file.Parameters.Compare && !t.style.Details:
		t.print(rule + plainFooter(g, t.style.Width))
	case len(side.Tables) == 0 || shown == "" || t.style.Details:
		t.print(rule + footer(g, side, tables.Details(g), t.style.Width) + shown)
	default:
		t.print(rule + shortFooter(g, side, t.style.Width) + shown)
	}
}

// isError reports whether a warning says that the run ended early by its error, which the caller prints.
func (t *Printer) isError(warning string) bool {
	return slices.ContainsFunc(rows.Notices(t.file), func(w result.Warning) bool {
		return w.ID == result.WarnError && printable.Clean(w.Text) == warning
	})
}

// Warnings returns the warnings that the header lacks, and without [Style.Details] the rows that were not measured,
// and why.
func (t *Printer) Warnings() []string {
	g := rows.Single(t.file, t.file.Rows)
	all := slices.DeleteFunc(g.WarningLines(), func(line string) bool { return slices.Contains(t.early, line) || t.isError(line) })
	if !t.file.Parameters.Compare && !t.style.Details {
		all = append(all, tables.Missing(g)...)
	}
	return all
}

// directions returns the rows of each direction, as perftest's --report-both prints them.
func (t *Printer) directions() string {
	local, remote := "", ""
	for i := range t.rows {
		if l, r := t.rows[i].Directions(t.file.Role, t.file.Op); l != nil {
			all := allDevices(t.file)
			local, remote = local+t.format.rowLine(l, "", all), remote+t.format.rowLine(r, "", all)
		}
	}
	if local == "" {
		return ""
	}
	head := rule + t.format.headerLine()
	return rule + "\n Local results: \n" + head + local + rule + "\n Remote results: \n" + head + remote
}

// print writes s in one call, so that the reader of a pipe receives whole lines.
func (t *Printer) print(s string) {
	if t.err == nil {
		_, t.err = io.WriteString(t.w, s)
	}
}

// Verdict returns a verdict as text: with [Style.Details] the answers to all questions, then the brief. It
// returns "" if there is none because no run compares modes.
func Verdict(v *verdict.Verdict, style Style) string {
	if v == nil {
		return ""
	}
	if style.Details {
		return "\n" + v.Text(style.Width) + "\n" + v.Brief.Text()
	}
	return "\n" + v.Brief.Text()
}
