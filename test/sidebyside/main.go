// Sidebyside measures ibperf and reference programs in turns on one machine, and
// compares what they measured with goals.
//
// Usage:
//
//	sidebyside [--device NAME] [--run REGEXP] [--list] [--pairs N] [--itself]
//	           [--bin DIR] [--gid-index N] [--mtu BYTES] [--cpus SERVER,CLIENT]
//	           [--limit TIME] [-o FILE]
//	sidebyside draw DIR FILE...
//
// What is measured depends on the device. An embedded one, such as shm_whole, is
// compared with ucx_perftest over shared memory, and with bare programs in C that copy
// memory or wake each other and do nothing else. Any other is compared with perftest,
// told the same; stub0 is there where the stub of libibverbs was preloaded for both. Each line names its reference and its goal, or has none where the two do
// different things; --list prints their names and --run chooses among them. With --itself
// ibperf is its own reference, which shows what the comparison is worth: the ratios should
// be 1.
//
// A pair is a run of each program, one right after the other. All lines are
// measured once, then all of them again, until each has its pairs, slow ones half as
// many; which program begins changes from pair to pair. Servers and clients are pinned
// to one CPU each. The table goes to standard output, progress to standard error, and
// the comparison into FILE.
//
// With draw nothing is measured: the comparisons in FILES are printed as one table, and
// drawn into the folder DIR, with a page.
//
// The exit status is 0 if every pair was measured, 2 if the command line is
// wrong, and 1 for anything else. What was measured is printed all the same.
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
