package verdict

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ibperf/ibperf/internal/printable"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/phrase"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/result"
)

// modeLines answers which completion mode to use.
func (f *findings) modeLines() []string {
	lines := f.softwareLines()
	var texts []string
	names := map[string][]string{} // of sweeps with the same text
	for _, s := range f.sweeps {
		text := s.sentence()
		texts = phrase.AddNew(texts, text)
		names[text] = append(names[text], s.name)
	}
	for _, text := range texts {
		lines = append(lines, joinTestNames(names[text])+": "+text)
	}
	if len(texts) == 0 {
		lines = append(lines, "nothing is concluded: no measurement was finished")
	}
	lines = append(lines, f.excludedLines()...)
	if strings.Contains(strings.Join(texts, ""), "[") {
		lines = append(lines, f.modesNote()+noteOf(strings.Join(lines, " ")))
		lines = append(lines, f.differenceLines()...)
	}
	return slices.Concat(lines, f.controlLines(), f.variationLines())
}

// differenceLines lists the differences of modes other than how they wait.
func (f *findings) differenceLines() []string {
	var texts []string
	ops := map[string][]string{}
	for _, s := range f.sweeps {
		if text := rows.Differences(s.points, rows.ModeNames()); text != "" {
			texts = phrase.AddNew(texts, text)
			ops[text] = phrase.AddNew(ops[text], opWord(s.group.Op))
		}
	}
	for i, text := range texts {
		texts[i] = phrase.List(ops[text]) + ": " + strings.ToLower(text[:1]) + text[1:]
	}
	return texts
}

