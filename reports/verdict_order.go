package reports

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/reports/result"
)

// A subject is what one line of a verdict is about: a test by message size, or messages of
// one size along the axis of a sweep.
type subject struct {
	group   *Group
	name    string // "write latency over UC [1]"
	setting string // " over UC"
	column  *result.Column
	points  []*lineup // along its axis
	clauses []*clause
}

// subjectsOf divides a group into subjects: a run of its own, or a size of a sweep.
func (f *findings) subjectsOf(g *Group) []*subject {
	var all []*subject
	index := map[int]*subject{}
	for _, l := range lineUp(g) {
		key := l.run
		if g.Along != NoAxis {
			key = l.size
		}
		if !l.compared() {
			continue
		}
		s := index[key]
		if s == nil {
			s = f.newSubject(g, l)
			index[key] = s
			all = append(all, s)
		}
		s.points = append(s.points, l)
	}
	for _, s := range all {
		slices.SortStableFunc(s.points, func(a, b *lineup) int { return cmp.Compare(s.at(a), s.at(b)) })
		s.clauses = f.clausesOf(s)
	}
	return all
}

// newSubject is one of no points yet, to which that of a lineup belongs.
func (f *findings) newSubject(g *Group, l *lineup) *subject {
	run := g.Runs[max(l.run, 0)]
	s := &subject{group: g, setting: f.names.setting(run), column: result.ColumnOf(compared(g)[0])}
	switch {
	case g.Along != NoAxis:
		s.setting = f.names.of(run)
		s.name = testName(g.Op, g.Kind) + s.setting + ", " + units.Size(l.size) + " bytes"
	case l.run < 0:
		s.name = testName(g.Op, g.Kind) + s.setting
	default:
		s.name = f.names.runName(g, l.run)
	}
	return s
}

// compared tells whether a run that compares modes is among those of the rows.
func (l *lineup) compared() bool {
	for _, e := range l.rows {
		if comparesModes(e.File) {
			return true
		}
	}
	return false
}

// at is where a point stands on its axis.
func (s *subject) at(l *lineup) int {
	if s.group.Along == NoAxis {
		return l.size
	}
	for _, e := range l.rows {
		return int(s.group.Along.Of(e.File))
	}
	return 0
}

// places names points of a subject: "2-512, 4K".
func (s *subject) places(points []*lineup) string {
	var all, some []int
	for _, l := range s.points {
		all = append(all, s.at(l))
	}
	for _, l := range points {
		some = append(some, s.at(l))
	}
	switch s.group.Along {
	case AlongQPs:
		return ranges(all, some, strconv.Itoa)
	case AlongGap:
		return ranges(all, some, pauseText)
	}
	return sizeRanges(all, some)
}

// withUnit says what places are counted in.
func (s *subject) withUnit(places string) string {
	switch s.group.Along {
	case AlongQPs:
		return strings.TrimSuffix(places+" QPs", map[bool]string{true: "s"}[places == "1"])
	case AlongGap:
		return "pauses of " + places
	}
	return places + " bytes"
}
