package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/ibperf/ibperf/cmd/internal/verify"
	"github.com/ibperf/ibperf/harness"
	"github.com/ibperf/ibperf/internal/atomicfile"
	"github.com/ibperf/ibperf/internal/outfolder"
	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// verification is the checking of one client. Each operation of each cycle is a test of a series, on a connection of
// its own, and ends with a checkpoint.
type verification struct {
	app     *app
	client  *clientRun
	journal *verify.Journal
	series  oob.Series
}

// checkAll goes through the cycles that are left. It ends with wrong data, and with any other error.
func (v *verification) checkAll(ctx context.Context) error {
	head := v.journal.Head
	first := 1
	for first <= head.Cycles && len(v.journal.Left(first)) == 0 {
		first++
	}
	v.series = oob.Series{ID: rand.Text(), Runs: head.Cycles - first + 1, Held: true}
	for cycle := first; cycle <= head.Cycles; cycle++ {
		v.series.Run = cycle - first + 1
		err := v.checkCycle(ctx, cycle)
		v.client.first.end(err)
		if err != nil {
			return err
		}
		if lineAfter(cycle, head.Cycles) {
			all, bad := v.journal.Totals.Checked()
			v.client.output.note("%v of %v: %s of %s messages wrong", shortened(v.journal.Totals.Seconds), shortened(head.Duration), units.Count(bad), units.Count(all))
		}
	}
	return nil
}

// checkCycle checks the operations of a cycle that have no checkpoint yet.
func (v *verification) checkCycle(ctx context.Context, cycle int) error {
	left := v.journal.Left(cycle)
	v.series.Of = len(left)
	for i, op := range left {
		v.series.Number = i + 1
		file, err := v.check(ctx, op)
		recorded := v.record(file, cycle)
		switch {
		case errors.As(err, new(*harness.DataError)): // counted in the journal
			return recorded
		case err != nil || recorded != nil:
			return errors.Join(err, recorded)
		}
	}
	if v.journal.Totals.InMemory() == 0 {
		return v.refused()
	}
	return nil
}

// check checks an operation at all sizes. The file has the rows that were complete at an early end; it is nil without
// any.
func (v *verification) check(ctx context.Context, op option.Op) (file *result.File, err error) {
	once, plan := *v.client, v.journal.Head.Plan(op)
	once.options = v.client.options.withPlan(&plan)
	series := v.series
	once.series = &series
	once.save = func(f *result.File) error {
		file = f
		return nil
	}
	_, missing := os.Stat(v.path(verify.CapsNames[0]))
	once.wantsCaps = missing != nil
	once.keep = func(name string, data []byte) error { return atomicfile.Write(v.path(name), data) }
	err = v.app.reach(ctx, &once)
	v.client.first = once.first
	return file, err
}

// record adds a checkpoint to the journal. Wrong data is an error, also if the checks ended early, and its result file
// is kept.
func (v *verification) record(file *result.File, cycle int) error {
	c := verify.Of(file, cycle)
	if c == nil {
		return nil
	}
	if err := v.journal.Append(c); err != nil {
		var different *verify.DifferentError
		if errors.As(err, &different) {
			return conflict(different.Error())
		}
		return err
	}
	for _, change := range c.Changed {
		v.client.output.note("WARNING: %s", change)
	}
	if c.Bad() == 0 {
		return nil
	}
	return errors.Join(file.Write(v.path(verify.WrongName(c))), &harness.DataError{Rows: v.journal.Totals.Wrong()})
}

// noPromiseError is the error of a device on which no operation was checked in memory.
type noPromiseError struct{ refused *harness.RefusedError }

func (e *noPromiseError) Error() string {
	return fmt.Sprintf("no operation was checked in memory: to %s, device %s answered %q; --force-data polls memory regardless (unsafe)",
		e.refused.Query, e.refused.Device, e.refused.Answer)
}

func (e *noPromiseError) Unwrap() error { return e.refused }

// refused returns the error of a device on which no operation was checked in memory.
func (v *verification) refused() error {
	t := &v.journal.Totals
	return &noPromiseError{&harness.RefusedError{Device: t.Client.Device, Query: "ibv_query_qp_data_in_order", Answer: t.Client.Promise}}
}

// conclude prints and writes the report and the bundle of what was checked, and returns the error of the program.
func (v *verification) conclude(err error) error {
	journal, own := v.journal, &v.client.options.Own
	if rows := journal.Totals.Wrong(); err == nil && len(rows) > 0 { // of an earlier run of the journal
		err = &harness.DataError{Rows: rows}
	}
	failed := v.app.print(journal.Report(v.app.console.width()))
	failed = errors.Join(failed, atomicfile.Write(v.path(verify.ReportName), journal.File()))
	if failed == nil && own.Bundle != "" {
		failed = v.bundle(own.Bundle)
	}
	if !journal.Complete() {
		v.client.output.note("the checks are not complete: %s --resume --dir %s %s continues them", v.app.program, own.Folder, v.client.options.host)
	}
	return errors.Join(err, failed)
}

// bundle packs the files of the folder.
func (v *verification) bundle(path string) error {
	names, err := verify.Names(v.client.options.Own.Folder)
	if err == nil {
		err = outfolder.Pack(path, option.VerifyProgram, v.client.options.Own.Folder, names, time.Now())
	}
	if err == nil {
		v.client.output.note("wrote %s", path)
	}
	return err
}

// path returns the path of a file in the folder.
func (v *verification) path(name string) string {
	return filepath.Join(v.client.options.Own.Folder, name)
}
