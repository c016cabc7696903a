package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
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
	if row := p.point.rows["event"]; !row.wakes(event) {
		return pauseText(p.subject.at(p.point)) + " between messages: " + HardlySleptText([]Entry{row})
	}
	return fmt.Sprintf("%s between messages: event keeps %s %% of the %s's core busy (%s), takes %s",
		pauseText(p.subject.at(p.point)), percentNumber(event.Busy), who, strings.Join(others, ", "), p.time())
}

// time is what event takes there: "35.6 usec, 21.5 times poll's time [19.8-24.0]".
func (p pauseCost) time() string {
	s := p.subject
	usec := func(mode string) string { return usecNumber(p.point.rows[mode].MedianRound(s.column)) }
	event, base := p.point.rows["event"], p.point.rows[result.BaseMode]
	switch all := s.spreadOf([]*lineup{p.point}, "event", result.BaseMode); {
	case all.n > 0:
		return usec("event") + " usec, " + s.times(all, result.BaseMode+"'s")
	case event.hardlySlept():
		return usec("event") + " usec, not compared with poll's: " + HardlySleptText([]Entry{event})
	case disturbed(event, base):
		return usec("event") + " usec, not compared with poll's: disturbed, " + strings.Join(disturbancesOf([]Entry{event, base}), ", ")
	}
	return usec("event") + " usec instead of " + result.BaseMode + "'s " + usec(result.BaseMode)
}

// pauseText prints nanoseconds in the unit that suits them.
func pauseText(ns int) string {
	print := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
	switch d := time.Duration(ns); {
	case d == 0:
		return "0"
	case d < time.Millisecond:
		return print(units.Usec(float64(ns))) + " usec"
	case d < time.Second:
		return print(float64(ns)/1e6) + " ms"
	}
	return print(float64(ns)/1e9) + " s"
}
