// Package reports makes tables and HTML pages of the result files that package
// result describes.
package reports

import (
	"io"
	"strings"

	"github.com/ibperf/ibperf/reports/result"
)

// Text prints a run as it goes: [Text.Begin] before the first row, [Text.Row]
// for each, [Text.End] after the last. It keeps the first error of its writer,
// see [Text.Err], and prints nothing more after one.
type Text struct {
	w      io.Writer
	file   *result.File
	style  Style
	rows   []result.Row
	format *rowFormat // nil until the line with the column names is out
	err    error
}

// NewText returns a Text that prints the run f to w. The rows come by [Text.Row], not
// from f; the rest of f is read when it is printed and may be filled in until then.
func NewText(w io.Writer, f *result.File, style Style) *Text {
	return &Text{w: w, file: f, style: style}
}

// Err returns the first error met in writing, for example a full disk.
func (t *Text) Err() error { return t.err }

// Begin prints the header block. Device, order and parameters must be known.
func (t *Text) Begin() { t.print(headerBlock(t.file)) }

// Interval prints what an interval of an endless run measured.
func (t *Text) Interval(r result.Row) {
	t.begin()
	t.print(t.format.rowLine(iterations(t.file, &r), "") + countersText(&r.Local))
}

// begin prints the line with the column names before the first row.
func (t *Text) begin() {
	if t.format != nil {
		return
	}
	t.format = newRowFormat(t.file.Kind, meanAlone(t.file), t.style.Gbits)
	t.format.modes = hasModes(t.file)
	t.format.header = strings.ReplaceAll(t.format.header, "[usec]", "["+t.unit()+"]")
	if t.style.CPUUtil {
		t.format.addCPUUtil()
	}
	if t.file.Parameters.Endless {
		t.format.addWindows(t.style.Gbits)
	}
	if t.file.Parameters.Transport.Lossy() {
		t.format.addLost()
	}
	t.print(t.format.headerLine())
}

// Row prints one measurement and keeps it for [Text.End].
func (t *Text) Row(r result.Row) {
	if !r.Measured(t.file.Kind) {
		return
	}
	t.rows = append(t.rows, r)
	if t.begin(); t.file.Parameters.Endless {
		t.print(rule) // the summary of the intervals
	}
	if t.unit() == "cycles" {
		r = inCycles(r, cyclesPerUsec(t.file))
	}
	t.print(t.samplesBlock(&r) + t.format.rowLine(iterations(t.file, &r), "") + countersText(&r.Local))
}

// End prints the tables that need all rows, every warning, and the verdict of a comparison.
func (t *Text) End() {
	g := single(t.file, t.rows)
	if t.style.Both {
		t.print(t.directions())
	}
	gbits := t.style.Gbits
	t.print(rule + closing(g, compareModes(g, gbits), detailTables(g, gbits), t.style.Width) + verdictText(g.Runs, t.style.Width))
}

// directions are the rows of each direction, as perftest's --report-both prints them.
func (t *Text) directions() string {
	local, remote := "", ""
	for i := range t.rows {
		if l, r := t.rows[i].Directions(t.file.Role, t.file.Op); l != nil {
			local, remote = local+t.format.rowLine(l, ""), remote+t.format.rowLine(r, "")
		}
	}
	if local == "" {
		return ""
	}
	head := rule + t.format.headerLine()
	return rule + "\n Local results: \n" + head + local + rule + "\n Remote results: \n" + head + remote
}

// print writes s in one piece, so that a reader at the other end of a pipe sees
// whole lines.
func (t *Text) print(s string) {
	if t.err == nil {
		_, t.err = io.WriteString(t.w, s)
	}
}

// timed tells a run of a given duration from one of a given number of messages.
func timed(f *result.File) bool { return f.Parameters.Duration > 0 }

// meanAlone tells whether rows have the columns that perftest's have in a run of a given
// duration. Comparisons last for a time by default and keep the others.
func meanAlone(f *result.File) bool {
	return f.Parameters.NoPeak || timed(f) && !f.Parameters.Compare
}
