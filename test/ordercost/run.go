package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/ibperf/ibperf/internal/sched"
	"github.com/ibperf/ibperf/reports/result"
	"github.com/ibperf/ibperf/test/sidebyside/comparison"
	"github.com/spf13/pflag"
)

const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
)

// options is what a command line says.
type options struct {
	rounds int
	file   string // of the result; empty: none
}

// run is the program without its process. args begin with the program's name.
func run(args []string, stdout, stderr io.Writer) int {
	o, err := parse(args[1:])
	if err != nil {
		fmt.Fprintf(stderr, "ordercost: %v\n", err)
		return exitUsage
	}
	if err := o.compare(args, stdout); err != nil {
		fmt.Fprintf(stderr, "ordercost: %v\n", err)
		return exitFailed
	}
	return exitDone
}

func parse(args []string) (*options, error) {
	o := &options{}
	flags := pflag.NewFlagSet("ordercost", pflag.ContinueOnError)
	flags.IntVar(&o.rounds, "rounds", 21, "`number` of times that each size is copied both ways")
	flags.StringVarP(&o.file, "output", "o", "", "write the comparison to this `file`")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if flags.NArg() > 0 {
		return nil, fmt.Errorf("%q is no option", flags.Arg(0))
	}
	if o.rounds < 1 {
		return nil, fmt.Errorf("--rounds %d: at least one", o.rounds)
	}
	return o, nil
}

// compare measures, prints and writes.
func (o *options) compare(command []string, stdout io.Writer) error {
	pinned, err := pinned()
	if err != nil {
		return err
	}
	c := comparison.New()
	c.Command, c.Pairs, c.Machine = command, o.rounds, comparison.ThisMachine(os.DirFS("/"), pinned)
	if len(pinned) > 1 {
		c.Warnings = append(c.Warnings, result.Warning{ID: "not-pinned", Text: "the program was free to move between CPUs: pin it to one, as with taskset -c 1"})
	}
	c.Started = time.Now().UTC()
	if c.Lines, err = measure(sizes(), o.rounds); err != nil {
		return err
	}
	c.Finished = time.Now().UTC()
	if err := (comparison.Set{c}).WriteText(stdout); err != nil {
		return err
	}
	if o.file == "" {
		return nil
	}
	return c.Write(o.file)
}

// pinned lists the CPUs that this thread may run on.
func pinned() ([]int, error) {
	set, err := sched.Affinity(0)
	if err != nil {
		return nil, fmt.Errorf("sched_getaffinity: %w", err)
	}
	var cpus []int
	for cpu := 0; len(cpus) < set.Count(); cpu++ {
		if set.IsSet(cpu) {
			cpus = append(cpus, cpu)
		}
	}
	return cpus, nil
}
