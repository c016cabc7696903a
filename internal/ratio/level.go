package ratio

// Level is one at which a measurement can be repeated.
type Level int

// The levels: rounds within a run, runs on fresh connections and memory, and where it
// cannot be told.
const (
	Unknown Level = iota
	Rounds
	Runs
)

// String returns what there is to be more of, in plain words.
func (l Level) String() string {
	switch l {
	case Rounds:
		return "rounds"
	case Runs:
		return "connections"
	}
	return "unknown"
}

// Widest returns the level that widens the interval of [Of] most, of the same figures:
// Rounds, if more rounds in the runs there are would narrow it most, and Runs, if the runs
// differ by so much that only more of them help. The square of the interval's width is
// that of the runs' levels divided by their number, and that of the rounds in a run divided
// by theirs in all (Kalibera and Jones, section 6). One run tells nothing about others, and
// neither do runs of one round each: that is Unknown.
func Widest(a, b []float64, runs []int) Level {
	logs, of := logRatios(a, b, runs)
	s := spreadOf(byRun(ranks(logs), of))
	if !s.separable() {
		return Unknown
	}
	within := s.within * s.drift
	levels := (s.between - within) / s.size
	if levels/float64(s.runs) > within/float64(s.n) {
		return Runs
	}
	return Rounds
}
