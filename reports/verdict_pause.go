package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/reports/result"
)

// A pauseCost is what waiting costs where there is little traffic: at the longest pause of
// a sweep along it.
type pauseCost struct {
	subject *subject
	point   *lineup
}

func pausesOf(subjects []*subject) []pauseCost {
	var all []pauseCost
	for _, s := range subjects {
		if s.group.Along != AlongGap {
			continue
		}
		longest := slices.MaxFunc(s.points, func(a, b *lineup) int { return cmp.Compare(s.at(a), s.at(b)) })
		if longest.rows["event"].Row != nil && longest.rows[result.BaseMode].Row != nil {
			all = append(all, pauseCost{s, longest})
		}
	}
	return all
}

// during is what the side spends that waits during the pause: the server of a ping-pong.
// Reads have none, so theirs is the requester's.
func (p pauseCost) during(mode string) (side result.Cost, who string) {
	e, who := p.point.rows[mode], "server"
	here := e.File.Role == "server"
	if result.RoundTrip(e.File.Op) {
		here, who = !here, "requester"
	}
	if here {
		return e.Local, who
	}
	return e.Peer, who
}

// text says what event saves there, and what it takes.
func (p pauseCost) text() string {
	var others []string
	for _, mode := range []string{"data", result.BaseMode} {
		if p.point.rows[mode].Row != nil {
			side, _ := p.during(mode)
			others = append(others, mode+" "+percentNumber(side.Busy)+" %")
		}
	}
	event, who := p.during("event")
	value := func(mode string) string { return p.subject.column.Text(p.point.rows[mode].Row, false) }
	return fmt.Sprintf("%s between messages: event keeps %s %% of the %s's core busy (%s), takes %s usec instead of poll's %s",
		pauseText(p.subject.at(p.point)), percentNumber(event.Busy), who, strings.Join(others, ", "), value("event"), value(result.BaseMode))
}

func pauseText(ns int) string {
	if ms := float64(ns) / float64(time.Millisecond); ms >= 1 {
		return fmt.Sprint(ms) + " ms"
	}
	return fmt.Sprint(units.Usec(float64(ns))) + " usec"
}
