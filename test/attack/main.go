// Attack attacks the built programs over TCP on loopback and prints what held: each attack is tried several
// times. It ends with status 1 if a trial was not held.
package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
)

// attacks returns all attacks, in the order of the table.
func attacks() []attack {
	return slices.Concat(memoryAttacks, silentAttacks, manyClients, secretAttacks, conformAttacks, fileAttacks, lossAttacks)
}

func main() {
	bin := flag.String("bin", "../bin", "folder of the built programs")
	run := flag.String("run", "", "try only the attacks whose names match this regular expression")
	scale := flag.Float64("scale", 1, "multiply the number of trials of each attack")
	flag.Parse()
	chosen, err := regexp.Compile(*run)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	t := newTable(os.Stdout)
	for _, a := range attacks() {
		if !chosen.MatchString(a.name) {
			continue
		}
		t.add(a.repeat(*bin, max(1, int(float64(a.trials)**scale))))
	}
	if t.broken > 0 {
		os.Exit(1)
	}
}
