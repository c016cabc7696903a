package reports

import (
	"slices"
	"strings"

	"github.com/ibperf/ibperf/reports/result"
)

// What is said once, of all ratios of a verdict.
const (
	noteModes  = "data spins on the message's memory, poll on the CQ, event sleeps."
	noteRatios = " Ratios are medians of the rounds' ratios, smallest to largest [outermost ends of 95 % intervals]; tables' values may have other quotients."
	noteWords  = " As fast: interval within 5 % of 1; not resolved: wider, and no difference of 3 %, or unlike both beside it (more --rounds)."
	noteRuns   = " [1], [2]: the runs as tables number them."
)

// orderLines answer which way to wait.
func (f *findings) orderLines() []string {
	var lines []string
	if line := f.shortLine(); line != "" {
		lines = append(lines, line)
	}
	lines = append(lines, f.softwareLines()...)
	var texts []string
	names := map[string][]string{} // of subjects that the same is said of
	for _, s := range f.subjects {
		text := s.sentence()
		texts = addNew(texts, text)
		names[text] = append(names[text], s.name)
	}
	for _, text := range texts {
		lines = append(lines, together(names[text])+": "+text)
	}
	if len(texts) == 0 {
		lines = append(lines, "nothing is concluded: no measurement was finished")
	}
	lines = append(lines, f.barredLines()...)
	if strings.Contains(strings.Join(texts, ""), "[") {
		lines = append(lines, noteOf(strings.Join(lines, " ")))
		lines = append(lines, f.differLines()...)
	}
	return lines
}

// noteOf explains the words of lines.
func noteOf(lines string) string {
	note := noteModes + noteRatios
	if strings.Contains(lines, asFastText) || strings.Contains(lines, notResolvedText) {
		note += noteWords
	}
	if strings.Contains(lines, " [1]") || strings.Contains(lines, " [2]") {
		note += noteRuns
	}
	return note
}

// differLines say in what modes differ beside how they wait.
func (f *findings) differLines() []string {
	var texts []string
	ops := map[string][]string{}
	for _, s := range f.subjects {
		if text := differences(s.points, result.ModeOrder); text != "" {
			texts = addNew(texts, text)
			ops[text] = addNew(ops[text], opWord(s.group.Op))
		}
	}
	for i, text := range texts {
		texts[i] = joined(ops[text]) + ": " + strings.ToLower(text[:1]) + text[1:]
	}
	return texts
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
		return []string{"Some runs used a software device, which says nothing about hardware: " + what + "."}
	default:
		return []string{"On a software device, which says nothing about hardware: " + what + "."}
	}
}

// barredLines say which rows are not considered.
func (f *findings) barredLines() []string {
	var lines []string
	for _, s := range f.subjects {
		if s.group.Verify {
			continue
		}
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

// The words of clauses that a note explains.
const (
	asFastText      = "as fast as"
	notResolvedText = "not resolved"
)

// sentence says which mode is for which points.
func (s *subject) sentence() string {
	if len(s.clauses) == 1 && s.clauses[0].why != "" {
		return s.clauses[0].nothing() + ": " + s.clauses[0].why
	}
	var texts []string
	for _, c := range s.clauses {
		if !s.leftToCosts(c) {
			texts = append(texts, s.clauseText(c, len(texts) == 0))
		}
	}
	return strings.Join(texts, "; ")
}

// leftToCosts tells whether a clause is of event, which is not faster, where there are
// clauses of data: what event takes is told as a cost.
func (s *subject) leftToCosts(c *clause) bool {
	data := slices.ContainsFunc(s.clauses, func(o *clause) bool { return o.mode == "data" && o.base != "" })
	return data && c.mode == "event" && c.base == result.BaseMode && !s.faster(c) && c.relation != Alike
}

// faster tells whether the mode of a clause is faster than the base.
func (s *subject) faster(c *clause) bool {
	return c.relation == Larger && s.group.Kind == result.KindBandwidth || c.relation == Smaller && s.group.Kind == result.KindLatency
}

// nothing begins a clause without a conclusion.
func (c *clause) nothing() string {
	if c.mode != "" {
		return "nothing is concluded of " + c.mode
	}
	return "nothing is concluded"
}

// clauseText is a clause, with the unit of its points or without.
func (s *subject) clauseText(c *clause, unit bool) string {
	places := s.places(c.points)
	if unit {
		places = s.withUnit(places)
	}
	all := s.spreadOf(c.points, c.mode, c.base)
	switch {
	case c.why != "":
		return c.nothing() + " for " + places + ": " + c.why
	case c.base == "":
		return c.mode + " for " + places + ", nothing else that was measured may be relied on"
	case c.relation == Unresolved:
		if s.isRest(c) && strings.Contains(places, ",") {
			places = "the others"
		}
		text := notResolvedText + " for " + places + " " + all.interval()
		if c.mode == "event" {
			text = "event or " + c.base + " " + text
		}
		return text
	case c.relation == Alike && c.mode == "event":
		return "event for " + places + ", " + asFastText + " " + c.base + " " + all.interval() + s.busyInstead(c)
	case c.relation == Alike: // data needs a promise
		return c.base + " for " + places + ", " + asFastText + " " + c.mode + " " + all.interval()
	case s.faster(c):
		return c.mode + " for " + places + ", " + s.times(all, c.base+"'s")
	}
	verb := " has "
	if s.group.Kind == result.KindLatency {
		verb = " takes "
	}
	return c.base + " for " + places + ", " + c.mode + verb + s.times(all, "its")
}

// isRest tells whether all points of a subject that a clause is not of are in other clauses of
// its pair.
func (s *subject) isRest(c *clause) bool {
	n := 0
	for _, o := range s.clauses {
		if o.pair == c.pair && o.why == "" {
			n += len(o.points)
		}
	}
	return n == len(s.points) && n > len(c.points)
}

// busyInstead says what event is for where it is no faster: the cores of the sides that wait.
func (s *subject) busyInstead(c *clause) string {
	busy := map[string]span{}
	for _, l := range c.points {
		for _, mode := range []string{c.mode, c.base} {
			all := busy[mode]
			for _, side := range waitingCosts(l.rows[mode]) {
				all.add(side.Busy)
			}
			busy[mode] = all
		}
	}
	if busy[c.mode].n == 0 || busy[c.base].n == 0 {
		return ""
	}
	return ", core busy " + busy[c.mode].text(percentNumber, "-") + " % (" + c.base + " " + busy[c.base].text(percentNumber, "-") + " %)"
}
