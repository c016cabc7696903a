package reports

import (
	"io"
	"time"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/formats"
	"github.com/ibperf/ibperf/result"
)

// A formatPrinter writes the whole run in a format for programs when it ends. Of a run without end it writes
// JSON as one line for each interval, so that programs can follow the run.
type formatPrinter struct {
	w      io.Writer
	file   *result.File
	format option.Format
	err    error
}

func (f *formatPrinter) Begin([]Address) {}
func (f *formatPrinter) Row(result.Row)  {}
func (f *formatPrinter) Err() error      { return f.err }

// Warnings returns none: the formats have them.
func (f *formatPrinter) Warnings() []string { return nil }

func (f *formatPrinter) Interval(r result.Row) {
	if f.format != option.FormatJSON || f.err != nil {
		return
	}
	var line []byte
	if line, f.err = result.NewInterval(f.file, &r, time.Now()).Line(); f.err == nil {
		_, f.err = f.w.Write(line)
	}
}

func (f *formatPrinter) End() {
	if f.format == option.FormatJSON && f.file.Parameters.Endless {
		return
	}
	f.err = formats.Write(f.w, []*result.File{f.file}, f.format)
}
