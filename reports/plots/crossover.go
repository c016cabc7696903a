package plots

import (
	"fmt"
	"strings"
)

// A lead is which of two modes is ahead at a place of a sweep, as far as the interval of
// their ratio tells.
type lead int

const (
	unknown lead = iota // there is no interval: one of them was not measured, say
	unsure              // the interval holds 1
	first
	second
)

// A crossing is between two runs of a sweep, by their index, that are led by different
// modes. Nothing is certain of the runs between them.
type crossing struct{ from, to int }

// crossings are where the lead changes.
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

// crossoverText says in a sentence which of two modes is ahead at which numbers of QPs, and
// between which they cross.
func (g *group) crossoverText(a, b string, leads []lead) string {
	at := map[lead][]int{}
	for i, l := range leads {
		at[l] = append(at[l], i)
	}
	places := func(l lead) string { return g.Places(at[l]) }
	var cross []string
	for _, c := range crossings(leads) {
		cross = append(cross, "between "+g.Label(c.from)+" and "+g.Label(c.to))
	}
	ahead, behind, leader := a, b, first
	if len(at[first]) == 0 {
		ahead, behind, leader = b, a, second
	}
	text := ""
	switch {
	case len(cross) > 0:
		text = fmt.Sprintf("%s and %s cross %s QPs: %s is ahead at %s, %s at %s", a, b, strings.Join(cross, " and "), a, places(first), b, places(second))
	case len(at[unsure]) == len(leads):
		return a + " and " + b + ": no certain difference at any number of QPs"
	case len(at[leader]) == len(leads):
		return ahead + " is ahead of " + behind + " at every number of QPs"
	case len(at[leader]) == 0:
		text = a + " and " + b + ": no certain difference at " + places(unsure) + " QPs"
	default:
		text = fmt.Sprintf("%s is ahead of %s at %s QPs", ahead, behind, places(leader))
		if len(at[unsure]) > 0 {
			text += "; no certain difference at " + places(unsure)
		}
	}
	if len(at[unknown]) > 0 {
		text += "; not compared at " + places(unknown)
	}
	return text
}
