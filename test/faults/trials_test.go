//go:build trials

package faults

import (
	"flag"
	"fmt"
	"regexp"
	"testing"
)

var only = flag.String("only", "", "inject only the faults whose names match this regular expression")

// TestTrialFaults injects every fault and prints a table.
func TestTrialFaults(t *testing.T) {
	chosen := regexp.MustCompile(*only)
	kinds := []func() *outcome{func() *outcome { return verbsFaults(t, shapeOfVerbs) }}
	for _, s := range shapes {
		kinds = append(kinds, func() *outcome { return fileFaults(t, s) }, func() *outcome { return messageFaults(t, s) })
	}
	const row = "%-110s %6v %6v %6v\n"
	table := fmt.Sprintf(row, "faults", "points", "runs", "held")
	for _, record := range kinds {
		o := record()
		o.inject(6, func(i int) bool { return chosen.MatchString(o.name + ", " + o.faults[i].name) })
		t.Logf("%s: %d of %d held", o.name, o.held, len(o.faults))
		table += fmt.Sprintf(row, o.name, o.points, len(o.faults), o.held)
		for _, f := range o.failures {
			t.Logf("%s: NOT HELD: %s", o.name, f)
			t.Fail()
		}
	}
	t.Logf("\n%s", table)
}
