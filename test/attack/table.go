package main

import (
	"fmt"
	"io"
	"time"
)

// table prints the outcomes of attacks.
type table struct {
	out    io.Writer
	broken int // attacks with a trial that was not held
}

const rowFormat = "%-64s %7s %7s %12s %13s\n"

func newTable(out io.Writer) *table {
	fmt.Fprintf(out, rowFormat, "attack", "trials", "held", "peak memory", "longest time")
	return &table{out: out}
}

// add prints an outcome, and below it the trials that were not held.
func (t *table) add(o outcome) {
	fmt.Fprintf(t.out, rowFormat, o.name, fmt.Sprint(o.trials), fmt.Sprint(o.held),
		fmt.Sprintf("%.1f MiB", float64(o.memory)/(1<<20)), o.longest.Round(time.Millisecond).String())
	for _, f := range o.failures {
		fmt.Fprintf(t.out, "  NOT HELD, %s\n", f)
	}
	if o.held < o.trials {
		t.broken++
	}
}
