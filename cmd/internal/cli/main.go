package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/ibperf/ibperf/cmd/internal/machine"
	"github.com/ibperf/ibperf/harness"
	"github.com/ibperf/ibperf/internal/topology"
	"github.com/ibperf/ibperf/internal/version"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
)

// Main runs a benchmark program: args with the program's name, as in os.Args.
// It returns the exit status.
func Main(op option.Op, kind option.Kind, args []string, stdout, stderr io.Writer) int {
	t := option.Test{Op: op, Kind: kind}
	return runTest(t, call{t.Program(), args, args[1:], stdout, stderr})
}

func runTest(t option.Test, c call) int {
	machine.LimitFootprint()
	a := newApp(c)
	return guarded(a.program, a.console, func(ctx context.Context) error { return a.main(ctx, t, c.args) })
}

func newApp(c call) *app {
	return &app{
		program: c.name, command: c.command, args: c.args, console: newConsole(c.stdout, c.stderr),
		run: harness.Run, agreeLimit: agreeLimit, seriesPause: seriesPause, limits: clientLimits(),
	}
}

// guarded runs a program until it ends or a signal stops it, prints its error and returns its
// status. SIGPIPE is ignored, so that printing into a closed pipe is an error.
func guarded(program string, c *console, run func(context.Context) error) int {
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := catchSignals(c.err, os.Exit)
	defer stop()
	err := run(ctx)
	c.fail(program, unprinted(err))
	return Status(err)
}

// app holds what a running program needs.
type app struct {
	program     string   // its name, as the user called it
	command     []string // for the result file
	args        []string // of the command line, without the program's name
	console     *console
	budget      *budget                                     // of a server
	run         func(context.Context, harness.Config) error // harness.Run; another function in tests
	agreeLimit  time.Duration                               // longest time for the agreement with a peer; shorter in tests
	allCounters bool                                        // counts the growth of all counters of the port
	fresh       bool                                        // makes each run of a comparison in a process of its own
	perftest    bool                                        // the other side may be perftest
	seriesPause time.Duration                               // longest time between two runs of a series; shorter in tests
	limits      oob.ClientLimits                            // of a persistent server; fewer in tests
}

// main does what the arguments say.
func (a *app) main(ctx context.Context, t option.Test, args []string) error {
	o, err := parse(t, args)
	switch {
	case err != nil:
		return err
	case o.Own.Help != option.NoHelp:
		return a.print(helpText(t, a.program, a.console.width(), o.Own.Help))
	case o.Own.Version:
		return a.print(version.Line(a.program))
	}
	if err := checkHere(o); err != nil {
		return err
	}
	for _, ignored := range o.ignored {
		a.console.note("WARNING: --%s has no effect: %s", ignored.Name, ignored.IdleWarning)
	}
	release, err := machine.HoldLatency("/"+topology.LatencyDevice, o.Own.CPULatency)
	if err != nil {
		return err
	}
	defer release()
	if o.host == "" {
		a.perftest = true
		return a.serve(ctx, o, a.announceWait)
	}
	return a.client(ctx, o)
}

// parse parses the command line of ib_compare and ib_conform. The program is over if the command
// line is wrong, or asks for the help text or the version.
func (a *app) parse(f *flags, o *options, args []string, help func(name string, f *flags, width int) string) (over bool, err error) {
	if err := f.parse(args); err != nil {
		return true, err
	}
	switch {
	case o.Own.Help != option.NoHelp:
		return true, a.print(help(a.program, f, a.console.width()))
	case o.Own.Version:
		return true, a.print(version.Line(a.program))
	}
	return false, nil
}

func (a *app) print(text string) error {
	_, err := io.WriteString(a.console, text)
	return err
}

// checkHere returns an error before the run if files cannot be read or written, or CPUs cannot be used.
func checkHere(o *options) error {
	err := errors.Join(o.checkPlacement(), o.readPayload())
	if o.Own.JSON {
		err = errors.Join(err, checkWritable(o.resultFile(o.Test, 0)))
	}
	if o.Own.FormatFile != "" {
		err = errors.Join(err, checkWritable(o.Own.FormatFile))
	}
	return errors.Join(err, readyFile(o.Own.ReadyFile).check())
}
