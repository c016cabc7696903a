package main

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

// options holds the values of a command line.
type options struct {
	pairs  int
	limit  time.Duration
	file   string         // of the result; empty: none
	only   *regexp.Regexp // of the lines to measure
	list   bool           // the lines instead of measuring them
	itself bool           // the subject is the reference too
	setup
}

// setup holds the values that all runs share.
type setup struct {
	bin      string // folder of ibperf's programs, and of the bare ones
	device   string
	gidIndex int
	mtu      int    // bytes
	cpus     [2]int // of server and client
}

// embedded reports whether the device is one of ibperf's own.
func (s setup) embedded() bool { return strings.HasPrefix(s.device, "shm_") }

func parse(args []string) (*options, error) {
	o := &options{}
	flags := pflag.NewFlagSet("bench", pflag.ContinueOnError)
	flags.SetInterspersed(false)
	cpus := flags.IntSlice("cpus", []int{0, 1}, "CPUs of server and client")
	flags.StringVar(&o.bin, "bin", "bin", "`folder` of the programs")
	flags.StringVar(&o.device, "device", "rxe0", "RDMA `device`: beside perftest, or if it is shm_whole beside UCX")
	flags.IntVar(&o.gidIndex, "gid-index", 1, "`index` into the device's GID table")
	flags.IntVar(&o.mtu, "mtu", 1024, "path MTU in `bytes`")
	flags.IntVar(&o.pairs, "pairs", 9, "`number` of runs of both programs for each line")
	flags.DurationVar(&o.limit, "limit", time.Minute, "time limit of a run")
	flags.StringVarP(&o.file, "output", "o", "", "write the comparison to this `file`")
	flags.BoolVar(&o.list, "list", false, "print the names of the lines and measure nothing")
	flags.BoolVar(&o.itself, "itself", false, "compare ibperf with itself")
	only := flags.String("run", "", "only the lines that match this `regexp`: \"lat, 2,\"")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if flags.NArg() > 0 {
		return nil, fmt.Errorf("%q is no option", flags.Arg(0))
	}
	if len(*cpus) != 2 {
		return nil, fmt.Errorf("--cpus %v: name two, of server and client", *cpus)
	}
	if o.pairs < 1 {
		return nil, fmt.Errorf("--pairs %d: at least one", o.pairs)
	}
	o.cpus = [2]int(*cpus)
	var err error
	if o.only, err = regexp.Compile(*only); err != nil {
		return nil, fmt.Errorf("--run: %w", err)
	}
	return o, nil
}

// matches returns the matches that the command line chooses.
func (o *options) matches() []match {
	all := matching(o.setup.matches(), o.only)
	if o.itself {
		for i := range all {
			all[i].reference = all[i].subject
		}
	}
	return all
}
