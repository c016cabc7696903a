package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ibperf/ibperf/cmd/internal/compare"
	"github.com/ibperf/ibperf/cmd/internal/machine"
	"github.com/ibperf/ibperf/internal/topology"
	"github.com/ibperf/ibperf/option"
)

// Compare runs ib_compare: args with the program's name, as in os.Args. It returns the
// exit status. Plots are made by draw.
func Compare(args []string, stdout, stderr io.Writer, draw compare.Draw) int {
	return runCompare(call{option.CompareProgram, args, args[1:], stdout, stderr}, draw)
}

func runCompare(c call, draw compare.Draw) int {
	machine.LimitFootprint()
	a := newApp(c)
	if job, is := startedJob(); is {
		return guarded(a.program, a.console, func(ctx context.Context) error { return a.doJob(ctx, c.args, job) })
	}
	a.fresh = true
	return guarded(a.program, a.console, func(ctx context.Context) error { return a.compare(ctx, c.args, draw) })
}

// compare serves, or makes all runs with a server and reports the results.
func (a *app) compare(ctx context.Context, args []string, draw compare.Draw) error {
	o, over, err := a.parseCompare(args)
	if over || err != nil {
		return err
	}
	release, err := machine.HoldLatency("/"+topology.LatencyDevice, o.Own.CPULatency) // for the processes of all runs
	if err != nil {
		return err
	}
	defer release()
	if o.host == "" {
		return a.serve(ctx, o, a.announcePort)
	}
	client, err := a.prepare(o)
	if err != nil {
		return err
	}
	parts := o.parts()
	if o.Own.Against != "" {
		return a.compareBuilds(ctx, client, parts)
	}
	folder, err := compare.Make(o.Own.Folder, o.Own.Bundle, parts)
	if err != nil {
		return err
	}
	return a.makeRuns(ctx, client, parts, folder, draw)
}

// parseCompare parses and checks the command line. The program is over if the command line asks for the
// help text or the version.
func (a *app) parseCompare(args []string) (o *options, over bool, err error) {
	o = &options{Settings: option.New(option.Test{})}
	o.Sizes = option.AllSizes()
	f := defineGroups(&o.Settings, option.Groups((*option.Option).InCompare), (*option.Option).CompareHelp)
	if over, err := a.parse(f, o, args, compareHelp); over {
		return nil, true, err
	}
	return o, false, o.checkCompare(f)
}

// checkCompare checks the command line and the plan of each part.
func (o *options) checkCompare(f *flags) error {
	if err := o.takeHost(f.set.Args()); err != nil {
		return err
	}
	if err := o.checkRole(f); err != nil {
		return err
	}
	if err := errors.Join(o.checkOneDevice(), checkHere(o), o.checkAgainst()); err != nil {
		return err
	}
	if o.host == "" {
		return refuseAgreed(f, "is an option of the client, which is run with a host")
	}
	parts := o.parts()
	if len(parts) == 0 {
		return usage("--rate-sweep needs a transport that loses and reorders nothing: --connection RC or XRC")
	}
	for _, p := range parts {
		if err := o.checkPart(p.Plan); err != nil {
			return err
		}
	}
	return nil
}

// parts returns what the comparison measures.
func (o *options) parts() []compare.Part {
	switch {
	case o.Own.RateSweep:
		return compare.RateSweep(&o.Plan)
	case o.Own.Against != "":
		return compare.InTurn(&o.Plan)
	}
	return compare.Parts(&o.Plan)
}

// refuseAgreed returns an error with a reason if an option was given that both sides follow.
func refuseAgreed(f *flags, why string) error {
	names := agreedNames()
	if i := slices.IndexFunc(names, f.given); i >= 0 {
		return usage(fmt.Sprintf("--%s %s", names[i], why))
	}
	return nil
}

func agreedNames() (names []string) {
	for _, o := range option.AgreedOptions() {
		names = append(names, o.Name)
	}
	return names
}

// checkPart checks the plan of one of several tests.
func (o *options) checkPart(p option.Plan) error {
	plan, err := (&option.Settings{Plan: p, Own: o.Own}).Resolve()
	if err != nil {
		return usage(err.Error())
	}
	return checkMemory(plan)
}

// conclude writes report, plots and page, and prints the verdict.
func (a *app) conclude(o *options, folder *compare.Folder, draw compare.Draw) error {
	a.console.note("drawing the plots")
	verdict, err := folder.Conclude(draw, a.console.width(), o.Own.Details)
	if err == nil {
		a.console.note("wrote %s", folder.Page())
	}
	if bundle := o.Own.Bundle; err == nil && bundle != "" {
		if err = folder.Bundle(bundle); err == nil {
			a.console.note("wrote %s", bundle)
		}
	}
	if failed := a.print(verdict.Text); failed != nil {
		err = errors.Join(err, fmt.Errorf("print the verdict: %w", failed))
	}
	for _, f := range verdict.Findings {
		a.console.note("FINDING: %s", f.Line())
	}
	if err != nil {
		return err
	}
	return withheld(verdict.None, true)
}

// compareHelp returns what --help prints.
func compareHelp(name string, f *flags, width int) string {
	var b strings.Builder
	width = textWidth(width)
	writeEntry(&b, "", name+" measures write, send, read and atomic operations, latency and bandwidth, in every completion mode, and reports which mode is best, what it costs, and whether its data was correct.", 0, width)
	b.WriteString("\nUsage:\n")
	writeEntry(&b, "  "+name+" [options]", "start a server and wait for a client", helpIndent, width)
	writeEntry(&b, "  "+name+" [options] HOST", "compare the modes against the server at HOST; takes three minutes with the defaults", helpIndent, width)
	b.WriteString("\n")
	writeEntry(&b, "", "A server needs no options: it uses the client's. "+option.OwnershipNote, 0, width)
	writeGroups(&b, f.groups, width)
	fmt.Fprintf(&b, "\nExample:\n  node1$ %s\n  node2$ %s node1\n", name, name)
	writeExitStatus(&b, option.ExitStatusOf((*option.Option).InCompare), width)
	return b.String()
}
