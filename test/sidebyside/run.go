package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/ibperf/ibperf/test/sidebyside/comparison"
)

const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
)

// run is the program without its process. args begin with the program's name.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) > 1 && args[1] == "draw" {
		return drawAll(args[2:], stdout, stderr)
	}
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
	measured := comparison.New()
	measured.Command, measured.Machine = command, comparison.ThisMachine(os.DirFS("/"), o.cpus[:])
	measured.Warnings = append(measured.Warnings, emulated(measured.Machine)...)
	failed := c.run(ctx, measured)
	if failed != nil {
		measured.Error, measured.Interrupted = failed.Error(), ctx.Err() != nil
	}
	if err := (comparison.Set{measured}).WriteText(stdout); err != nil {
		return errors.Join(failed, err)
	}
	if o.file != "" {
		failed = errors.Join(failed, measured.Write(o.file))
	}
	return failed
}
