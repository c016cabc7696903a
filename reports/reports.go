// Package reports prints a run while it is measured, in the form that the command line asks for.
//
// Its subpackages make everything else from result files:
//
//   - text prints tables and the verdict, page writes the HTML page, plots draws the figures, and
//     formats writes CSV, JSON and Go's benchmark format;
//   - verdict draws conclusions from a comparison of completion modes;
//   - tables makes the tables that text and page show, and table formats one table as text;
//   - rows groups runs and relates their rows to each other: ratios, intervals, warnings;
//   - chart arranges a figure, and phrase formats lists, ranges and lines.
package reports

import (
	"io"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/text"
	"github.com/ibperf/ibperf/reports/verdict"
	"github.com/ibperf/ibperf/result"
)

// A Printer prints a run while it is measured. The caller calls Begin before the first row, Row for
// each row, and End after the last. In a run without end it calls Interval for each interval and Row
// for the whole. A Printer keeps the first error of its writer and prints nothing after it.
type Printer interface {
	Begin([]Address) // of the QPs
	Interval(result.Row)
	Row(result.Row)
	End()
	Warnings() []string // that the caller prints elsewhere, once all rows are known
	Err() error
}

// An Address holds the numbers of a QP in the header.
type Address = text.Address

// New returns a printer of the run f that follows the options of one side: text on lines of a
// width, one number for each row, or one of the formats for programs.
func New(w io.Writer, f *result.File, own *option.Own, width int) Printer {
	switch {
	case own.Output != "":
		return &numberPrinter{w: w, file: f, output: own.Output, gbits: own.Gbits}
	case !IsText(own):
		return &formatPrinter{w: w, file: f, format: own.Format}
	}
	return text.New(w, f, text.Style{
		Gbits: own.Gbits, Both: own.ReportBoth, Width: width, Details: own.Details,
		Cycles: own.Cycles, Unsorted: own.Unsorted, Histogram: own.Histogram, CPUUtil: own.CPUUtil,
	})
}

// IsText reports whether a side prints tables.
func IsText(own *option.Own) bool {
	return own.Output == "" && (own.Format == "" || own.FormatFile != "")
}

// NoVerdict returns why runs that compare modes allow no verdict and what to do about it, or "" if they allow one.
func NoVerdict(f *result.File) string {
	reason, remedy, none := verdict.NoVerdict([]*result.File{f})
	if !none {
		return ""
	}
	return "NO VERDICT: " + reason + ". " + remedy
}
