package rows

import (
	"slices"

	"github.com/ibperf/ibperf/result"
)

// A Disturbance is a warning that makes the ratio of a row doubtful.
type Disturbance struct {
	ID     result.WarningID
	Words  string // what it means
	Remedy string // what to do before the next run
}

// disturbances lists them. Tables, verdict and figures use no other list. Other warnings do not concern
// the ratio, such as few-samples, which is about percentiles beyond the 99th.
var disturbances = []Disturbance{
	{result.WarnPreempted, "other work took the core of a thread that spins", "Stop other work on the CPUs of the measuring threads"},
	{result.WarnClockDrift, "a clock drifted", "Set the kernel's clock source to tsc, or wait until the clock is synchronized"},
	{result.WarnOneDirection, "the directions did not run together", "Use a longer --duration"},
	{result.WarnClocksApart, "the sides' clocks were not aligned well enough", "Use a longer --duration"},
	{result.WarnShortRun, "measured over less than 10 ms", "Use a longer --duration or more --iters"},
	{result.WarnBrokenOff, "broken off", "Let the comparison end"},
}

// AnyDisturbed reports whether a warning of one of the rows makes their ratio doubtful.
func AnyDisturbed(rows ...Entry) bool { return len(Disturbances(rows...)) > 0 }

// IsDisturbance reports whether a warning of this id makes the ratio of a row doubtful.
func IsDisturbance(id result.WarningID) bool {
	for _, d := range disturbances {
		if d.ID == id {
			return true
		}
	}
	return false
}

// Disturbances returns the warnings that make ratios of the rows doubtful.
func Disturbances(rows ...Entry) (all []Disturbance) {
	for _, d := range disturbances {
		if slices.ContainsFunc(rows, func(e Entry) bool { return e.HasWarning(d.ID) }) {
			all = append(all, d)
		}
	}
	return all
}

// DisturbancesOf returns the meaning of the warnings that make ratios of the rows doubtful.
func DisturbancesOf(rows []Entry) (words []string) {
	for _, d := range Disturbances(rows...) {
		words = append(words, d.Words)
	}
	return words
}
