// Simulation tells how often a comparison's 95 % intervals hold the true ratio, on models of hosts that
// vary as hosts were seen to vary. ibperf's own code computes the intervals and the verdicts. It prints
// the tables of docs/INTERVALS.md; -picture FILE also draws its picture.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
)

// The comparisons that a line of the tables is from.
const (
	comparisons = 2000
	verdicts    = 400
)

func main() {
	picture := flag.String("picture", "", "write the picture of intervals to this SVG file")
	flag.Parse()
	if *picture != "" {
		if err := os.WriteFile(*picture, draw(), 0o666); err != nil {
			log.Fatal(err)
		}
	}
	for _, p := range []plan{series, single} {
		fmt.Println(coverageHeading)
		for _, m := range machines {
			fmt.Println(coverageLine(m.name, p.simulate(m, comparisons)))
		}
		fmt.Println()
	}
	fmt.Println(planHeading)
	for _, p := range plans {
		fmt.Println(planLine(p))
	}
	fmt.Printf("\n%s\n", adviceHeading)
	for _, m := range machines {
		fmt.Println(adviceLine(m))
	}
	fmt.Printf("\n%s\n\n%s\n", trial(), curveHeading)
	for _, m := range machines {
		fmt.Println(curveLine(m))
	}
}
