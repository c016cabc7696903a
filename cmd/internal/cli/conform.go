package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/ibperf/ibperf/cmd/internal/caps"
	"github.com/ibperf/ibperf/cmd/internal/machine"
	"github.com/ibperf/ibperf/harness"
	"github.com/ibperf/ibperf/internal/atomicfile"
	"github.com/ibperf/ibperf/internal/conform"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest"
)

// Conform runs ib_conform: args with the program's name, as in os.Args. It returns the exit
// status.
func Conform(args []string, stdout, stderr io.Writer) int {
	return runConform(call{option.ConformProgram, args, args[1:], stdout, stderr})
}

func runConform(c call) int {
	a := newApp(c)
	return guarded(a.program, a.console, func(ctx context.Context) error { return a.conform(ctx, c.args) })
}

// differsError is the error of statements that do not hold.
type differsError struct{ ids []string }

func (e *differsError) Error() string {
	return fmt.Sprintf("the device differs in %s", strings.Join(e.ids, ", "))
}

// conform lists the statements, serves, or runs the statements on a device.
func (a *app) conform(ctx context.Context, args []string) error {
	o := &options{Settings: option.New(option.Test{})}
	f := defineGroups(&o.Settings, option.Groups((*option.Option).InConform), (*option.Option).ConformHelp)
	if over, err := a.parse(f, o, args, conformHelp); over {
		return err
	}
	if err := o.checkConform(f); err != nil {
		return err
	}
	rows, err := chosenStatements(o.Own.Run)
	switch {
	case err != nil:
		return err
	case o.Own.List:
		return a.print(conform.List(rows))
	case o.host == "" && !o.Own.Loopback:
		return a.serveConform(ctx, o)
	}
	return a.runConform(ctx, o, rows)
}

// ofRun are options of the side that runs statements, which a server does not.
var ofRun = []string{"run", "quirks", "may-crash", "out_json", "out_json_file"}

// ofConnection are options that need another side.
var ofConnection = []string{"port", "bind_source_ip", "connect-timeout", "secret-file", "ready-file"}

// checkConform checks the command line.
func (o *options) checkConform(f *flags) error {
	if err := o.takeHost(f.set.Args()); err != nil {
		return err
	}
	refuse := func(names []string, why string) error {
		if i := slices.IndexFunc(names, f.given); i >= 0 {
			return usage(fmt.Sprintf("--%s %s", names[i], why))
		}
		return nil
	}
	o.Own.JSON = o.Own.JSON || o.Own.JSONFile != ""
	switch {
	case o.Own.List:
		return nil
	case o.Own.Loopback && o.host != "":
		return usage("--loopback runs without a server: leave one of them out")
	case o.Own.Loopback:
		return refuse(ofConnection, "is about the connection with a server: leave it or --loopback out")
	case o.host == "":
		if err := refuse(ofRun, "is an option of a run: give a server's host, or --loopback to run without one"); err != nil {
			return err
		}
	}
	return o.checkRole(f)
}

func chosenStatements(pattern string) ([]verbstest.Row, error) {
	if pattern == "" {
		pattern = ".*"
	}
	re, err := conform.Pattern(pattern)
	if err != nil {
		return nil, usage(fmt.Sprintf("--run %s: %v", quoted(pattern), err))
	}
	rows := conform.Choose(re)
	if len(rows) == 0 {
		return nil, usage(fmt.Sprintf("--run %s: no statement has such an id; --list prints all of them", quoted(pattern)))
	}
	return rows, nil
}

// runConform runs the statements on the device and reports the results.
func (a *app) runConform(ctx context.Context, o *options, rows []verbstest.Row) error {
	ids := conform.Asserted(rows)
	if len(ids) == 0 {
		return usage(fmt.Sprintf("--run %s: the suite leaves out the statements that match: %s: %s", quoted(o.Own.Run), rows[0].ID, rows[0].LeftOut))
	}
	path := o.conformFile()
	if path != "" {
		if err := checkWritable(path); err != nil {
			return err
		}
	}
	job, err := a.conformJob(o, ids)
	if err != nil {
		return err
	}
	report := a.newConformReport(len(rows)-len(ids), len(ids))
	target, err := job.Target()
	if err = deviceTrouble(err); err == nil {
		job.GIDIndex = target.GIDIndex
		err = a.runOn(ctx, o, job, target, report)
	}
	return a.concludeConform(report, target, path, err)
}

// conformFile returns the path of the report in JSON; empty: none.
func (o *options) conformFile() string {
	switch {
	case !o.Own.JSON:
		return ""
	case o.Own.JSONFile != "":
		return o.Own.JSONFile
	}
	return option.ConformProgram + ".json"
}

