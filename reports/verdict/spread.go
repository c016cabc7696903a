package verdict

import (
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
