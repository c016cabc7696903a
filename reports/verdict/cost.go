package verdict

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/phrase"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/result"
)

// A cost is what waiting costs in some sweeps of one kind of test.
type cost struct {
	name        string                      // with the setting
	setting     string                      // of the runs: " over UC"
	where       string                      // the sides that wait
	busy        map[option.Mode]phrase.Span // by mode: fraction of the time that waiting cores were busy
	wakeUps     map[option.Mode]phrase.Span // of modes that sleep, per message
	hardlySlept []rows.Entry                // rows of mode event that hardly slept, which are left out
	slept       int                         // number of other rows of mode event
	lost        map[option.Mode]phrase.Span // by mode: fraction of the messages that was lost, if counted
	ratios      map[option.Mode][]ratioAt   // of modes that sleep to poll, in ascending order
	sweeps      []*sweep
	disturbed   []rows.Entry // rows with warnings that make their ratios doubtful
	tests       []string     // tests of the disturbed rows: "write latency"
	slow        []string     // tests in which the rate limit was not reached
}

// costsOf returns the costs of latency and of bandwidth tests, each for runs with the same name:
// those by message size, or along QPs if there are no others. It leaves out rows that are not
// compared.
func costsOf(sweeps []*sweep) []cost {
	var settings []string
	for _, s := range sweeps {
		settings = phrase.AddNew(settings, s.setting)
	}
	var all []cost
	for _, kind := range []option.Kind{option.KindLatency, option.KindBandwidth} {
		for _, setting := range settings {
			for _, along := range []rows.Axis{rows.NoAxis, rows.AlongQPs} {
				some := slices.DeleteFunc(slices.Clone(sweeps), func(s *sweep) bool {
					return s.group.Kind != kind || s.group.Along != along || s.group.Verify || s.setting != setting
				})
				if c, ok := costOf(costName(kind, some), setting, some); ok {
					all = append(all, c)
					break
				}
			}
		}
	}
	return all
}

// costName returns the name of several tests of a kind, or of the only one.
func costName(kind option.Kind, sweeps []*sweep) string {
	var ops []option.Op
	for _, s := range sweeps {
		ops = phrase.AddNew(ops, s.group.Op)
	}
	if len(ops) == 1 {
		return testName(ops[0], kind)
	}
	return testName("", kind)[1:]
}

// costOf sums up sweeps of one kind. It reports whether there are any rows to sum up.
func costOf(name, setting string, sweeps []*sweep) (cost, bool) {
	c := cost{name: name + setting, setting: setting, sweeps: sweeps, busy: map[option.Mode]phrase.Span{}, lost: map[option.Mode]phrase.Span{},
		wakeUps: map[option.Mode]phrase.Span{}, ratios: map[option.Mode][]ratioAt{}}
	for _, s := range sweeps {
		before := len(c.disturbed)
		for _, p := range s.points {
			for _, mode := range result.ModeOrder {
				if e := p.Row(mode); e.Row != nil && e.NoRatio == "" {
					c.add(s, e)
					if e.HasWarning(result.WarnBelowRateLimit) {
						c.slow = phrase.AddNew(c.slow, s.name)
					}
				}
			}
			for _, mode := range sleepers {
				if all := s.spreadOf([]*rows.Point{p}, mode, result.BaseMode); all.n > 0 {
					c.ratios[mode] = append(c.ratios[mode], ratioAt{s, p, mode, all})
				}
			}
		}
		if len(c.disturbed) > before {
			c.tests = append(c.tests, s.name)
		}
	}
	for _, all := range c.ratios {
		slices.SortStableFunc(all, func(a, b ratioAt) int { return cmp.Compare(a.min, b.min) })
	}
	return c, len(c.busy) > 0
}

// knownCosts returns the costs of a row on the sides that wait for messages, or in a sweep along pauses
// or rates on the side that waits, if they are known.
func (s *sweep) knownCosts(e rows.Entry) []result.Cost {
	costs := e.WaitingCosts()
	if s.group.Along == rows.AlongGap || s.group.Along == rows.AlongRate {
		side, _ := e.PausedCost()
		costs = []result.Cost{side}
	}
	return slices.DeleteFunc(costs, func(c result.Cost) bool { return c.Busy <= 0 })
}

