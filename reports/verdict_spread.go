package reports

import (
	"github.com/ibperf/ibperf/internal/ratio"
	"github.com/ibperf/ibperf/reports/result"
)

// A spread is what the ratios of one mode to another are over several points: the smallest
// and the largest median, and the ends of all intervals.
type spread struct {
	least, most, low, high float64
	n                      int // points
}

// add adds a ratio.
func (s *spread) add(r ratio.Ratio) { s.join(spread{r.Median, r.Median, r.Low, r.High, 1}) }

// join adds those of another spread.
func (s *spread) join(o spread) {
	switch {
	case o.n == 0:
		return
	case s.n == 0:
		*s = o
		return
	}
	s.least, s.most = min(s.least, o.least), max(s.most, o.most)
	s.low, s.high = min(s.low, o.low), max(s.high, o.high)
	s.n += o.n
}

// differs tells whether no interval holds 1, all on one side of it.
func (s spread) differs() bool { return s.low > 1 || s.high < 1 }

// spreadOf is that of a mode to another, over those points that have their ratio and were not
// disturbed.
func (s *subject) spreadOf(points []*lineup, mode, to string) (all spread) {
	for _, l := range points {
		a, b := l.rows[mode], l.rows[to]
		if a.Row == nil || b.Row == nil || disturbed(a, b) {
			continue
		}
		if r := roundRatio(s.column, a, b); r.Enough {
			all.add(r)
		}
	}
	return all
}

// times says how many times the time or the rate of another mode one has.
func (s *subject) times(r spread, whose string) string {
	text := r.number(r.least)
	if most := r.number(r.most); most != text {
		text += " to " + most
	}
	link := " times "
	if r.most < 1 {
		link = " of "
	}
	return text + link + whose + " " + s.noun() + " " + r.interval()
}

// interval is what the ends of the intervals are.
func (s spread) interval() string { return "[" + s.number(s.low) + "-" + s.number(s.high) + "]" }

// noun is what a subject's column is a number of.
func (s *subject) noun() string {
	switch {
	case s.group.Kind == result.KindBandwidth:
		return "rate"
	case s.column.Field == "latency.mean_ns":
		return "mean time"
	}
	return "time"
}

// number prints a ratio as tables do, with more digits where it would be rounded to 1
// although no interval holds 1.
func (s spread) number(v float64) string {
	decimals := ratioDecimals(v)
	if s.differs() {
		decimals = awayFromOne(v, decimals)
	}
	return ratioNumber(v, decimals)
}
