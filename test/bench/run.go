package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/ibperf/ibperf/test/bench/comparison"
)

const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
)

// run runs the program and returns its exit status; args[0] is its name.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) > 1 && args[1] == "print" {
		if len(args) == 2 {
			fmt.Fprintln(stderr, "bench: print needs files that bench wrote with -o")
			return exitUsage
		}
		if err := printFiles(args[2:], stdout); err != nil {
			fmt.Fprintf(stderr, "bench: %v\n", err)
			return exitFailed
		}
		return exitDone
	}
	o, err := parse(args[1:])
	if err != nil {
		fmt.Fprintf(stderr, "bench: %v\n", err)
		return exitUsage
	}
	if o.list {
		for _, m := range o.matches() {
			fmt.Fprintln(stdout, m)
		}
		return exitDone
	}
	if err := compare(ctx, o, args, stdout, stderr); err != nil {
		fmt.Fprintf(stderr, "bench: %v\n", err)
		return exitFailed
	}
	return exitDone
}

// compare measures, prints and writes. After an error it prints and writes the pairs that were
// measured.
func compare(ctx context.Context, o *options, command []string, stdout, stderr io.Writer) error {
	dir, err := os.MkdirTemp("", "bench")
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
	measured.Command, measured.Machine = command, thisMachine(os.DirFS("/"), o.cpus[:])
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

// printFiles prints the comparisons in files as one table.
func printFiles(files []string, stdout io.Writer) error {
	var all comparison.Set
	for _, file := range files {
		c, err := comparison.Read(file)
		if err != nil {
			return err
		}
		all = append(all, c)
	}
	return all.WriteText(stdout)
}
