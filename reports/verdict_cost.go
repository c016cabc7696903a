package reports

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/reports/result"
)

// waiting tells which sides of a run wait for messages: both of a ping-pong, the receiver
// of writes and sends, the requester of reads.
func waiting(f *result.File) (here, peer bool) {
	client := f.Role != "server"
	switch {
	case result.RoundTrip(f.Op):
		return client, !client
	case f.Kind == result.KindLatency:
		return true, true
	}
	return !client, client
}

// whoWaits names those sides.
func whoWaits(f *result.File) string {
	switch {
	case result.RoundTrip(f.Op):
		return "at the requester"
	case f.Kind == result.KindLatency:
		return "on both sides"
	}
	return "at the receiver"
}

// A span is from the smallest to the largest of some numbers.
type span struct {
	least, most float64
	n           int
}

func (s *span) add(v float64) {
	if s.n == 0 {
		s.least, s.most = v, v
	}
	s.least, s.most = min(s.least, v), max(s.most, v)
	s.n++
}

// text prints a span: "70-100", or one number.
func (s span) text(print func(float64) string, between string) string {
	if a, b := print(s.least), print(s.most); a != b {
		return a + between + b
	}
	return print(s.least)
}

// A cost is what waiting costs in some subjects of one kind of test.
type cost struct {
	name      string          // with what tells its runs apart from others
	setting   string          // that alone
	where     string          // the sides that wait
	busy      map[string]span // by mode: part of the time that the waiting cores were busy
	wakeUps   span            // of mode event, for each message
	hardly    []Entry         // rows of mode event that hardly slept: they are no cost of it
	slept     int             // rows of mode event that are
	lost      map[string]span // by mode: part of the messages, where it is counted
	events    []eventCost     // where the ratio of event to poll is known, from small to large
	subjects  []*subject
	disturbed []Entry  // rows with warnings that make their ratios doubtful
	tests     []string // that these are of: "write latency"
	slow      []string // tests in which the rate limit was not reached
}

