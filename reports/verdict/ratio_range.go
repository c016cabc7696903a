package verdict

import (
	"strings"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/rows"
)

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
