package verdict

import (
	"slices"

	"github.com/ibperf/ibperf/internal/printable"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/phrase"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/result"
)

// A conclusion is the relation of a pair of modes at some points of a sweep, or the reason why nothing
// is concluded there.
type conclusion struct {
	pair
	relation  rows.Relation // of the mode's speed to that of the base
	disturbed bool          // a warning is why the relation is unclear
	why       string        // why nothing is concluded about the mode, or about any mode; "" for a conclusion
	keeping   bool          // why says which modes keep the rates of the points: "only data keeps"
	answers   []answers     // of modes at rates that none keeps
	saves     bool          // the mode is as fast as the base and keeps cores less busy
	points    []*rows.Point
}

// answers holds how many messages per second a mode answered at most.
type answers struct {
	mode option.Mode
	most float64
}

// A pair is two modes that are compared. The base is empty if only one mode has reliable rows.
type pair struct{ mode, base option.Mode }

// conclusionsOf returns the conclusions from a sweep, resolved ones first.
func (f *findings) conclusionsOf(s *sweep) []*conclusion {
	perPoint := make([][]*conclusion, len(s.points))
	for i, point := range s.points {
		perPoint[i] = f.conclusionsAt(s, point)
	}
	var pairs []pair
	for _, c := range slices.Concat(perPoint...) {
		pairs = phrase.AddNew(pairs, c.pair)
	}
	for _, p := range pairs {
		f.relate(s, perPoint, p)
	}
	var all []*conclusion
	for _, some := range perPoint {
		for _, c := range some {
			c.saves = s.savesCores(c)
			alike := func(o *conclusion) bool {
				return o.pair == c.pair && o.relation == c.relation && o.disturbed == c.disturbed && o.why == c.why && o.saves == c.saves
			}
			if i := slices.IndexFunc(all, alike); i >= 0 {
				all[i].points = append(all[i].points, c.points...)
				all[i].addAnswers(c.answers)
			} else {
				all = append(all, c)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b *conclusion) int { return a.rank() - b.rank() })
	return all
}

// rank orders conclusions: by mode, each with unresolved ones last, then the points where nothing is
// concluded.
func (c *conclusion) rank() int {
	switch {
	case c.why != "":
		return 2 * len(result.ModeOrder)
	case c.relation == rows.Unclear:
		return 2*slices.Index(result.ModeOrder, c.mode) + 1
	}
	return 2 * slices.Index(result.ModeOrder, c.mode)
}

// conclusionsAt returns the conclusions at one point.
func (f *findings) conclusionsAt(s *sweep, point *rows.Point) []*conclusion {
	here := []*rows.Point{point}
	var entries []rows.Entry
	excluded := false
	for _, mode := range result.ModeOrder {
		switch e := point.Row(mode); {
		case e.Row == nil:
		case f.excluded(e):
			excluded = true
		default:
			entries = append(entries, e)
		}
	}
	why := f.whyNoneAt(s, point)
	switch {
	case why != "":
	case len(entries) == 0:
		why = "no reliable row was measured"
	case len(entries) == 1 && excluded && !entries[0].KeepsRate():
		return []*conclusion{{why: string(entries[0].Mode) + " does not keep", keeping: true, points: here}}
	case len(entries) == 1 && excluded:
		return []*conclusion{{pair: pair{mode: entries[0].Mode}, points: here}}
	case len(entries) == 1:
		why = "only " + string(entries[0].Mode) + " was measured"
	}
	if why != "" {
		return []*conclusion{{why: why, points: here}}
	}
	pairs := pairsOf(entries)
	if !point.Row(pairs[0].base).KeepsRate() {
		return []*conclusion{{why: whoKeeps(entries), keeping: true, answers: answersOf(entries), points: here}}
	}
	var all []*conclusion
	for _, p := range pairs {
		a, b := point.Row(p.mode), point.Row(p.base)
		c := &conclusion{pair: p, why: whyNoRatio(s, a, b), points: here}
		if !a.KeepsRate() {
			c.why, c.keeping = string(p.mode)+" does not keep", true
		}
		all = append(all, c)
	}
	if why := all[0].why; why != "" && !slices.ContainsFunc(all, func(c *conclusion) bool { return c.why != why }) {
		return []*conclusion{{why: why, keeping: all[0].keeping, points: here}}
	}
	for _, c := range all {
		if c.why != "" {
			c.base = ""
		}
	}
	return all
}

// whoKeeps says which modes keep a rate that the base does not keep.
func whoKeeps(entries []rows.Entry) string {
	var keep []string
	for _, e := range entries {
		if e.KeepsRate() {
			keep = append(keep, string(e.Mode))
		}
	}
	switch len(keep) {
	case 0:
		return "no mode keeps"
	case 1:
		return "only " + keep[0] + " keeps"
	}
	return "only " + phrase.List(keep) + " keep"
}

// answersOf returns what modes answered that do not keep the rate. It is empty if one keeps it.
func answersOf(entries []rows.Entry) (all []answers) {
	for _, e := range entries {
		if e.KeepsRate() {
			return nil
		}
		_, fastest := e.Row.RoundRates()
		all = append(all, answers{e.Mode, fastest})
	}
	return all
}

// addAnswers adds those of another point.
func (c *conclusion) addAnswers(more []answers) {
	for _, m := range more {
		i := slices.IndexFunc(c.answers, func(a answers) bool { return a.mode == m.mode })
		if i < 0 {
			c.answers = append(c.answers, m)
		} else {
			c.answers[i].most = max(c.answers[i].most, m.most)
		}
	}
}

// answersText says what modes answered: ": at most data 4.62M and poll 2.6M were answered".
func (c *conclusion) answersText() string {
	if len(c.answers) == 0 {
		return ""
	}
	var texts []string
	for _, a := range c.answers {
		texts = append(texts, string(a.mode)+" "+phrase.PerSecond(a.most))
	}
	return ": at most " + phrase.List(texts) + " were answered"
}

// pairsOf returns the pairs of a point: each other mode with poll, or with the first mode if poll is
// missing.
func pairsOf(entries []rows.Entry) (all []pair) {
	base := entries[0].Mode
	if slices.ContainsFunc(entries, func(e rows.Entry) bool { return e.Mode == result.BaseMode }) {
		base = result.BaseMode
	}
	for _, e := range entries {
		if e.Mode != base {
			all = append(all, pair{e.Mode, base})
		}
	}
	return all
}

// A curveKey identifies a curve.
type curveKey struct {
	*sweep
	pair
}

// curveOf returns the curve of a pair along a sweep, or nil if they are not compared.
func (f *findings) curveOf(s *sweep, p pair) *rows.Curve {
	key := curveKey{s, p}
	curve, known := f.curves[key]
	if !known {
		curve = rows.CurveOf(s.column, s.points, string(p.mode), string(p.base))
		f.curves[key] = curve
	}
	return curve
}

// relate sets the relations of a pair by the curve of the sweep.
func (f *findings) relate(s *sweep, perPoint [][]*conclusion, p pair) {
	curve := f.curveOf(s, p)
	for i, some := range perPoint {
		for _, c := range some {
			if at, compared := curve.At(s.points[i]); compared && c.pair == p && c.why == "" {
				c.relation, c.disturbed = at.Relation, at.Disturbed
			}
		}
	}
}

// whyNoneAt returns why nothing is concluded at a point regardless of its figures, or "".
func (f *findings) whyNoneAt(s *sweep, p *rows.Point) string {
	for _, e := range p.Rows {
		if f.checks.corruptsIn(e.File) {
			return "data was corrupt after a completion, see below"
		}
	}
	if s.group.Verify {
		return "times and rates include the check of every byte (--verify)"
	}
	return ""
}

// whyNoRatio returns why two rows of a point have no ratio, or "" if they have one.
func whyNoRatio(s *sweep, a, b rows.Entry) string {
	switch {
	case a.NoRatio != "":
		return printable.Clean(a.NoRatio)
	case b.NoRatio != "":
		return printable.Clean(b.NoRatio)
	case a.Run != b.Run:
		return "modes of separate runs were not interleaved (--compare does that)"
	case len(a.Rounds) == 0 || len(b.Rounds) == 0:
		return "the file has no rounds to compare"
	case a.HardlySlept() || b.HardlySlept():
		return rows.SleptTooRarely
	case !rows.EstimateOf(s.column, a, b).Enough:
		return "too few rounds for an interval (use more --runs)"
	}
	return ""
}

// trusted returns the sweeps whose devices had no corrupt data after a completion.
func (f *findings) trusted() []*sweep {
	return slices.DeleteFunc(slices.Clone(f.sweeps), func(s *sweep) bool { return f.checks.corruptsIn(s.file()) })
}

// file returns one of the sweep's runs, which all have the same devices.
func (s *sweep) file() *result.File {
	for _, e := range s.points[0].Rows {
		return e.File
	}
	return nil
}