// costsOf are those of latency and of bandwidth tests, of runs that are named alike: by message
// size, or along QPs where there are no others. What cannot be compared is left out.
func costsOf(subjects []*subject) []cost {
	var settings []string
	for _, s := range subjects {
		settings = addNew(settings, s.setting)
	}
	var all []cost
	for _, kind := range []string{result.KindLatency, result.KindBandwidth} {
		for _, setting := range settings {
			for _, along := range []Axis{NoAxis, AlongQPs} {
				some := slices.DeleteFunc(slices.Clone(subjects), func(s *subject) bool {
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

// costName names the tests of a kind, or the one that there is.
func costName(kind string, subjects []*subject) string {
	var ops []string
	for _, s := range subjects {
		ops = addNew(ops, s.group.Op)
	}
	if len(ops) == 1 {
		return testName(ops[0], kind)
	}
	return testName("", kind)[1:]
}

// costOf sums subjects of one kind up, if there is something to sum up.
func costOf(name, setting string, subjects []*subject) (cost, bool) {
	c := cost{name: name + setting, setting: setting, busy: map[string]span{}, lost: map[string]span{}, subjects: subjects}
	for _, s := range subjects {
		before := len(c.disturbed)
		for _, l := range s.points {
			for _, mode := range result.ModeOrder {
				if e := l.rows[mode]; e.Row != nil && e.NoRatio == "" {
					c.add(e)
					if e.hasWarning("below-rate-limit") {
						c.slow = addNew(c.slow, s.name)
					}
				}
			}
			if all := s.spreadOf([]*lineup{l}, "event", result.BaseMode); all.n > 0 {
				c.events = append(c.events, eventCost{s, l, all})
			}
		}
		if len(c.disturbed) > before {
			c.tests = append(c.tests, s.name)
		}
	}
	slices.SortStableFunc(c.events, func(a, b eventCost) int { return cmp.Compare(a.ratio.least, b.ratio.least) })
	return c, len(c.busy) > 0
}

// knownCosts are what a row cost the sides that wait, as far as it is known.
func (e Entry) knownCosts() []result.Cost {
	return slices.DeleteFunc(e.waitingCosts(), func(c result.Cost) bool { return c.Busy <= 0 })
}

// add counts a row.
func (c *cost) add(e Entry) {
	where := whoWaits(e.File)
	if c.where != "" && c.where != where {
		where = "on the sides that wait"
	}
	c.where = where
	if d := e.Delivery; d != nil && d.Sent > 0 {
		lost := c.lost[e.Mode]
		lost.add(lostPart(d))
		c.lost[e.Mode] = lost
	}
	if disturbed(e) {
		c.disturbed = append(c.disturbed, e)
	}
	if e.hardlySlept() {
		c.hardly = append(c.hardly, e)
		return
	}
	if e.Mode == "event" {
		c.slept++
	}
	for _, side := range e.knownCosts() {
		busy := c.busy[e.Mode]
		busy.add(side.Busy)
		c.busy[e.Mode] = busy
		if e.Mode == "event" {
			c.wakeUps.add(side.SleepsPerMessage)
		}
	}
}

// texts are what is said of a cost, without its name.
func (c cost) texts() []string {
	line := "core busy " + c.where + ": " + byMode(c.busy)
	if c.wakeUps.n > 0 {
		line += "; event wakes the thread " + c.wakeUps.text(wakeUpNumber, " to ") + " times per message"
	}
	lines := []string{line}
	if n := len(c.hardly); n > 0 {
		lines = append(lines, fmt.Sprintf("in %d of %d rows %s", n, n+c.slept, HardlySleptText(c.hardly)))
	}
	if len(c.events) > 0 {
		lines = append(lines, c.eventText())
	}
	if len(c.lost) > 0 {
		lines = append(lines, "messages lost: "+byMode(c.lost))
	}
	return lines
}

// byMode prints parts: "poll 70-100 %, event 40 %".
func byMode(parts map[string]span) string {
	var all []string
	for _, mode := range result.ModeOrder {
		if s, measured := parts[mode]; measured {
			all = append(all, mode+" "+s.text(percentNumber, "-")+" %")
		}
	}
	return strings.Join(all, ", ")
}

// lostPart is the part of the messages that was lost.
func lostPart(d *result.Delivery) float64 { return float64(d.Lost) / float64(d.Sent) }

// LostText says what part of the messages was lost in one of the rows, at most; "" if none was.
func LostText(rows []Entry) string {
	var lost span
	for _, e := range rows {
		if d := e.Delivery; d != nil && d.Sent > 0 {
			lost.add(lostPart(d))
		}
	}
	if lost.most == 0 {
		return ""
	}
	return "up to " + percentNumber(lost.most) + " % of the messages were lost"
}

// costLines answer what it costs.
func (f *findings) costLines() []string {
	var lines []string
	var doubtful []Entry
	var tests, slow []string
	for _, c := range f.costs {
		for _, text := range c.texts() {
			lines = append(lines, c.name+": "+text)
		}
		doubtful, tests, slow = append(doubtful, c.disturbed...), append(tests, c.tests...), append(slow, c.slow...)
	}
	if len(doubtful) > 0 {
		lines = append(lines, fmt.Sprintf("Rows with warnings that make their ratios doubtful (%s): %d of %s; no ratio here is of them.",
			strings.Join(disturbancesOf(doubtful), ", "), len(doubtful), joined(tests)))
	}
	if len(slow) > 0 {
		lines = append(lines, "The rate that --rate_limit asks for was not reached in some rows of "+joined(slow)+": see there.")
	}
	for _, p := range f.pauses {
		lines = append(lines, p.subject.name+", "+p.text())
	}
	return lines
}

// percentNumber prints a part as whole percents, and with two digits below 10.
func percentNumber(part float64) string {
	if v := 100 * part; v < 9.95 {
		return strconv.FormatFloat(v, 'g', 2, 64)
	}
	return strconv.FormatFloat(100*part, 'f', 0, 64)
}

// wakeUpNumber prints two digits, however small the number is.
func wakeUpNumber(v float64) string {
	if v == 0 || v >= 1 {
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 1-int(math.Floor(math.Log10(v))), 64)
}

// usecNumber prints nanoseconds as microseconds with about three digits.
func usecNumber(ns float64) string {
	v := units.Usec(ns)
	return strconv.FormatFloat(v, 'f', min(ratioDecimals(v), 2), 64)
}