// add adds a row.
func (c *cost) add(s *sweep, e rows.Entry) {
	where := rows.WhereWaits(e.File)
	if c.where != "" && c.where != where {
		where = "on the sides that wait"
	}
	c.where = where
	if d := e.Delivery; d != nil && d.Sent > 0 {
		lost := c.lost[e.Mode]
		lost.Add(rows.LostPart(d))
		c.lost[e.Mode] = lost
	}
	if rows.AnyDisturbed(e) {
		c.disturbed = append(c.disturbed, e)
	}
	if e.HardlySlept() {
		c.hardlySlept = append(c.hardlySlept, e)
		return
	}
	if e.Mode == option.ModeEvent {
		c.slept++
	}
	busy, wakeUps := c.busy[e.Mode], c.wakeUps[e.Mode]
	for _, side := range s.knownCosts(e) {
		busy.Add(side.Busy)
		wakeUps.Add(side.SleepsPerMessage)
	}
	if busy.N > 0 {
		c.busy[e.Mode] = busy
	}
	if busy.N > 0 && sleeps(e.Mode) {
		c.wakeUps[e.Mode] = wakeUps
	}
}

// texts returns the lines about a cost, without its name.
func (c cost) texts() []string {
	line := "core busy " + c.where + ": " + byMode(c.busy, percents)
	if len(c.wakeUps) > 0 {
		line += "; wake-ups per message: " + byMode(c.wakeUps, func(s phrase.Span) string { return s.Text(phrase.WakeUpNumber, " to ") })
	}
	lines := []string{line}
	if n := len(c.hardlySlept); n > 0 {
		lines = append(lines, fmt.Sprintf("in %d of %d rows %s", n, n+c.slept, rows.HardlySleptText(c.hardlySlept)))
	}
	for _, mode := range sleepers {
		if all := c.ratios[mode]; len(all) > 0 {
			lines = append(lines, c.ratiosText(all))
		}
	}
	if text := c.oneCPUText(); text != "" {
		lines = append(lines, text)
	}
	if len(c.lost) > 0 {
		lines = append(lines, "messages lost: "+byMode(c.lost, percents))
	}
	return lines
}

// percents formats fractions: "70-100 %".
func percents(s phrase.Span) string { return s.Text(phrase.PercentNumber, "-") + " %" }

// byMode lists numbers by mode: "poll 70-100 %, event 40 %".
func byMode(numbers map[option.Mode]phrase.Span, text func(phrase.Span) string) string {
	var all []string
	for _, mode := range result.ModeOrder {
		if s, measured := numbers[mode]; measured {
			all = append(all, string(mode)+" "+text(s))
		}
	}
	return strings.Join(all, ", ")
}

// costLines answers what waiting costs.
func (f *findings) costLines() []string {
	var lines []string
	var doubtful []rows.Entry
	var tests, slow []string
	for _, c := range f.costs {
		for _, text := range c.texts() {
			lines = append(lines, c.name+": "+text)
		}
		doubtful, tests, slow = append(doubtful, c.disturbed...), append(tests, c.tests...), append(slow, c.slow...)
	}
	if len(doubtful) > 0 {
		lines = append(lines, fmt.Sprintf("Rows with warnings that make their ratios doubtful (%s): %d in %s; the ratios above leave them out.",
			strings.Join(rows.DisturbancesOf(doubtful), ", "), len(doubtful), phrase.List(tests)))
	}
	if len(slow) > 0 {
		lines = append(lines, "Some rows of "+phrase.List(slow)+" did not reach the rate of --rate_limit; see their warnings.")
	}
	for _, p := range f.pauses {
		lines = append(lines, p.sweep.name+", "+p.text())
	}
	return lines
}

// usecNumber formats nanoseconds as microseconds with about three digits.
func usecNumber(ns float64) string {
	switch v := units.Usec(ns); {
	case v < 10:
		return strconv.FormatFloat(v, 'f', 2, 64)
	case v < 100:
		return strconv.FormatFloat(v, 'f', 1, 64)
	default:
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
}
