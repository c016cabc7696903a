package reports

import (
	"io"
	"strconv"

	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/result"
)

// Printer prints a run as it goes: Begin before the first row, Row for each, in an endless run
// Interval for each interval and then Row for the whole, End after the
// last. It keeps the first error of its writer and prints nothing more after one.
type Printer interface {
	Begin()
	Interval(result.Row) // of an endless run
	Row(result.Row)
	End()
	Err() error
}

// Warnings returns what makes the numbers of a run doubtful, for printers that have no
// place for it.
func Warnings(f *result.File) []string { return single(f, f.Rows).WarningLines() }

// single is the group of one run.
func single(f *result.File, rows []result.Row) *Group {
	whole := *f
	whole.Rows = rows
	return &Group{Op: f.Op, Kind: f.Kind, Runs: []*result.File{&whole}, Numbers: []int{1}}
}

// bare prints one number for each row.
type bare struct {
	w    io.Writer
	what option.Output
	unit Style
	err  error
}

// NewBare returns a printer of one number a line: average bandwidth in the unit of the style,
// message rate in 10^6 messages a second, or mean latency in usec.
func NewBare(w io.Writer, what option.Output, style Style) Printer {
	return &bare{w: w, what: what, unit: style}
}

func (b *bare) Begin() {}

// Interval prints what Row prints of the whole.
func (b *bare) Interval(r result.Row) { b.Row(r) }
func (b *bare) End()                  {}
func (b *bare) Err() error            { return b.err }

func (b *bare) Row(r result.Row) {
	if b.err == nil {
		_, b.err = io.WriteString(b.w, strconv.FormatFloat(b.value(&r), 'f', 6, 64)+"\n")
	}
}

func (b *bare) value(r *result.Row) float64 {
	switch {
	case r.Latency != nil:
		return units.Usec(r.Latency.MeanNs)
	case b.what == option.OutputRate:
		return units.Mpps(r.Bandwidth.MsgRate)
	}
	return units.Rate(r.Bandwidth.Average, b.unit.Gbits)
}

// formatted prints the whole run at its end.
type formatted struct {
	w      io.Writer
	file   *result.File
	format option.Format
	err    error
}

// NewFormatted returns a printer of [WriteFormat].
func NewFormatted(w io.Writer, f *result.File, format option.Format) Printer {
	return &formatted{w: w, file: f, format: format}
}

func (f *formatted) Begin()              {}
func (f *formatted) Interval(result.Row) {}
func (f *formatted) Row(result.Row)      {}
func (f *formatted) Err() error          { return f.err }
func (f *formatted) End()                { f.err = WriteFormat(f.w, []*result.File{f.file}, f.format) }
