package reports

import (
	"slices"
	"strings"

	"github.com/ibperf/ibperf/reports/result"
)

// noteRatios is said once, of all ratios of a verdict.
const noteRatios = "data spins on the message's memory, poll on the CQ, event sleeps. Ratios are of the same rounds, smallest to largest " +
	"[outermost ends of their 95 % intervals]; time is the median, rate the average."

// orderLines answer which way to wait.
func (f *findings) orderLines() []string {
	lines := f.softwareLines()
	var texts []string
	names := map[string][]string{} // of subjects that the same is said of
	ratios := false
	for _, s := range f.subjects {
		text := s.sentence(true)
		ratios = ratios || strings.Contains(text, "[")
		texts = addNew(texts, text)
		names[text] = append(names[text], s.name)
	}
	for _, text := range texts {
		lines = append(lines, together(names[text])+": "+text)
	}
	switch {
	case len(texts) == 0:
		lines = append(lines, "nothing is concluded: no measurement was finished")
	case ratios:
		lines = append(lines, noteRatios)
	}
	return append(lines, f.barredLines()...)
}

// softwareLines say what stands in for hardware.
func (f *findings) softwareLines() []string {
	var all []string
	real := false
	for _, run := range f.judged {
		if s := SoftwareLabel(run); s != "" {
			all = addNew(all, Clean(s))
		} else {
			real = true
		}
	}
	switch what := strings.Join(all, "; "); {
	case len(all) == 0:
		return nil
	case real:
		return []string{"Some runs used a software device: " + what + ". They say nothing about hardware."}
	default:
		return []string{"Measured on a software device: " + what + ". This says nothing about hardware."}
	}
}

// barredLines say which rows are not considered.
func (f *findings) barredLines() []string {
	var lines []string
	for _, s := range f.subjects {
		for _, l := range s.points {
			switch e := l.rows["data"]; {
			case e.Row == nil || !f.barred(e):
			case e.Forced:
				lines = addNew(lines, "data! (forced) is not considered: its figures may count data that had not arrived.")
			default:
				lines = addNew(lines, "data is not considered: it brought wrong data, see below.")
			}
		}
	}
	return lines
}

// sentence says which mode is for which points, with the intervals or without.
func (s *subject) sentence(intervals bool) string {
	if len(s.clauses) == 1 && s.clauses[0].why != "" {
		return "nothing is concluded: " + s.clauses[0].why
	}
	var texts []string
	for i, c := range s.clauses {
		texts = append(texts, s.clauseText(c, i == 0, intervals))
	}
	return strings.Join(texts, "; ")
}

// clauseText is a clause, with the unit of its points or without.
func (s *subject) clauseText(c *clause, unit, intervals bool) string {
	places := s.places(c.points)
	if unit {
		places = s.withUnit(places)
	}
	if c.why != "" {
		return "nothing is concluded for " + places + ": " + c.why
	}
	return c.recommended() + " for " + places + ", " + s.gain(c, intervals)
}

// recommended names the fastest modes. Data that is no faster than poll is not among them:
// it needs a promise.
func (c *clause) recommended() string {
	switch {
	case len(c.fastest) == len(result.ModeOrder):
		return "any mode"
	case c.tiesDataAndPoll():
		return result.BaseMode
	}
	return strings.Join(c.fastest, " or ")
}

func (c *clause) tiesDataAndPoll() bool {
	return len(c.fastest) == 2 && c.isFastest("data") && c.isFastest(result.BaseMode)
}

func (c *clause) isFastest(mode string) bool { return slices.Contains(c.fastest, mode) }

// gain says by how much the fastest modes are faster, or that there is no difference.
func (s *subject) gain(c *clause, intervals bool) string {
	first := c.fastest[0]
	switch {
	case len(c.modes) == 1:
		return "nothing else that was measured may be relied on"
	case len(c.fastest) > 1:
		return s.tie(c, intervals)
	case first != result.BaseMode && slices.Contains(c.modes, result.BaseMode):
		return s.times(s.spreadOf(c.points, first, result.BaseMode), result.BaseMode+"'s", intervals)
	}
	rival := c.modes[0]
	if rival == first {
		rival = c.modes[1]
	}
	if first == result.BaseMode && rival != "data" {
		return "faster than " + rival // what that costs is told as a cost
	}
	verb := " has "
	if s.group.Kind == result.KindLatency {
		verb = " takes "
	}
	return rival + verb + s.times(s.spreadOf(c.points, rival, first), "its", intervals)
}

// tie says that several modes are fastest, and by how much if all of them are known to
// be faster than poll.
func (s *subject) tie(c *clause, intervals bool) string {
	var gain, all spread
	for i, mode := range c.fastest {
		gain.join(s.spreadOf(c.points, mode, result.BaseMode)) // of poll itself: 1
		for _, other := range c.fastest[i+1:] {
			if a, b := mode, other; a == result.BaseMode {
				all.join(s.spreadOf(c.points, b, a)) // as tables have it
			} else {
				all.join(s.spreadOf(c.points, a, b))
			}
		}
	}
	if gain.n > 0 && gain.differs() {
		return s.times(gain, result.BaseMode+"'s", intervals)
	}
	text := "no difference shown"
	if c.tiesDataAndPoll() {
		text = "no difference to data shown"
	}
	if intervals {
		text += " [" + all.number(all.low) + "-" + all.number(all.high) + "]"
	}
	return text
}
