package cli

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"github.com/ibperf/ibperf/cmd/internal/doctor"
	"github.com/ibperf/ibperf/cmd/internal/machine"
	"github.com/ibperf/ibperf/harness"
	"github.com/ibperf/ibperf/internal/atomicfile"
	"github.com/ibperf/ibperf/internal/version"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports"
	"github.com/ibperf/ibperf/reports/formats"
	"github.com/ibperf/ibperf/result"
)

// record prints the rows of a run as the engine hands them over, and writes the result file.
type record struct {
	file     *result.File
	save     func(*result.File) error // writes the result file; nil: none
	export   string                   // path of --format_file; empty: none
	text     reports.Printer
	alone    bool // the run is not part of a series, which is reported at its end
	own      *option.Own
	output   *output
	progress progress
	stop     func()           // ends an endless run
	broken   error            // of the file of --format_file, after an interval
	watches  []*machine.Watch // of the devices
	begun    bool
}

// newFile returns a result file with the data that is known before the run.
func newFile(t option.Test, role harness.Role, command []string, local result.Side, quietCPU bool) *result.File {
	build := result.Build(version.Current())
	f := &result.File{
		Header:  result.FileHeader(),
		Program: t.Program(), Release: ownRelease, Build: &build, Op: t.Op, Kind: t.Kind,
		Role: string(role), Command: command, Started: time.Now().UTC(), Local: local,
		Peer:        result.Side{Libraries: map[string]string{}}, // until the peer has described itself
		Definitions: result.DefinitionsFor(t.Kind, t.Op), Units: result.UnitsFor(t.Kind),
		Warnings: []result.Warning{}, Rows: []result.Row{},
	}
	if w, ok := machine.FrequencyWarning(&local); ok && !quietCPU {
		f.Warnings = append(f.Warnings, w)
	}
	return f
}

// begin prints the header. The engine calls it when all of the file but its rows is known.
func (r *record) begin(b harness.Beginning) {
	r.begun = true
	r.text.Begin(addresses(r.file, &b))
	r.progress.begin(&r.file.Parameters.Plan, b.Rows)
}

// row prints a row. The engine calls it for each size and mode.
func (r *record) row(row result.Row) {
	r.progress.print(func() { r.text.Row(row) })
}

// interval prints an interval, and renews a file of metrics. The engine calls it for each interval of an endless
// run, which ends if that fails.
func (r *record) interval(row result.Row) {
	r.progress.print(func() { r.text.Interval(row) })
	if r.own.Format == option.FormatPrometheus && r.export != "" && r.broken == nil {
		now := *r.file
		now.Rows, now.Finished = []result.Row{row}, time.Now().UTC()
		r.broken = r.writeExport(&now)
	}
	if r.text.Err() != nil || r.broken != nil {
		r.stop()
	}
}

// finish completes the text and writes the result file. A run that ended before
// begin has no files.
func (r *record) finish(err error) error {
	r.progress.end()
	r.file.Finished = time.Now().UTC()
	var data *harness.DataError
	if err != nil && !errors.As(err, &data) { // the rows of a complete run report wrong data
		r.file.Error = oneLine(err)
	}
	if err != nil && !r.begun {
		return nil
	}
	for i, w := range r.watches {
		w.AddTo(r.file, i)
	}
	r.file.Findings = doctor.OfRun(r.file)
	var missed error
	if r.file.Error == "" {
		missed = checkLimits(r.file, r.own)
	}
	if r.alone {
		for _, w := range r.text.Warnings() {
			r.output.note("WARNING: %s", w)
		}
	}
	if r.alone && !r.file.Parameters.Compare {
		reports.AddPerftest(r.file, r.own)
	}
	r.text.End()
	printed := errors.Join(r.text.Err(), r.output.release())
	if printed != nil {
		printed = fmt.Errorf("print results: %w", printed)
	}
	if r.alone && reports.IsText(r.own) {
		r.noteFindings()
	}
	failed := errors.Join(printed, r.write(), missed)
	if err == nil && failed == nil && r.alone && r.file.Role == string(harness.Client) {
		return withheld(reports.NoVerdict(r.file), reports.IsText(r.own))
	}
	return failed
}

// noteFindings prints what probably cost performance.
func (r *record) noteFindings() {
	for _, f := range r.file.Findings {
		r.output.note("FINDING: %s", f.Line())
	}
}

// write writes the result file and the file of --format_file.
func (r *record) write() error {
	var err error
	if r.save != nil {
		err = r.save(r.file)
	}
	if r.export == "" || r.broken != nil {
		return errors.Join(err, r.broken)
	}
	return errors.Join(err, r.writeExport(r.file))
}

// writeExport writes a run to the file of --format_file, whole or not at all.
func (r *record) writeExport(f *result.File) error {
	var data bytes.Buffer
	err := formats.Write(&data, []*result.File{f}, r.own.Format)
	if err == nil {
		err = atomicfile.Write(r.export, data.Bytes())
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", r.export, err)
	}
	return nil
}
