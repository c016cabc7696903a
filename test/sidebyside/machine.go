package main

import (
	"strings"

	"github.com/ibperf/ibperf/reports/result"
	"github.com/ibperf/ibperf/test/sidebyside/comparison"
)

// emulated warns of a CPU that QEMU interprets.
func emulated(m comparison.Machine) []result.Warning {
	if !strings.Contains(m.CPU, "TCG") {
		return nil
	}
	return []result.Warning{{ID: "emulated-cpu",
		Text: "the CPU is emulated: only the ratios mean something, the values are of no real machine"}}
}
