// Ordercost measures what it costs to place a message in the order of its addresses:
// it copies messages of many sizes by place.Ordered and by Go's copy, which promises no
// order, in turns.
//
// Usage:
//
//	ordercost [--rounds N] [-o FILE]
//
// All copies are made by one thread between two buffers of shared memory that caches
// hold as far as they fit. In a round each size is copied both ways, one right after
// the other; which way begins changes from round to round. The caller pins the program
// to one CPU, as with taskset(1). The table goes to standard output, and the comparison
// into FILE, which sidebyside draws.
//
// The exit status is 0 if all was measured, 2 if the command line is wrong, and 1 for
// anything else.
package main

import "os"

func main() {
	os.Exit(run(os.Args, os.Stdout, os.Stderr))
}
