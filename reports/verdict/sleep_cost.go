package verdict

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ibperf/ibperf/internal/printable"
	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/phrase"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/result"
)

// A pauseCost is what waiting costs at the longest pause of a sweep along pauses, or at the lowest rate of one along rates.
type pauseCost struct {
	sweep *sweep
	point *rows.Point
}

func pausesOf(sweeps []*sweep) []pauseCost {
	var all []pauseCost
	for _, s := range sweeps {
		byValue := func(a, b *rows.Point) int { return cmp.Compare(s.axisValue(a), s.axisValue(b)) }
		var longest *rows.Point
		switch s.group.Along {
		case rows.AlongGap:
			longest = slices.MaxFunc(s.points, byValue)
		case rows.AlongRate:
			longest = slices.MinFunc(s.points, byValue)
		default:
			continue
		}
		sleeping := slices.ContainsFunc(sleepers, func(mode option.Mode) bool { return longest.Row(mode).Row != nil })
		if sleeping && longest.Row(result.BaseMode).Row != nil {
			all = append(all, pauseCost{s, longest})
		}
	}
	return all
}

// text returns what each mode costs during the pause, and what modes that sleep take.
func (p pauseCost) text() string {
	busy := map[option.Mode]phrase.Span{}
	var who string
	var taken []string
	for _, mode := range result.ModeOrder {
		e := p.point.Row(mode)
		if e.Row == nil {
			continue
		}
		side, at := e.PausedCost()
		who = at
		if mode == option.ModeEvent && e.Load == nil && !e.Wakes(side) {
			taken = append(taken, rows.HardlySleptText([]rows.Entry{e}))
			continue
		}
		part := phrase.Span{}
		part.Add(side.Busy)
		busy[mode] = part
		if sleeps(mode) {
			taken = append(taken, string(mode)+" takes "+p.time(mode)+p.alikeText(mode))
		}
	}
	at := pauseText(p.sweep.axisValue(p.point)) + " between messages"
	if p.sweep.group.Along == rows.AlongRate {
		at = "at " + rateText(p.sweep.axisValue(p.point)) + " messages/s"
	}
	return fmt.Sprintf("%s: core busy %s: %s; %s", at, who, byMode(busy, percents), strings.Join(taken, "; "))
}

// alikeText names the pauses at which a mode that sleeps is as fast as poll.
func (p pauseCost) alikeText(mode option.Mode) string {
	var points []*rows.Point
	for _, c := range p.sweep.conclusions {
		if c.pair == (pair{mode, result.BaseMode}) && c.why == "" && c.relation == rows.Same && !c.saves {
			points = append(points, c.points...)
		}
	}
	if len(points) == 0 {
		return ""
	}
	return ", and is " + asFastText + " poll for " + p.sweep.withUnit(p.sweep.pointsText(points))
}

// time returns what a mode takes: "35.6 usec, 21.5 times poll's time [19.8-24.0]".
func (p pauseCost) time(mode option.Mode) string {
	s := p.sweep
	usec := func(mode option.Mode) string { return usecNumber(p.point.Row(mode).Value(s.column)) + " usec" }
	e, base := p.point.Row(mode), p.point.Row(result.BaseMode)
	switch all := s.spreadOf([]*rows.Point{p.point}, mode, result.BaseMode); {
	case !e.KeepsRate():
		return "more time than there is: it does not keep the rate"
	case all.n > 0:
		return usec(mode) + ", " + s.factorText(all, basePossessive)
	case e.HardlySlept():
		return usec(mode) + ", not compared with poll's: " + rows.HardlySleptText([]rows.Entry{e})
	case rows.AnyDisturbed(e, base):
		return usec(mode) + ", not compared with poll's: disturbed, " + strings.Join(rows.DisturbancesOf([]rows.Entry{e, base}), ", ")
	}
	return usec(mode) + " instead of " + basePossessive + " " + usec(result.BaseMode)
}

// pauseText formats nanoseconds in a suitable unit.
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

// oneCPUName is the name of the rows of event with both threads on one CPU.
var oneCPUName = (&result.Row{Mode: option.ModeEvent, Variant: option.VariantSameCPU}).Name()

// oneCPUText compares event with both threads on one CPU to event with the threads apart, or returns "" if
// that was not measured: "event with both threads on one CPU takes 0.24-0.3 of its time apart (same L3)".
func (c cost) oneCPUText() string {
	var all phrase.Span
	var apart []string
	for _, s := range c.sweeps {
		for _, p := range s.points {
			e, event := p.Rows[oneCPUName], p.Row(option.ModeEvent)
			if e.Row == nil || event.Row == nil || rows.AnyDisturbed(e, event) {
				continue
			}
			if r := rows.EstimateOf(s.column, e, event); r.Enough {
				all.Add(r.Value)
				for _, d := range event.Distances {
					apart = phrase.AddNew(apart, printable.Clean(d))
				}
			}
		}
	}
	if all.N == 0 {
		return ""
	}
	text := "event with both threads on one CPU takes " + all.Text(twoDigits, "-") + " of its time with the threads apart"
	if len(apart) > 0 {
		text += " (" + strings.Join(apart, " or ") + ")"
	}
	return text
}

func twoDigits(v float64) string { return strconv.FormatFloat(v, 'g', 2, 64) }
