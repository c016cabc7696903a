package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/ibperf/ibperf/harness"
	"github.com/ibperf/ibperf/internal/compare"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/result"
)

// Compare runs ib_compare: args with the program's name, as in os.Args. It returns the
// exit status. Plots are made by draw.
func Compare(args []string, stdout, stderr io.Writer, draw compare.Draw) int {
	lean()
	a := newApp(option.CompareProgram, args, stdout, stderr)
	return guarded(option.CompareProgram, a.console, func(ctx context.Context) error {
		return a.compare(ctx, args[1:], draw)
	})
}

// compare serves, or makes all runs with a server and tells what came of them.
func (a *app) compare(ctx context.Context, args []string, draw compare.Draw) error {
	o := &options{Settings: option.New(option.Test{})}
	o.Sizes = option.AllSizes()
	f := defineSome(&o.Settings, (*option.Option).InCompare, (*option.Option).CompareHelp)
	if over, err := a.parse(f, o, args, compareHelp); over {
		return err
	}
	if err := o.checkCompare(f); err != nil {
		return err
	}
	if o.host == "" {
		return a.serve(ctx, o)
	}
	v, err := a.prepare(o)
	if err != nil {
		return err
	}
	runs := compare.Runs(&o.Plan)
	folder, err := compare.Make(o.Own.Folder, o.Own.Bundle, runs)
	if err != nil {
		return err
	}
	return a.lead(ctx, v, runs, folder, draw)
}

// checkCompare finds what is wrong with the command line.
func (o *options) checkCompare(f *flags) error {
	if err := o.takeHost(f.set.Args()); err != nil {
		return err
	}
	if err := o.checkRole(f); err != nil {
		return err
	}
	if err := checkHere(o); err != nil {
		return err
	}
	if o.host == "" {
		if i := slices.IndexFunc(agreedNames(), f.given); i >= 0 {
			return usage(fmt.Sprintf("--%s is an option of the client, which is run with a host", agreedNames()[i]))
		}
		return nil
	}
	for _, r := range compare.Runs(&o.Plan) {
		s := option.Settings{Plan: r.Plan, Own: o.Own}
		if err := s.Check(); err != nil {
			return usage(err.Error())
		}
		if err := checkMemory(&r.Plan); err != nil {
			return err
		}
	}
	return nil
}

func agreedNames() (names []string) {
	for _, o := range option.AgreedOptions() {
		names = append(names, o.Name)
	}
	return names
}

// lead makes all runs and tells what came of them. An interrupt leaves the files of the
// runs before it.
func (a *app) lead(ctx context.Context, v *visit, runs []compare.Run, folder *compare.Folder, draw compare.Draw) (err error) {
	defer func() { v.held.end(err) }()
	o, id := v.options, rand.Text()
	v.keep = folder.Keep
	var failed error
	for i, r := range runs {
		v.voice.note("run %d of %d: %s", i+1, len(runs), r.What)
		v.options, v.series = o.forRun(&r), &series{id, i + 1, len(runs), true}
		v.comparison = &result.Comparison{ID: id, Sweep: r.Sweep}
		v.save = func(f *result.File) error { return folder.Save(r.Name, f) }
		v.wantsCaps = o.Own.Bundle != "" && i == 0
		err := a.reach(ctx, v)
		if err == nil {
			folder.Done(r.Name)
			continue
		}
		failed = errors.Join(failed, fmt.Errorf("%s: %w", r.What, err))
		if ends(ctx, err, i == 0) {
			return errors.Join(failed, folder.Left())
		}
		if err := folder.Failed(r.Name, a.failed(&r, v.comparison, err)); err != nil {
			return errors.Join(failed, err, folder.Left())
		}
	}
	return errors.Join(failed, a.conclude(o, folder, draw))
}

// ends tells whether an error is the end of all runs: of one run it says nothing about the
// next, unless a side was stopped, the peer is gone, or there was no run before.
func ends(ctx context.Context, err error, first bool) bool {
	var lost *oob.PeerError
	var fault *peerFault
	gone := errors.As(err, &lost) || errors.As(err, &fault)
	return ctx.Err() != nil || gone || isOver(err) || first && Status(err) != StatusData
}

// failed is the file of a run that has failed before it began.
func (a *app) failed(r *compare.Run, of *result.Comparison, why error) *result.File {
	file := newFile(r.Plan.Test, harness.Client, a.command, environment(os.DirFS("/")), true)
	file.Parameters.Plan, file.Comparison = r.Plan.Resolve(), of
	file.Error, file.Finished = oneLine(why), time.Now().UTC()
	return file
}

// forRun is the command line of a run by itself. All its options are given, so that a server
// changes none.
func (o *options) forRun(r *compare.Run) *options {
	own := *o
	own.Plan, own.given = r.Plan, agreedNames()
	return &own
}

// conclude makes report, plots and page, and prints the verdict.
func (a *app) conclude(o *options, folder *compare.Folder, draw compare.Draw) error {
	a.console.note("drawing the plots")
	verdict, err := folder.Conclude(draw, a.console.width())
	if err == nil {
		a.console.note("wrote %s", folder.Page())
	}
	if bundle := o.Own.Bundle; err == nil && bundle != "" {
		if err = folder.Bundle(bundle); err == nil {
			a.console.note("wrote %s", bundle)
		}
	}
	if failed := a.print(verdict); failed != nil {
		err = errors.Join(err, fmt.Errorf("print the verdict: %w", failed))
	}
	return err
}

// compareHelp is what --help prints.
func compareHelp(f *flags, width int) string {
	var b strings.Builder
	width = textWidth(width)
	writeEntry(&b, "", option.CompareProgram+" measures write, send, read and atomic operations, latency and bandwidth, in every way to wait for data, and says which way is best, what it costs, and whether it may be relied on.", 0, width)
	b.WriteString("\nUsage:\n")
	writeEntry(&b, "  "+option.CompareProgram+" [options]", "start a server and wait for a client", helpIndent, width)
	writeEntry(&b, "  "+option.CompareProgram+" [options] HOST", "compare with the server at HOST: two minutes", helpIndent, width)
	writeGroups(&b, f, width)
	fmt.Fprintf(&b, "\nExample:\n  node1$ %s\n  node2$ %s node1\n", option.CompareProgram, option.CompareProgram)
	b.WriteString("\nExit status:\n")
	for status, text := range option.ExitStatus {
		writeEntry(&b, fmt.Sprintf("  %d ", status), text, exitIndent, width)
	}
	return b.String()
}
