package reports

import (
	"fmt"
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
	name    string // "write latency"
	column  *result.Column
	points  []*lineup
	clauses []*clause
}

// A clause is what holds at some points of a subject.
type clause struct {
	standing
	points []*lineup
}

// A standing tells which modes are fastest at a point.
type standing struct {
	modes   []string // that are compared: measured, and fit to be recommended
	fastest []string // those that no other one beats; none where no order is concluded
	why     string   // why none is
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
			s = &subject{group: g, name: subjectName(g, l), column: result.ColumnOf(compared(g)[0])}
			index[key] = s
			all = append(all, s)
		}
		s.points = append(s.points, l)
		s.add(f.standingOf(s, l), l)
	}
	return all
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

// subjectName names a test, with the run where there are several, and its device where
// they differ in it.
func subjectName(g *Group, l *lineup) string {
	name := testName(g.Op, g.Kind)
	switch {
	case g.Along != NoAxis:
		return name + ", " + units.Size(l.size) + " bytes"
	case l.run < 0 || len(g.Runs) < 2:
		return name
	}
	name += " " + g.Label(l.run)
	own := devicesOf(g.Runs[l.run])
	if slices.ContainsFunc(g.Runs, func(f *result.File) bool { return devicesOf(f) != own }) {
		return name + " on " + own
	}
	return name
}

// testName is a test in a sentence.
func testName(op, kind string) string {
	if kind == result.KindLatency {
		return Clean(op) + " latency"
	}
	return Clean(op) + " bandwidth"
}

// add puts a point to those of the same standing.
func (s *subject) add(at standing, l *lineup) {
	alike := func(c *clause) bool { return fmt.Sprint(c.standing) == fmt.Sprint(at) }
	if i := slices.IndexFunc(s.clauses, alike); i >= 0 {
		s.clauses[i].points = append(s.clauses[i].points, l)
		return
	}
	s.clauses = append(s.clauses, &clause{at, []*lineup{l}})
}

// standingOf compares each mode of a point with each other one.
func (f *findings) standingOf(s *subject, l *lineup) standing {
	var at standing
	var rows []Entry
	barred := false
	for _, mode := range result.ModeOrder {
		switch e := l.rows[mode]; {
		case e.Row == nil:
		case f.barred(e):
			barred = true
		default:
			rows, at.modes = append(rows, e), append(at.modes, mode)
		}
	}
	if s.group.Verify {
		at.why = "times and rates include the check of every byte (--verify)"
		return at
	}
	if len(rows) == 1 && barred {
		at.fastest = at.modes
		return at
	}
	if at.why = f.undecided(s, rows); at.why != "" {
		return at
	}
	for _, e := range rows {
		if !slices.ContainsFunc(rows, func(o Entry) bool { return s.beats(o, e) }) {
			at.fastest = append(at.fastest, e.Mode)
		}
	}
	if len(at.fastest) == 0 {
		at.why = "the ratios contradict each other"
	}
	return at
}

// barred tells whether a row may not be recommended: data without a promise, and data
// where some was wrong.
func (f *findings) barred(e Entry) bool {
	return e.Forced || e.Mode == "data" && slices.ContainsFunc(waitingSides(e.File), func(s *result.Side) bool {
		return f.checks.brokenBy(s, e.File.Op)
	})
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

// undecided tells why no order is concluded from rows of one point, empty if one is.
func (f *findings) undecided(s *subject, rows []Entry) string {
	if slices.ContainsFunc(rows, func(e Entry) bool { return f.checks.wrongIn(e.File) }) {
		return "messages were not as sent after a completion, see below"
	}
	switch len(rows) {
	case 0:
		return "nothing was measured that may be relied on"
	case 1:
		return "only " + rows[0].Mode + " was measured"
	}
	why := ""
	for i, a := range rows {
		for _, b := range rows[i+1:] {
			switch {
			case a.NoRatio != "":
				return Clean(a.NoRatio)
			case b.NoRatio != "":
				return Clean(b.NoRatio)
			case a.Run != b.Run:
				why = "modes of separate runs were not measured in turns (--compare)"
			case why == "" && !roundRatio(s.column, a, b).Enough:
				why = "too few rounds for an interval (--rounds gives more)"
			}
		}
	}
	return why
}

// beats tells whether a row is known to be faster than another: the interval of their
// ratio excludes 1 on that side.
func (s *subject) beats(a, b Entry) bool {
	r := roundRatio(s.column, a, b)
	return r.Different() && (r.High < 1) == (s.group.Kind == result.KindLatency)
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
		return ranges(all, some, func(ns int) string { return fmt.Sprint(units.Usec(float64(ns))) })
	}
	return sizeRanges(all, some)
}

// withUnit says what places are counted in.
func (s *subject) withUnit(places string) string {
	switch s.group.Along {
	case AlongQPs:
		return strings.TrimSuffix(places+" QPs", map[bool]string{true: "s"}[places == "1"])
	case AlongGap:
		return "pauses of " + places + " usec"
	}
	return places + " bytes"
}
