package verdict

import (
	"strings"

	"github.com/ibperf/ibperf/internal/confidence"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/result"
)

// A spread is the range of the ratios of one mode to another over several points: the smallest and
// the largest median, and the outermost ends of the intervals.
type spread struct {
	min, max, low, high float64
	n                   int // points
}

// add adds a ratio.
func (s *spread) add(r confidence.Estimate) { s.join(spread{r.Value, r.Value, r.Low, r.High, 1}) }

// join adds another spread.
func (s *spread) join(o spread) {
	switch {
	case o.n == 0:
		return
	case s.n == 0:
		*s = o
		return
	}
	s.min, s.max = min(s.min, o.min), max(s.max, o.max)
	s.low, s.high = min(s.low, o.low), max(s.high, o.high)
	s.n += o.n
}

// differs reports whether all intervals lie on one side of 1.
func (s spread) differs() bool { return s.low > 1 || s.high < 1 }

// spreadOf returns the spread of one mode to another over the points that have a ratio and are not
// disturbed.
func (s *sweep) spreadOf(points []*rows.Point, mode, to option.Mode) (all spread) {
	for _, p := range points {
		a, b := p.Row(mode), p.Row(to)
		if a.Row == nil || b.Row == nil || rows.AnyDisturbed(a, b) {
			continue
		}
		if r := rows.EstimateOf(s.column, a, b); r.Enough {
			all.add(r)
		}
	}
	return all
}

// basePossessive is the base mode in the possessive: "poll's".
const basePossessive = result.BaseName + "'s"

// factorText says by which factor a time or rate differs from that of another mode.
func (s *sweep) factorText(r spread, whose string) string {
	text := r.number(r.min)
	if largest := r.number(r.max); largest != text {
		text += " to " + largest
	}
	link := " times "
	if r.max < 1 {
		link = " of "
	}
	return text + link + whose + " " + s.noun() + " " + r.interval()
}

// interval formats the ends of the intervals.
func (s spread) interval() string { return "[" + s.number(s.low) + "-" + s.number(s.high) + "]" }

// noun returns the kind of number in a sweep's column.
func (s *sweep) noun() string {
	switch {
	case s.group.Kind == option.KindBandwidth:
		return "rate"
	case s.column.Field == "latency.mean_ns":
		return "mean time"
	}
	return "time"
}

// number formats a ratio as tables do.
func (s spread) number(v float64) string {
	return rows.FormatRatio(v, s.differs())
}

// A ratioAt is the ratio of a mode to poll at a point.
type ratioAt struct {
	*sweep
	point *rows.Point
	mode  option.Mode
	spread
}

// ratiosText returns what a mode takes at the points with the smallest and the largest of its ratios.
func (c cost) ratiosText(ratios []ratioAt) string {
	verb := " has "
	if c.sweeps[0].group.Kind == option.KindLatency {
		verb = " takes "
	}
	smallest, largest := ratios[0], ratios[len(ratios)-1]
	text := string(smallest.mode) + verb
	if len(ratios) > 1 && smallest.number(smallest.min) == largest.number(largest.max) {
		all := smallest.spread
		for _, r := range ratios {
			all.join(r.spread)
		}
		return text + smallest.factorText(all, basePossessive)
	}
	text += smallest.factorText(smallest.spread, basePossessive) + c.pointText(smallest)
	if len(ratios) > 1 {
		text += " to " + largest.number(largest.max) + " " + largest.interval() + c.pointText(largest)
	}
	return text
}

// pointText returns the point of a ratio and the time that the mode takes there: " (21.3 usec, write
// latency of 64 bytes)".
func (c cost) pointText(r ratioAt) string {
	text := r.withUnit(r.pointsText([]*rows.Point{r.point}))
	if len(c.sweeps) > 1 {
		text = strings.Replace(r.name, c.setting, "", 1) + " of " + text
	}
	if r.group.Kind == option.KindLatency {
		text = usecNumber(r.point.Row(r.mode).Value(r.column)) + " usec, " + text
	}
	return " (" + text + ")"
}
