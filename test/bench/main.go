// Bench measures ibperf and reference programs in interleaved runs on one machine, and compares their
// ratios with goals.
//
// Usage:
//
//	bench [--device NAME] [--run REGEXP] [--list] [--pairs N] [--itself]
//	      [--bin DIR] [--gid-index N] [--mtu BYTES] [--cpus SERVER,CLIENT]
//	      [--limit TIME] [-o FILE]
//	bench print FILE...
//
// The device determines the references. An embedded device, such as shm_whole, is compared with
// ucx_perftest over shared memory, and with small programs in C that only copy memory or only wake each
// other. Any other device is compared with perftest, which gets the same options; stub0 exists if the
// stub of libibverbs was preloaded. Each line names its reference and its goal; lines whose programs do
// different things have no goal. --list prints the names of the lines and --run chooses some. With
// --itself ibperf is its own reference: all ratios should be 1.
//
// A pair is a run of each program, one right after the other. Bench measures all lines once, then all of
// them again, until each has its number of pairs; slow lines get half of it. The program that runs first
// changes from pair to pair. Servers and clients are pinned to one CPU each. Bench prints the table to
// standard output, progress to standard error, and writes the comparison to FILE.
//
// bench print prints the comparisons in FILEs as one table.
//
// The exit status is 0 if every pair was measured, 2 if the command line is wrong, and 1 after any other
// error. Bench prints and writes the measured pairs even then.
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
