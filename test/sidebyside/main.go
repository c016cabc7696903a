// Sidebyside measures ibperf and a reference program in turns on one machine, with
// the same parameters, and compares what they measured.
//
// Usage:
//
//	sidebyside [--subject NAME] [--reference NAME] [--bin DIR] [--device NAME]
//	           [--gid-index N] [--mtu BYTES] [--pairs N] [--cpus SERVER,CLIENT]
//	           [--limit TIME] [--run REGEXP] [-o FILE]
//
// The names are ibperf and perftest. The same name twice shows what the
// comparison itself is worth: the ratios should be 1.
//
// A pair is a run of each program, one right after the other. All lines are
// measured once, then all of them again, until each has its pairs; which program
// begins changes from pair to pair. Servers and clients are pinned to one CPU
// each. The table goes to standard output, progress to standard error, and the
// comparison into FILE, which ib_report draws.
//
// The exit status is 0 if every pair was measured, 2 if the command line is
// wrong, and 1 for anything else. What was measured until then is still printed.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args, os.Stdout, os.Stderr))
}
