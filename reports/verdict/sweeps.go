package verdict

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/reports/phrase"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/result"
)

// A sweep is the points of one test along an axis: all message sizes of a run, or one size along
// numbers of QPs or pauses. A line of the verdict is about one sweep, or about several with the same
// result.
type sweep struct {
	group       *rows.Group
	name        string // "write latency over UC [1]"
	setting     string // " over UC"
	column      *result.Column
	points      []*rows.Point // along its axis
	conclusions []*conclusion
}

// sweepsOf divides a group into sweeps: one for each run or, if the runs differ in their QPs or pauses,
// one for each size.
func (f *findings) sweepsOf(g *rows.Group) []*sweep {
	var all []*sweep
	index := map[int]*sweep{}
	for _, p := range g.Points() {
		key := p.Run
		if g.Along != rows.NoAxis {
			key = p.Size
		}
		if !comparesModesAt(p) {
			continue
		}
		s := index[key]
		if s == nil {
			s = f.newSweep(g, p)
			index[key] = s
			all = append(all, s)
		}
		s.points = append(s.points, p)
	}
	for _, s := range all {
		slices.SortStableFunc(s.points, func(a, b *rows.Point) int { return cmp.Compare(s.axisValue(a), s.axisValue(b)) })
		s.conclusions = f.conclusionsOf(s)
	}
	return all
}

// newSweep returns the sweep of a point, without points yet.
func (f *findings) newSweep(g *rows.Group, p *rows.Point) *sweep {
	run := g.Runs[max(p.Run, 0)]
	s := &sweep{group: g, setting: f.names.setting(run), column: result.ColumnOf(g.ComparedFields()[0])}
	switch {
	case g.Along != rows.NoAxis:
		s.setting = f.names.suffix(run)
		s.name = testName(g.Op, g.Kind) + s.setting + ", " + units.Size(p.Size) + " bytes"
	case p.Run < 0:
		s.name = testName(g.Op, g.Kind) + s.setting
	default:
		s.name = f.names.runName(g, p.Run)
	}
	return s
}

// comparesModesAt reports whether one of the runs of a point compares modes.
func comparesModesAt(p *rows.Point) bool {
	for _, e := range p.Rows {
		if comparesModes(e.File) {
			return true
		}
	}
	return false
}

// axisValue returns the value of a point on the axis.
func (s *sweep) axisValue(p *rows.Point) int {
	if s.group.Along == rows.NoAxis {
		return p.Size
	}
	for _, e := range p.Rows {
		return int(s.group.Along.Value(e.File))
	}
	return 0
}

// pointsText lists points of a sweep: "2-512, 4K".
func (s *sweep) pointsText(points []*rows.Point) string {
	var all, some []int
	for _, p := range s.points {
		all = append(all, s.axisValue(p))
	}
	for _, p := range points {
		some = append(some, s.axisValue(p))
	}
	switch s.group.Along {
	case rows.AlongQPs:
		return phrase.Ranges(all, some, strconv.Itoa)
	case rows.AlongGap:
		return phrase.Ranges(all, some, pauseText)
	case rows.AlongRate:
		return phrase.Ranges(all, some, rateText)
	}
	return phrase.SizeRanges(all, some)
}

// rateText formats a number of messages per second.
func rateText(perSecond int) string { return phrase.PerSecond(float64(perSecond)) }

// withUnit adds the unit to a list of points.
func (s *sweep) withUnit(points string) string {
	switch s.group.Along {
	case rows.AlongQPs:
		return strings.TrimSuffix(points+" QPs", map[bool]string{true: "s"}[points == "1"])
	case rows.AlongGap:
		return "pauses of " + points
	case rows.AlongRate:
		return points + " messages/s"
	}
	return points + " bytes"
}