// conformJob chooses the device and reads the quirks.
func (a *app) conformJob(o *options, ids []string) (conform.Job, error) {
	job := conform.Job{Port: o.Own.IBPort, GIDIndex: o.Own.GIDIndex, QuirksFile: o.Own.Quirks, IDs: ids}
	if o.Own.Quirks != "" {
		text, err := os.ReadFile(o.Own.Quirks)
		if err != nil {
			return job, fmt.Errorf("read quirks %s: %w", o.Own.Quirks, atomicfile.Cause(err))
		}
		if _, err := verbstest.ParseQuirks(o.Own.Quirks, string(text)); err != nil {
			return job, usage("--quirks: " + err.Error())
		}
		job.Quirks = string(text)
	}
	c, err := chooseOne(&o.Own, o.host)
	if err != nil {
		return job, err
	}
	(&output{console: a.console}).announce(c)
	job.Device, job.Port = c.device.Name(), c.port // the name includes its seed
	if err := probe(c.device, c.port); err != nil {
		return job, err
	}
	return job, a.warnOfCrash(c.device, o.Own.MayCrash)
}

// warnOfCrash warns that the statements may crash the host of an RDMA device, and returns an error
// without --may-crash.
func (a *app) warnOfCrash(d verbs.Device, may bool) error {
	if isEmbedded(identify(d)) {
		return nil
	}
	a.console.note("WARNING: the statements make every error that a caller can make. A faulty driver or firmware may crash or hang " +
		"this host or disturb other users of the device: do not run them where that matters")
	if !may {
		return usage(fmt.Sprintf("device %s is an RDMA device: give --may-crash to run the statements on it", d.Name()))
	}
	return nil
}

// deviceTrouble marks an error as one of the device.
func deviceTrouble(err error) error {
	if err == nil {
		return nil
	}
	return &harness.DeviceError{Err: err}
}

// runOn runs the statements on the target, with a server if the command line names one.
func (a *app) runOn(ctx context.Context, o *options, job conform.Job, target verbstest.Target, report *conform.Report) error {
	if err := errors.Join(report.Describe(target), addCaps(report, target.Device)); err != nil {
		return deviceTrouble(err)
	}
	if o.host == "" {
		return a.runStatements(ctx, job, report)
	}
	s, err := a.beginConform(ctx, o, target)
	if err != nil {
		return err
	}
	job.Server, report.Peer = s.server, s.peer
	ctx, lost := context.WithCancelCause(ctx)
	defer lost(nil)
	go s.watch(lost)
	err = a.runStatements(ctx, job, report)
	return errors.Join(err, s.end(err))
}

// addCaps adds what ib_caps says of the device to the report.
func addCaps(report *conform.Report, d verbs.Device) (err error) {
	asked, _ := caps.Collect([]verbs.Device{d}, ownRelease) // the answer has the error
	var text strings.Builder
	if err := asked.WriteText(&text); err != nil {
		return err
	}
	report.CapsText = text.String()
	report.Capabilities, err = json.Marshal(asked.Devices[0])
	return err
}

// runStatements runs the statements and prints the result of each as soon as it is known.
func (a *app) runStatements(ctx context.Context, job conform.Job, report *conform.Report) error {
	if err := a.print(report.Head()); err != nil {
		return err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	return conform.Run(ctx, job, conform.Limit, func(result verbstest.Result) {
		s := report.Add(result)
		if err := a.print(s.Line()); err != nil {
			stop(err)
		}
	})
}

func (a *app) newConformReport(leftOut, chosen int) *conform.Report {
	side := machine.Side(os.DirFS("/"))
	r := &conform.Report{
		Header: result.Header{Format: conform.FormatName, Version: conform.FormatVersion}, Release: ownRelease, Command: a.command,
		Host: side.Host, Kernel: side.Kernel, Libraries: conform.Libraries(), Started: time.Now().UTC(),
		Quirks: []conform.Quirk{}, Unmatched: []conform.Unmatched{}, Statements: []conform.Statement{},
	}
	r.Counts.LeftOut, r.Counts.NotRun = leftOut, chosen
	return r
}

// concludeConform prints the end of the text, writes the report, and returns the error of the run.
func (a *app) concludeConform(report *conform.Report, target verbstest.Target, path string, err error) error {
	report.Finished = time.Now().UTC()
	report.Counts.NotRun -= report.Counts.Run()
	report.Conclude(target)
	if err != nil {
		report.Error = oneLine(err)
	}
	if len(report.Statements) > 0 {
		err = errors.Join(err, a.print(report.Tail()))
	}
	if path != "" {
		err = errors.Join(err, writeJSON(path, report))
	}
	if ids := report.Differing(); err == nil && len(ids) > 0 {
		return &differsError{ids}
	}
	return err
}

// conformHelp returns what --help prints.
func conformHelp(name string, f *flags, width int) string {
	var b strings.Builder
	width = textWidth(width)
	writeEntry(&b, "", name+" checks an RDMA device against the semantics of libibverbs: it runs the statements of a conformance suite and reports which hold. "+
		"A faulty driver or firmware may crash the host.", 0, width)
	b.WriteString("\nUsage:\n")
	writeEntry(&b, "  "+name+" --loopback [options]", "run the statements on this host", helpIndent, width)
	writeEntry(&b, "  "+name+" [options]", "start a server that runs the peer processes", helpIndent, width)
	writeEntry(&b, "  "+name+" [options] HOST", "run the statements; peer processes run at HOST", helpIndent, width)
	writeGroups(&b, f.groups, width)
	fmt.Fprintf(&b, "\nExample:\n  %s --loopback --may-crash -d mlx5_0 --out_json\n", name)
	writeExitStatus(&b, option.ConformExitStatus, width)
	return b.String()
}
