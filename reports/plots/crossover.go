package plots

import (
	"fmt"
	"strings"
)

// A lead says which of two modes is ahead at a point of a sweep, according to the interval of their
// ratio.
type lead int

const (
	unknown lead = iota // there is no interval: for example, a mode was not measured
	unsure              // the interval holds 1
	first
	second
)

// A crossing is two runs of a sweep, by index, with different modes ahead. Between them no run has a
// certain lead.
type crossing struct{ from, to int }

// crossings returns the runs between which the lead changes.
func crossings(leads []lead) []crossing {
	var all []crossing
	last := -1
	for i, l := range leads {
		if l != first && l != second {
			continue
		}
		if last >= 0 && leads[last] != l {
			all = append(all, crossing{last, i})
		}
		last = i
	}
	return all
}

// crossoverText says which of two modes is ahead at which numbers of QPs, and where they cross.
func (g *group) crossoverText(a, b string, leads []lead) string {
	runsWith := map[lead][]int{}
	for i, l := range leads {
		runsWith[l] = append(runsWith[l], i)
	}
	ranges := func(l lead) string { return g.RunRanges(runsWith[l]) }
	var cross []string
	for _, c := range crossings(leads) {
		cross = append(cross, "between "+g.Label(c.from)+" and "+g.Label(c.to))
	}
	ahead, behind, leader := a, b, first
	if len(runsWith[first]) == 0 {
		ahead, behind, leader = b, a, second
	}
	text := ""
	switch {
	case len(cross) > 0:
		text = fmt.Sprintf("%s and %s cross %s QPs: %s is ahead at %s, %s at %s", a, b, strings.Join(cross, " and "), a, ranges(first), b, ranges(second))
	case len(runsWith[unsure]) == len(leads):
		return a + " and " + b + ": no certain difference at any number of QPs"
	case len(runsWith[leader]) == len(leads):
		return ahead + " is ahead of " + behind + " at every number of QPs"
	case len(runsWith[leader]) == 0:
		text = a + " and " + b + ": no certain difference at " + ranges(unsure) + " QPs"
	default:
		text = fmt.Sprintf("%s is ahead of %s at %s QPs", ahead, behind, ranges(leader))
		if len(runsWith[unsure]) > 0 {
			text += "; no certain difference at " + ranges(unsure)
		}
	}
	if len(runsWith[unknown]) > 0 {
		text += "; not compared at " + ranges(unknown)
	}
	return text
}
