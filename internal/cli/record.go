package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/ibperf/ibperf/harness"
	"github.com/ibperf/ibperf/internal/atomicfile"
	"github.com/ibperf/ibperf/internal/version"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports"
	"github.com/ibperf/ibperf/reports/result"
)

// record is what becomes of a run: rows as they come, then the result file.
type record struct {
	file     *result.File
	save     func(*result.File) error // writes the result file; nil: none is asked for
	export   string                   // file of what --format asks for; empty: it is printed, or not asked for
	text     reports.Printer
	warn     bool // warnings are noted, as stdout has no place for them
	own      *option.Own
	voice    *voice
	progress progress
	begun    bool
}

// newFile fills what is known of a run before it.
func newFile(t option.Test, role harness.Role, command []string, local result.Side, quietCPU bool) *result.File {
	build := result.Build(version.Current())
	f := &result.File{
		Format: result.FormatName, Version: result.FormatVersion,
		Program: t.Program(), Release: ownRelease, Build: &build, Op: string(t.Op), Kind: t.Kind,
		Role: string(role), Command: command, Started: time.Now().UTC(), Local: local,
		Definitions: result.DefinitionsFor(t.Kind, string(t.Op)), Units: result.UnitsFor(t.Kind),
		Warnings: []result.Warning{}, Rows: []result.Row{},
	}
	if w, ok := frequencyWarning(local.Governor); ok && !quietCPU {
		f.Warnings = append(f.Warnings, w)
	}
	return f
}

// begin is called by the engine when all of the file but its rows is known.
func (r *record) begin() {
	r.begun = true
	r.text.Begin()
	r.progress.begin(r.file)
}

// row is called by the engine for each measurement.
func (r *record) row(row result.Row) {
	r.progress.next(func() { r.text.Row(row) })
}

// interval is called by the engine for each interval of an endless run.
func (r *record) interval(row result.Row) {
	r.progress.print(func() { r.text.Interval(row) })
}

// finish completes the text and writes the result file. A run that ended before
// it began leaves nothing to write.
func (r *record) finish(err error) error {
	r.progress.end()
	r.file.Finished = time.Now().UTC()
	var data *harness.DataError
	if err != nil && !errors.As(err, &data) { // wrong data is in the rows of a complete run
		r.file.Error = oneLine(err)
	}
	if err != nil && !r.begun {
		return nil
	}
	r.text.End()
	printed := errors.Join(r.text.Err(), r.voice.release())
	if printed != nil {
		printed = fmt.Errorf("print results: %w", printed)
	}
	if r.warn {
		for _, w := range reports.Warnings(r.file) {
			r.voice.note("WARNING: %s", w)
		}
	}
	return errors.Join(printed, r.write(), checkLimits(r.file, r.own))
}

// write writes the files that are asked for.
func (r *record) write() error {
	var err error
	if r.save != nil {
		err = r.save(r.file)
	}
	if r.export == "" {
		return err
	}
	var data bytes.Buffer
	failed := reports.WriteFormat(&data, []*result.File{r.file}, r.own.Format)
	if failed == nil {
		failed = atomicfile.Write(r.export, data.Bytes())
	}
	if failed != nil {
		failed = fmt.Errorf("write %s: %w", r.export, failed)
	}
	return errors.Join(err, failed)
}

// printer prints results as the command line says: text, or what stands in its place.
func printer(w io.Writer, f *result.File, own *option.Own, width int) reports.Printer {
	style := reports.Style{
		Gbits: own.Gbits, Both: own.ReportBoth, Width: width,
		Cycles: own.Cycles, Unsorted: own.Unsorted, Histogram: own.Histogram, CPUUtil: own.CPUUtil,
	}
	switch {
	case own.Output != "":
		return reports.NewBare(w, own.Output, style)
	case own.Format != "" && own.FormatFile == "":
		return reports.NewFormatted(w, f, own.Format)
	}
	return reports.NewText(w, f, style)
}