// softwareLines says what replaces hardware.
func (f *findings) softwareLines() []string {
	var all []string
	real := false
	for _, run := range f.compared {
		if s := rows.SoftwareLabel(run); s != "" {
			all = phrase.AddNew(all, printable.Clean(s))
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

// excludedLines says which rows are not considered.
func (f *findings) excludedLines() []string {
	var lines []string
	for _, s := range f.sweeps {
		if s.group.Verify {
			continue
		}
		for _, p := range s.points {
			switch e := p.Row(option.ModeData); {
			case e.Row == nil || !f.excluded(e):
			case e.Forced:
				lines = phrase.AddNew(lines, "data! (forced) is not considered: its figures may include data that had not arrived.")
			default:
				lines = phrase.AddNew(lines, "data is not considered: its data was corrupt, see below.")
			}
		}
	}
	return lines
}

// The words of conclusions that notes explain.
const (
	asFastText    = "as fast as"
	unclearText   = "unclear for"
	disturbedText = "unclear: disturbed for"
)

// sentence says which mode is best at which points.
func (s *sweep) sentence() string {
	if len(s.conclusions) == 1 && s.conclusions[0].why != "" && !s.conclusions[0].keeping {
		return s.conclusions[0].noConclusionText() + ": " + s.conclusions[0].whyText()
	}
	var texts []string
	for _, c := range s.conclusions {
		if !s.saidWithCosts(c) {
			texts = append(texts, s.conclusionText(c, len(texts) == 0))
		}
	}
	return strings.Join(texts, "; ")
}

// sleeps reports whether a mode sleeps for events.
func sleeps(mode option.Mode) bool { return slices.Contains(sleepers, mode) }

// sleepers lists the modes that sleep.
var sleepers = []option.Mode{option.ModeAdaptive, option.ModeEvent}

// saidWithCosts reports whether sentences leave a conclusion to the answer about costs. They leave out
// conclusions about modes that sleep if the sweep has conclusions about data, and the mode is neither
// faster nor as fast with less busy cores, or hardly slept. If the same points are disturbed for both,
// sentences name them once, for data.
func (s *sweep) saidWithCosts(c *conclusion) bool {
	data := slices.ContainsFunc(s.conclusions, func(o *conclusion) bool { return o.mode == option.ModeData && o.base != "" })
	switch {
	case !data || !sleeps(c.mode):
		return false
	case c.why != "":
		return c.why == rows.SleptTooRarely
	case c.disturbed:
		return slices.ContainsFunc(s.conclusions, func(o *conclusion) bool {
			return o.mode == option.ModeData && o.disturbed && o.covers(c.points)
		})
	}
	return c.base == result.BaseMode && c.relation != rows.Faster && !c.saves
}

// covers reports whether the conclusion holds at all of these points.
func (c *conclusion) covers(points []*rows.Point) bool {
	return !slices.ContainsFunc(points, func(p *rows.Point) bool { return !slices.Contains(c.points, p) })
}

// noConclusionText returns how the text begins if nothing is concluded.
func (c *conclusion) noConclusionText() string {
	if c.mode != "" {
		return "nothing is concluded of " + string(c.mode)
	}
	return "nothing is concluded"
}

// conclusionText returns a conclusion in words, with the unit of its points if unit is set.
func (s *sweep) conclusionText(c *conclusion, unit bool) string {
	points := s.pointsText(c.points)
	if unit {
		points = s.withUnit(points)
	}
	all := s.spreadOf(c.points, c.mode, c.base)
	switch {
	case c.keeping:
		return c.why + " " + points + c.answersText()
	case c.why != "":
		return c.noConclusionText() + " for " + points + ": " + c.whyText()
	case c.base == "":
		return string(c.mode) + " for " + points + ", the other modes' results are unreliable here"
	case c.disturbed:
		return c.unclearModes() + disturbedText + " " + points + s.count(c)
	case c.relation == rows.Unclear:
		if s.isRemainder(c) && strings.Contains(points, ",") {
			points = "the others"
		}
		return c.unclearModes() + unclearText + " " + points + " " + all.interval()
	case c.saves:
		return string(c.mode) + " for " + points + ", " + asFastText + " " + string(c.base) + " " + all.interval() + s.busyText(c)
	case c.relation == rows.Same: // data needs a promise, and other modes a channel
		return string(c.base) + " for " + points + ", " + asFastText + " " + string(c.mode) + " " + all.interval()
	case c.relation == rows.Faster:
		return string(c.mode) + " for " + points + ", " + s.factorText(all, string(c.base)+"'s")
	}
	verb := " has "
	if s.group.Kind == option.KindLatency {
		verb = " takes "
	}
	return string(c.base) + " for " + points + ", " + string(c.mode) + verb + s.factorText(all, "its")
}

// whyText returns why nothing is concluded.
func (c *conclusion) whyText() string {
	switch {
	case c.keeping:
		return c.why + " the rate"
	case c.why != rows.SleptTooRarely:
		return c.why
	}
	var entries []rows.Entry
	for _, p := range c.points {
		entries = append(entries, p.Row(option.ModeEvent))
	}
	return rows.HardlySleptText(entries)
}

// unclearModes names the modes of an unclear conclusion, unless they are data and poll.
func (c *conclusion) unclearModes() string {
	if c.mode == option.ModeData || c.mode == result.BaseMode {
		return ""
	}
	return string(c.mode) + " or " + string(c.base) + " "
}

// count returns the number of a conclusion's points among those of the sweep: " (3 of 24 sizes)".
func (s *sweep) count(c *conclusion) string {
	what := map[rows.Axis]string{rows.NoAxis: "sizes", rows.AlongQPs: "numbers of QPs", rows.AlongGap: "pauses", rows.AlongRate: "rates"}[s.group.Along]
	return fmt.Sprintf(" (%d of %d %s)", len(c.points), len(s.points), what)
}

// isRemainder reports whether the other conclusions about the same pair hold at all other points of
// the sweep.
func (s *sweep) isRemainder(c *conclusion) bool {
	n := 0
	for _, o := range s.conclusions {
		if o.pair == c.pair && o.why == "" {
			n += len(o.points)
		}
	}
	return n == len(s.points) && n > len(c.points)
}

// maxBusyPart is the maximum part of the base's busy time for which a mode that saves cores keeps them
// busy. Other work on a host makes smaller differences.
const maxBusyPart = 0.75

// savesCores reports whether the mode of a conclusion sleeps, is as fast as the base, and keeps cores
// less busy.
func (s *sweep) savesCores(c *conclusion) bool {
	if c.why != "" || c.relation != rows.Same || !sleeps(c.mode) {
		return false
	}
	busy := s.busyOf(c, c.mode)
	return busy.N > 0 && busy.Max <= maxBusyPart*s.busyOf(c, c.base).Min
}

// busyOf returns how busy a mode keeps the cores that wait at the points of a conclusion.
func (s *sweep) busyOf(c *conclusion, mode option.Mode) (busy phrase.Span) {
	for _, p := range c.points {
		if e := p.Row(mode); e.Row != nil {
			for _, side := range s.knownCosts(e) {
				busy.Add(side.Busy)
			}
		}
	}
	return busy
}

// busyText returns the advantage of a mode that is as fast as the base and saves cores.
func (s *sweep) busyText(c *conclusion) string {
	return ", core busy " + percents(s.busyOf(c, c.mode)) + " (" + string(c.base) + " " + percents(s.busyOf(c, c.base)) + ")"
}
