package reports

import (
	"fmt"
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
	noteDoubt  = " Disturbed: rows with a warning that makes their ratio doubtful, see there."
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
	if strings.Contains(lines, disturbedText) {
		note += noteDoubt
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
	notResolvedText = "not resolved for"
	disturbedText   = "not resolved: disturbed for"
)

// sentence says which mode is for which points.
func (s *subject) sentence() string {
	if len(s.clauses) == 1 && s.clauses[0].why != "" {
		return s.clauses[0].nothing() + ": " + s.clauses[0].whyText()
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
// clauses of data: what event takes is told as a cost, and so is that it hardly slept. Where
// rows were disturbed one clause names the points, that of data if it has all of them.
func (s *subject) leftToCosts(c *clause) bool {
	data := slices.ContainsFunc(s.clauses, func(o *clause) bool { return o.mode == "data" && o.base != "" })
	switch {
	case !data || c.mode != "event":
		return false
	case c.why != "":
		return c.why == sleptTooRarely
	case c.relation == Disturbed:
		return slices.ContainsFunc(s.clauses, func(o *clause) bool { return o.mode == "data" && o.relation == Disturbed && o.holds(c.points) })
	}
	return c.base == result.BaseMode && !s.faster(c) && c.relation != Alike
}

// holds tells whether all of some points are those of a clause.
func (c *clause) holds(points []*lineup) bool {
	return !slices.ContainsFunc(points, func(l *lineup) bool { return !slices.Contains(c.points, l) })
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
		return c.nothing() + " for " + places + ": " + c.whyText()
	case c.base == "":
		return c.mode + " for " + places + ", nothing else that was measured may be relied on"
	case c.relation == Disturbed:
		return c.eventOr() + disturbedText + " " + places + s.count(c)
	case c.relation == Unresolved:
		if s.isRest(c) && strings.Contains(places, ",") {
			places = "the others"
		}
		return c.eventOr() + notResolvedText + " " + places + " " + all.interval()
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

// whyText says why nothing is concluded.
func (c *clause) whyText() string {
	if c.why != sleptTooRarely {
		return c.why
	}
	var rows []Entry
	for _, l := range c.points {
		rows = append(rows, l.rows["event"])
	}
	return HardlySleptText(rows)
}

// eventOr names the modes of a clause that is not resolved, unless they are data and poll.
func (c *clause) eventOr() string {
	if c.mode != "event" {
		return ""
	}
	return "event or " + c.base + " "
}

// count says of how many of a subject's points a clause is: " (3 of 24 sizes)".
func (s *subject) count(c *clause) string {
	what := map[Axis]string{NoAxis: "sizes", AlongQPs: "numbers of QPs", AlongGap: "pauses"}[s.group.Along]
	return fmt.Sprintf(" (%d of %d %s)", len(c.points), len(s.points), what)
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
			for _, side := range l.rows[mode].knownCosts() {
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
