package main

import (
	"strings"

	"github.com/ibperf/ibperf/reports"
)

// emulated warns of a CPU that QEMU interprets.
func emulated(m reports.Machine) []reports.Warning {
	if !strings.Contains(m.CPU, "TCG") {
		return nil
	}
	return []reports.Warning{{ID: "emulated-cpu",
		Text: "the CPU is emulated: only the ratios mean something, the values are of no real machine"}}
}
