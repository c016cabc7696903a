package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/ibperf/ibperf/internal/printable"
	"github.com/ibperf/ibperf/internal/version"
	"github.com/spf13/pflag"
)

const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
	exitLimit  = 7
)

// A statusError ends the program with another status than exitFailed.
type statusError struct {
	status int
	error
}

// A job is what a command line asks for.
type job func(stdout, stderr io.Writer) error

// commands are the words that may begin a command line; without one of them ib_report prints tables.
var commands = map[string]func(name string, args []string, stdout io.Writer) (job, error){
	"plot": parsePlot,
	"hgrm": parseHgrm,
	"diff": parseDiff,
}

// run is the program without its process, with the name that the user called: it returns the exit status.
func run(name string, args []string, out, errs io.Writer) int {
	stdout, stderr := printable.NewWriter(out), printable.NewWriter(errs)
	command, parse := name, parseTables
	if len(args) > 0 && commands[args[0]] != nil {
		command, parse, args = command+" "+args[0], commands[args[0]], args[1:]
	}
	do, err := parse(name, args, stdout)
	switch {
	case errors.Is(err, pflag.ErrHelp):
		return exitDone
	case err != nil:
		fmt.Fprintf(stderr, "%s: %v\nTry '%s --help'.\n", command, err, command)
		return exitUsage
	}
	if err := do(stdout, stderr); err != nil {
		fmt.Fprintf(stderr, "%s: %v\n", command, err)
		if other := (statusError{}); errors.As(err, &other) {
			return other.status
		}
		return exitFailed
	}
	return exitDone
}

// newFlags returns an empty set of flags. Help texts have them in the order in which they are added.
func newFlags() *pflag.FlagSet {
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.SortFlags = false
	return flags
}

// helpWidth is the number of columns of help texts.
const helpWidth = 100

// parseFlags reads a command line, which also has --help and --version. For these it prints the text, with the
// program's name for {program}, and returns pflag.ErrHelp.
func parseFlags(name string, flags *pflag.FlagSet, args []string, stdout io.Writer, usageHead, usageTail string) error {
	flags.BoolP("help", "h", false, "print this and exit")
	flags.BoolP("version", "V", false, "print the version and exit")
	named := strings.NewReplacer("{program}", name)
	flags.Usage = func() {
		fmt.Fprint(stdout, named.Replace(usageHead), "\nOptions:\n", flags.FlagUsagesWrapped(helpWidth), named.Replace(usageTail))
	}
	if err := flags.Parse(args); err != nil {
		return err
	}
	if help, err := flags.GetBool("help"); err == nil && help {
		flags.Usage()
		return pflag.ErrHelp
	}
	if asked, err := flags.GetBool("version"); err == nil && asked {
		fmt.Fprint(stdout, version.Line(name))
		return pflag.ErrHelp
	}
	if flags.Changed("output") && flags.Lookup("output").Value.String() == "" {
		return errors.New("-o needs a name")
	}
	return nil
}
