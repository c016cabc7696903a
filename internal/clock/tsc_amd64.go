package clock

import (
	"os"
	"slices"
	"strings"
)

// rdtsc returns the CPU's time stamp counter.
//
// RDTSC waits for nothing that stands before it, but it need not be told to. Where a
// sample ends, a spin has just seen the awaited value: the CPU had predicted another
// round, so it began on RDTSC only when the load had returned and the prediction was
// found wrong. Measured on Zen 3, a fenced reading right behind is as far from it after a
// spin as after nothing, from the 1st to the 99th of 100. Where the first look succeeds,
// RDTSC may run ahead of the load, by no more than the load takes; as one reading ends a
// sample and begins the next, that moves time to a neighbour and leaves the mean as it
// is. LFENCE before it, or RDTSCP, takes 24 ns there where RDTSC takes 12.
func rdtsc() uint64

func cpuid(leaf uint32) (eax, edx uint32)

// hasTSC tells whether the counter is a clock.
var hasTSC = keepsTime()

// keepsTime asks the kernel first. Where it makes its own clock of the counter, anybody may;
// it gives the counter up when the CPUs' counters disagree, or when frequency or sleep change
// their rate. Where it has a better clock, as in a virtual machine, or does not say, the CPU
// tells whether the rate is constant.
func keepsTime() bool {
	const folder = "/sys/devices/system/clocksource/clocksource0/"
	current, err := os.ReadFile(folder + "current_clocksource")
	if err == nil && strings.TrimSpace(string(current)) == "tsc" {
		return true
	}
	offered, err := os.ReadFile(folder + "available_clocksource")
	if err == nil && !slices.Contains(strings.Fields(string(offered)), "tsc") {
		return false
	}
	return invariantTSC()
}

const (
	leafFeatures    = 1
	leafMaxExtended = 0x8000_0000
	leafPower       = 0x8000_0007
	bitTSC          = 1 << 4 // of EDX of leafFeatures
	bitInvariant    = 1 << 8 // of EDX of leafPower
)

func invariantTSC() bool {
	if most, _ := cpuid(leafMaxExtended); most < leafPower {
		return false
	}
	_, features := cpuid(leafFeatures)
	_, power := cpuid(leafPower)
	return features&bitTSC != 0 && power&bitInvariant != 0
}
