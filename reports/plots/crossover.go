package plots

import (
	"fmt"
	"strings"
)

// A stop is a place of a sweep and what is certain there of two modes.
type stop struct {
	label string
	lead  lead
}

// A lead is which of two modes is ahead, as far as the interval of their ratio tells.
type lead int

const (
	unsure lead = iota // the interval holds 1, or there is none
	first
	second
)

// A crossing is between two stops, by their index, that are led by different modes. Nothing
// is certain of the stops between them.
type crossing struct{ from, to int }

// crossings are where the lead changes.
func crossings(stops []stop) []crossing {
	var all []crossing
	last := -1
	for i, s := range stops {
		if s.lead == unsure {
			continue
		}
		if last >= 0 && stops[last].lead != s.lead {
			all = append(all, crossing{last, i})
		}
		last = i
	}
	return all
}

// crossoverText says in a sentence which of two modes is ahead at which numbers of QPs, and
// between which they cross.
func crossoverText(a, b string, stops []stop) string {
	at := map[lead][]int{}
	for i, s := range stops {
		at[s.lead] = append(at[s.lead], i)
	}
	if len(at[unsure]) == len(stops) {
		return a + " and " + b + ": no certain difference at any number of QPs"
	}
	ranges := func(l lead) string { return stopRanges(stops, at[l]) }
	var cross []string
	for _, c := range crossings(stops) {
		cross = append(cross, "between "+stops[c.from].label+" and "+stops[c.to].label)
	}
	ahead, behind, leads := a, b, first
	if len(at[first]) == 0 {
		ahead, behind, leads = b, a, second
	}
	switch {
	case len(cross) > 0:
		return fmt.Sprintf("%s and %s cross %s QPs: %s is ahead at %s, %s at %s", a, b, strings.Join(cross, " and "), a, ranges(first), b, ranges(second))
	case len(at[unsure]) == 0:
		return ahead + " is ahead of " + behind + " at every number of QPs"
	}
	return fmt.Sprintf("%s is ahead of %s at %s QPs; no certain difference at %s", ahead, behind, ranges(leads), ranges(unsure))
}

// stopRanges lists stops by their indexes, three or more neighbours as "first-last".
func stopRanges(stops []stop, some []int) string {
	var parts []string
	for i := 0; i < len(some); {
		n := 1
		for i+n < len(some) && some[i+n] == some[i]+n {
			n++
		}
		if n < 3 {
			n = 1
			parts = append(parts, stops[some[i]].label)
		} else {
			parts = append(parts, stops[some[i]].label+"-"+stops[some[i+n-1]].label)
		}
		i += n
	}
	return strings.Join(parts, ", ")
}
