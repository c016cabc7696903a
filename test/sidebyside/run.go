package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/ibperf/ibperf/internal/machine"
	"github.com/ibperf/ibperf/reports"
)

const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
)

// run is the program without its process. args begin with the program's name.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parse(args[1:])
	if err != nil {
		fmt.Fprintf(stderr, "sidebyside: %v\n", err)
		return exitUsage
	}
	if o.list {
		for _, m := range o.matches() {
			fmt.Fprintln(stdout, m)
		}
		return exitDone
	}
	if err := compare(ctx, o, args, stdout, stderr); err != nil {
		fmt.Fprintf(stderr, "sidebyside: %v\n", err)
		return exitFailed
	}
	return exitDone
}

// compare measures, prints and writes, the last two also of what an error left.
func compare(ctx context.Context, o *options, command []string, stdout, stderr io.Writer) error {
	dir, err := os.MkdirTemp("", "sidebyside")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	c := &comparer{
		matches:  o.matches(),
		pairs:    o.pairs,
		measure:  (&runner{cpus: o.cpus, limit: o.limit, dir: dir}).measure,
		progress: stderr,
	}
	result := reports.NewComparison()
	result.Command, result.Machine = command, machine.Describe(os.DirFS("/"), o.cpus[:])
	result.Warnings = append(result.Warnings, emulated(result.Machine)...)
	failed := c.run(ctx, result)
	if failed != nil {
		result.Error, result.Interrupted = failed.Error(), ctx.Err() != nil
	}
	if err := reports.WriteTables(stdout, reports.Set{Comparisons: []*reports.Comparison{result}}, false, reports.SideBySide); err != nil {
		return errors.Join(failed, err)
	}
	if o.file != "" {
		failed = errors.Join(failed, result.Write(o.file))
	}
	return failed
}
