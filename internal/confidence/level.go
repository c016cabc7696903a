package confidence

import (
	"math"
	"slices"
)

// A Level is a level at which a measurement is repeated.
type Level int

// The levels: rounds within a run, and runs with new connections and memory. Unknown stands for
// measurements that cannot separate the two.
const (
	Unknown Level = iota
	Rounds
	Runs
)

// String returns what to repeat more often, in plain words.
func (l Level) String() string {
	switch l {
	case Rounds:
		return "rounds"
	case Runs:
		return "connections"
	}
	return "unknown"
}

// Widest returns the level that contributes most to the width of the interval that [OfRatio]
// returns for the same figures: Rounds if more rounds in each run would narrow it most, Runs if only
// more runs would. The variance between the means of runs has two parts: how much runs differ, and
// the variance within runs divided by their number of rounds (Kalibera and Jones, section 6).
// Widest returns Unknown for a single run, and for runs of one round each.
func Widest(a, b []float64, runs []int) Level {
	all, _ := samples(a, b, runs)
	_, n := logRatios(all)
	if oneRun(runs) || n <= len(all) {
		return Unknown
	}
	var means []float64
	var within float64
	for _, s := range all {
		var logs []float64
		for i := range s.a {
			logs = append(logs, math.Log(s.a[i]/s.b[i]))
		}
		m, sd := meanAndDeviation(logs)
		means = append(means, m)
		within += sd * sd * float64(len(logs)-1)
	}
	within /= float64(n - len(all))
	_, between := meanAndDeviation(means)
	if size := float64(n) / float64(len(all)); within/size >= between*between/2 {
		return Rounds
	}
	return Runs
}

// oneRun reports whether all rounds are of one run.
func oneRun(runs []int) bool {
	return !slices.ContainsFunc(runs, func(run int) bool { return run != runs[0] })
}
