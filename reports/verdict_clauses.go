package reports

import (
	"slices"

	"github.com/ibperf/ibperf/reports/result"
)

// A clause is what holds at some points of a subject: how a pair of modes stand to each
// other, or why nothing is concluded.
type clause struct {
	pair
	relation Relation // of the mode's figures to those of the base
	why      string   // not empty: nothing is concluded, of the mode if there is one
	points   []*lineup
}

// A pair is two modes that are compared. Without a base nothing else may be relied on.
type pair struct{ mode, base string }

// clausesOf says what holds at the points of a subject, pair by pair, what was resolved
// first.
func (f *findings) clausesOf(s *subject) []*clause {
	at := make([][]*clause, len(s.points))
	for i, l := range s.points {
		at[i] = f.clausesAt(s, l)
	}
	for _, p := range []pair{{"data", result.BaseMode}, {"event", result.BaseMode}, {"event", "data"}} {
		resolveNeighbours(at, p)
	}
	var all []*clause
	for _, some := range at {
		for _, c := range some {
			alike := func(o *clause) bool { return o.pair == c.pair && o.relation == c.relation && o.why == c.why }
			if i := slices.IndexFunc(all, alike); i >= 0 {
				all[i].points = append(all[i].points, c.points...)
			} else {
				all = append(all, c)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b *clause) int { return a.rank() - b.rank() })
	return all
}

// rank orders clauses: data first, then event, each with what is not resolved last, and
// last of all what is not concluded.
func (c *clause) rank() int {
	rank := 0
	if c.mode == "event" {
		rank = 2
	}
	switch {
	case c.why != "":
		return 4
	case c.relation == Unresolved || c.relation == Disturbed:
		rank++
	}
	return rank
}

// clausesAt are those of one point.
func (f *findings) clausesAt(s *subject, l *lineup) []*clause {
	here := []*lineup{l}
	var rows []Entry
	barred := false
	for _, mode := range result.ModeOrder {
		switch e := l.rows[mode]; {
		case e.Row == nil:
		case f.barred(e):
			barred = true
		default:
			rows = append(rows, e)
		}
	}
	why := f.undecided(s, l)
	switch {
	case why != "":
	case len(rows) == 0:
		why = "nothing was measured that may be relied on"
	case len(rows) == 1 && barred:
		return []*clause{{pair: pair{mode: rows[0].Mode}, points: here}}
	case len(rows) == 1:
		why = "only " + rows[0].Mode + " was measured"
	}
	if why != "" {
		return []*clause{{why: why, points: here}}
	}
	var all []*clause
	for _, p := range pairsOf(rows) {
		a, b := l.rows[p.mode], l.rows[p.base]
		all = append(all, &clause{pair: p, relation: relationOf(s.column, a, b), why: noRatioOf(s, a, b), points: here})
	}
	if why := all[0].why; why != "" && !slices.ContainsFunc(all, func(c *clause) bool { return c.why != why }) {
		return []*clause{{why: why, points: here}}
	}
	for _, c := range all {
		if c.why != "" {
			c.base, c.relation = "", Unresolved
		}
	}
	return all
}

// pairsOf are the pairs that rows of a point are compared in: the others with poll, or
// without that event with data.
func pairsOf(rows []Entry) []pair {
	has := func(mode string) bool { return slices.ContainsFunc(rows, func(e Entry) bool { return e.Mode == mode }) }
	if !has(result.BaseMode) {
		return []pair{{"event", "data"}}
	}
	var all []pair
	for _, mode := range []string{"data", "event"} {
		if has(mode) {
			all = append(all, pair{mode, result.BaseMode})
		}
	}
	return all
}

// resolveNeighbours counts a point as not resolved that differs from what both points
// beside it have in common, if it is not the other mode that is faster there: among many
// points some differ by chance. Those that were disturbed are left out.
func resolveNeighbours(at [][]*clause, p pair) {
	var of []*clause
	for _, some := range at {
		if i := slices.IndexFunc(some, func(c *clause) bool { return c.pair == p && c.why == "" && c.relation != Disturbed }); i >= 0 {
			of = append(of, some[i])
		}
	}
	were := make([]Relation, len(of))
	for i, c := range of {
		were[i] = c.relation
	}
	for i := 1; i+1 < len(of); i++ {
		beside := were[i-1]
		opposite := were[i].apart() && beside.apart()
		if beside == were[i+1] && were[i] != beside && !opposite {
			of[i].relation = Unresolved
		}
	}
}

// barred tells whether a row may not be recommended: data without a promise, and data
// where some was wrong.
func (f *findings) barred(e Entry) bool {
	return e.Forced || e.Mode == "data" && slices.ContainsFunc(waitingSides(e.File), func(s *result.Side) bool {
		return f.checks.brokenBy(s, e.File.Op)
	})
}

// undecided tells why nothing is concluded at a point whatever its rows are, empty if
// something may be.
func (f *findings) undecided(s *subject, l *lineup) string {
	for _, e := range l.rows {
		if f.checks.wrongIn(e.File) {
			return "messages were not as sent after a completion, see below"
		}
	}
	if s.group.Verify {
		return "times and rates include the check of every byte (--verify)"
	}
	return ""
}

// noRatioOf tells why two rows of a point have no ratio, empty if they have.
func noRatioOf(s *subject, a, b Entry) string {
	switch {
	case a.NoRatio != "":
		return Clean(a.NoRatio)
	case b.NoRatio != "":
		return Clean(b.NoRatio)
	case a.Run != b.Run:
		return "modes of separate runs were not measured in turns (--compare)"
	case len(a.Rounds) == 0 || len(b.Rounds) == 0:
		return "the file has no rounds to compare"
	case a.hardlySlept() || b.hardlySlept():
		return sleptTooRarely
	case !roundRatio(s.column, a, b).Enough:
		return "too few rounds for an interval (--rounds gives more)"
	}
	return ""
}

// trusted are the subjects on devices that brought no wrong data after a completion.
func (f *findings) trusted() []*subject {
	return slices.DeleteFunc(slices.Clone(f.subjects), func(s *subject) bool { return f.checks.wrongIn(s.file()) })
}

// file is one of a subject's runs: they are of the same devices.
func (s *subject) file() *result.File {
	for _, e := range s.points[0].rows {
		return e.File
	}
	return nil
}
