package reports

import (
	"strings"

	"github.com/ibperf/ibperf/reports/result"
)

// An eventCost is what event takes at a point.
type eventCost struct {
	*subject
	point *lineup
	ratio spread // to poll
}

// eventText says what event takes where its ratio is smallest and where it is largest.
func (c cost) eventText() string {
	verb := "event has "
	if c.subjects[0].group.Kind == result.KindLatency {
		verb = "event takes "
	}
	least, most := c.events[0], c.events[len(c.events)-1]
	if len(c.events) > 1 && least.ratio.number(least.ratio.least) == most.ratio.number(most.ratio.most) {
		all := least.ratio
		for _, e := range c.events {
			all.join(e.ratio)
		}
		return verb + least.times(all, result.BaseMode+"'s")
	}
	text := verb + least.times(least.ratio, result.BaseMode+"'s") + c.at(least)
	if len(c.events) > 1 {
		text += " to " + most.ratio.number(most.ratio.most) + " " + most.ratio.interval() + c.at(most)
	}
	return text
}

// at names the point of a ratio, with the time that event takes there:
// " (21.3 usec, write latency of 64 bytes)".
func (c cost) at(e eventCost) string {
	text := e.withUnit(e.places([]*lineup{e.point}))
	if len(c.subjects) > 1 {
		text = strings.Replace(e.name, c.setting, "", 1) + " of " + text
	}
	if e.group.Kind == result.KindLatency {
		text = usecNumber(e.point.rows["event"].MedianRound(e.column)) + " usec, " + text
	}
	return " (" + text + ")"
}
