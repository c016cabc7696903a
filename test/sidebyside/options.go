package main

import (
	"fmt"
	"regexp"
	"time"

	"github.com/spf13/pflag"
)

// options is what a command line says.
type options struct {
	subject, reference program
	pairs              int
	cpus               [2]int // of server and client
	limit              time.Duration
	file               string         // of the result; empty: none
	only               *regexp.Regexp // of the lines to measure
	setup
}

// setup is what all runs of both programs share.
type setup struct {
	bin      string // folder of ibperf's programs
	device   string
	gidIndex int
	mtu      int // bytes
}

func parse(args []string) (*options, error) {
	o := &options{}
	flags := pflag.NewFlagSet("sidebyside", pflag.ContinueOnError)
	flags.SetInterspersed(false)
	subject := flags.String("subject", "ibperf", "the `program` that is looked at")
	reference := flags.String("reference", "perftest", "the `program` that it is compared with")
	cpus := flags.IntSlice("cpus", []int{0, 1}, "CPUs of server and client")
	flags.StringVar(&o.bin, "bin", "bin", "`folder` of ibperf's programs")
	flags.StringVar(&o.device, "device", "rxe0", "RDMA `device`")
	flags.IntVar(&o.gidIndex, "gid-index", 1, "`index` into the device's GID table")
	flags.IntVar(&o.mtu, "mtu", 1024, "path MTU in `bytes`")
	flags.IntVar(&o.pairs, "pairs", 7, "`number` of runs of both programs for each line")
	flags.DurationVar(&o.limit, "limit", time.Minute, "how long a run may take")
	flags.StringVarP(&o.file, "output", "o", "", "write the comparison to this `file`")
	only := flags.String("run", "", "measure only the lines that match this `regexp`: \"lat, 2,\"")
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
	if o.subject, err = o.program(*subject); err != nil {
		return nil, fmt.Errorf("--subject %w", err)
	}
	if o.reference, err = o.program(*reference); err != nil {
		return nil, fmt.Errorf("--reference %w", err)
	}
	return o, nil
}
