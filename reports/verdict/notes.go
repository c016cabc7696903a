package verdict

import (
	"slices"
	"strings"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/result"
)

// The notes, which explain the words of a verdict once.
const (
	noteRatios = " Ratios are quotients of the values of tables, smallest to largest [outermost ends of 95 % intervals]."
	noteWords  = " As fast: the interval lies within 5 % of 1. Unclear: the interval is wider; more --runs make it narrower."
	noteRuns   = " [1], [2]: the runs as tables number them."
	noteDoubt  = " Disturbed: a warning in the tables makes the ratio doubtful."
)

// modeWords says how modes wait.
var modeWords = map[option.Mode]string{
	option.ModeData: "spins on the message's memory", option.ModePoll: "spins on the CQ",
	option.ModeCounter:  "spins on a completion counter",
	option.ModeAdaptive: "spins on the CQ for a while and then sleeps", option.ModeEvent: "sleeps",
}

// modesNote says how the modes that were measured wait.
func (f *findings) modesNote() string {
	var words []string
	for _, mode := range result.ModeOrder {
		if slices.ContainsFunc(f.sweeps, func(s *sweep) bool { return s.has(mode) }) {
			words = append(words, string(mode)+" "+modeWords[mode])
		}
	}
	return strings.Join(words, ", ") + "."
}

// has reports whether the sweep has rows of a mode.
func (s *sweep) has(mode option.Mode) bool {
	return slices.ContainsFunc(s.points, func(p *rows.Point) bool { return p.Row(mode).Row != nil })
}

// noteOf explains the words of lines.
func noteOf(lines string) string {
	note := noteRatios
	if strings.Contains(lines, asFastText) || strings.Contains(lines, unclearText) {
		note += noteWords
	}
	if strings.Contains(lines, disturbedText) {
		note += noteDoubt
	}
	if strings.Contains(lines, " [1]") || strings.Contains(lines, " [2]") {
		note += noteRuns
	}
	return note
}
