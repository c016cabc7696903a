package verdict

import (
	"fmt"
	"math"

	"github.com/ibperf/ibperf/reports/phrase"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/result"
)

// controlLines says at how many points the control held, and by how much the intervals at the others
// are wider.
func (f *findings) controlLines() []string {
	var failed []string
	var wider phrase.Span
	controls := 0
	for _, s := range f.sweeps {
		var points []*rows.Point
		for _, p := range s.points {
			r := p.Control(s.column)
			if !r.Enough {
				continue
			}
			if controls++; r.ExcludesOne() {
				points = append(points, p)
				wider.Add(math.Exp(math.Abs(math.Log(r.Value))) - 1)
			}
		}
		if len(points) > 0 {
			failed = append(failed, s.name+" ("+s.withUnit(s.pointsText(points))+")")
		}
	}
	if controls == 0 {
		return nil
	}
	line := fmt.Sprintf("Control, poll to a copy of itself: %d of %d intervals hold 1", controls-wider.N, controls)
	if wider.N > 0 {
		line += "; not in " + phrase.List(failed) + ", where the other intervals are widened by " + percents(wider)
	}
	return []string{line + "."}
}

// variationLines counts the rows whose rounds vary much.
func (f *findings) variationLines() []string {
	all, levels, unsteady := 0, 0, 0
	var tests []string
	for _, s := range f.sweeps {
		for _, p := range s.points {
			for _, e := range p.Rows {
				all++
				if e.HasWarning(result.WarnTwoLevels) {
					levels++
				} else if e.HasWarning(result.WarnUnsteady) {
					unsteady++
				} else {
					continue
				}
				tests = phrase.AddNew(tests, s.name)
			}
		}
	}
	if levels+unsteady == 0 {
		return nil
	}
	return []string{fmt.Sprintf("The rounds of %d of %d rows vary much: at two levels (= in tables) %d, unsteady (~) %d; in %s.",
		levels+unsteady, all, levels, unsteady, joinTestNames(tests))}
}
