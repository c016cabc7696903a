package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/ibperf/ibperf/harness"
	"github.com/ibperf/ibperf/internal/version"
	"github.com/ibperf/ibperf/option"
)

// Main runs a benchmark program: args with the program's name, as in os.Args.
// It returns the exit status.
func Main(op option.Op, kind string, args []string, stdout, stderr io.Writer) int {
	lean()
	t := option.Test{Op: op, Kind: kind}
	a := newApp(t.Program(), args, stdout, stderr)
	return guarded(a.program, a.console, func(ctx context.Context) error {
		return a.main(ctx, t, args[1:])
	})
}

func newApp(program string, args []string, stdout, stderr io.Writer) *app {
	return &app{
		program: program, command: args, console: newConsole(stdout, stderr),
		run: harness.Run, patience: agreeLimit, away: seriesPause,
	}
}

// guarded runs a program under signals, prints its error and returns its status.
// Printing into a pipe that nobody reads any more is an error like others.
func guarded(program string, c *console, run func(context.Context) error) int {
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := catchSignals(c.err, os.Exit)
	defer stop()
	err := run(ctx)
	c.fail(program, unprinted(err))
	return Status(err)
}

// app is a program at work.
type app struct {
	program  string   // its name
	command  []string // for the record
	console  *console
	budget   *budget                                     // of a server
	run      func(context.Context, harness.Config) error // harness.Run
	patience time.Duration                               // agreeLimit
	away     time.Duration                               // seriesPause
}

// main does what the arguments say.
func (a *app) main(ctx context.Context, t option.Test, args []string) error {
	o, err := parse(t, args)
	switch {
	case err != nil:
		return err
	case o.Own.Help:
		return a.print(helpText(t, a.console.width()))
	case o.Own.Version:
		return a.print(version.Line(a.program))
	}
	if err := checkHere(o); err != nil {
		return err
	}
	if o.host == "" {
		return a.serve(ctx, o)
	}
	return a.client(ctx, o)
}

// parse reads the command line of a program that is of no single test. It is over if that is
// wrong, or asks for the help text or the version.
func (a *app) parse(f *flags, o *options, args []string, help func(*flags, int) string) (over bool, err error) {
	if err := f.parse(args); err != nil {
		return true, err
	}
	switch {
	case o.Own.Help:
		return true, a.print(help(f, a.console.width()))
	case o.Own.Version:
		return true, a.print(version.Line(a.program))
	}
	return false, nil
}

func (a *app) print(text string) error {
	_, err := io.WriteString(a.console, text)
	return err
}

// checkHere finds files that cannot be read or written, and CPUs that cannot be used, before the run.
func checkHere(o *options) error {
	err := errors.Join(checkCPUs(o.Own.PinCores), checkNode(os.DirFS("/"), o.Own.NUMANode), o.readPayload())
	if o.Own.JSON {
		err = errors.Join(err, checkWritable(o.resultFile(o.Test, 0)))
	}
	if o.Own.FormatFile != "" {
		err = errors.Join(err, checkWritable(o.Own.FormatFile))
	}
	return errors.Join(err, readyFile(o.Own.ReadyFile).check())
}
