package oob

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/option"
)

// Limits hold what bounds the figures of a side: no time can be longer than the run, and no count
// higher than is possible in that time.
type Limits struct {
	Time    time.Duration // since the run began
	Threads int           // measuring threads of a side
	Devices int           // of a side
	Kind    option.Kind   // of the test
	Size    int           // of a message, in bytes
}

// Suspended is the time by which a side's figures may exceed the duration of the run on the other
// side: a host may have been suspended while one of the clocks continued.
const Suspended = 24 * time.Hour

// Bounds that no side reaches.
const (
	maxMsgRate         = 1e11              // messages per second
	clockSlack         = 1e-3              // s; a coarse clock may read the same time before and after messages that took up to this long
	maxEventsPerNs     = 1                 // sleeps, or context switches, of a thread
	maxCPU             = 1 << 20           // CPU number
	maxNodes           = 1 << 10           // NUMA nodes of a host: Linux' largest NODES_SHIFT is 10
	maxText            = 1000              // bytes of a text
	maxClockNs         = math.MaxInt64 / 4 // largest reading of a clock
	maxPathDifferences = 3                 // options of a path that rdma_cm may set differently
	relTolerance       = 1e-6              // relative difference between a figure and the value calculated from others
	minSeconds         = 1e-9              // shortest time above 0: clocks count nanoseconds
)

// maxNs returns the longest possible time of a measurement, in nanoseconds.
func (l Limits) maxNs() float64 { return float64(l.Time) + float64(Suspended) }

// threads returns the number of a side's measuring threads.
func (l Limits) threads() float64 { return float64(max(1, l.Threads)) }

// parts returns the number of parts of a round or row: one for each of several devices.
func (l Limits) parts() int {
	if l.Devices > 1 {
		return l.Devices
	}
	return 0
}

// maxMessages returns the largest possible number of messages in a time.
func (l Limits) maxMessages(seconds float64) float64 { return (seconds + clockSlack) * maxMsgRate }

// timeReason returns the reason for the longest time.
func (l Limits) timeReason() string {
	return fmt.Sprintf("the time of the run, %v, and %v for clocks that continue while a host is suspended", l.Time.Round(time.Millisecond), Suspended)
}

// reason returns a function that returns a fixed reason for bounds.
func reason(text string) func() string { return func() string { return text } }

// rateReason returns the reason for the largest number of messages.
func rateReason() string { return fmt.Sprintf("%g a second", maxMsgRate) }

// check is a figure with its bounds. The functions check... make one for each kind of figure, and
// checkAll compares the figure with the bounds.
type check struct {
	name     string
	value    float64
	min, max float64
	why      func() string // returns the reason for the bounds; nil: they are obvious
}

// err returns an error if the figure is out of its bounds.
func (c check) err() error {
	if c.value >= c.min && c.value <= c.max {
		return nil
	}
	why := ""
	if c.why != nil {
		why = ": " + c.why()
	}
	return fmt.Errorf("%s = %v out of range [%v, %v]%s", c.name, c.value, c.min, c.max, why)
}

// checkAll returns the error of the first figure out of its bounds.
func checkAll(checks ...check) error {
	for _, c := range checks {
		if err := c.err(); err != nil {
			return err
		}
	}
	return nil
}

// checkNs checks a time in nanoseconds that is the sum over a number of threads.
func (l Limits) checkNs(name string, ns, threads float64) check {
	return check{name, ns, 0, l.maxNs() * threads, l.timeReason}
}

// checkSeconds checks a time of messages in seconds: 0, or at least minSeconds.
func (l Limits) checkSeconds(name string, s float64) check {
	shortest := 0.0
	if s > 0 {
		shortest = minSeconds
	}
	return check{name, s, shortest, l.maxNs() / 1e9, l.timeReason}
}

// checkCount checks a number of messages that were measured in a time.
func (l Limits) checkCount(name string, n uint64, seconds float64) check {
	return check{name, float64(n), 0, l.maxMessages(seconds), rateReason}
}

// checkTotal checks a number of messages whose time is not known, such as those sent and received.
func (l Limits) checkTotal(name string, n uint64) check { return l.checkCount(name, n, l.maxNs()/1e9) }

// checkRate checks a number of messages or bytes per second.
func checkRate(name string, v float64) check {
	return check{name, v, 0, units.Measurable, reason("the measurable range")}
}

// checkDerived checks a figure that can be calculated from others.
func checkDerived(name string, v, want float64) check {
	return check{name, v, want * (1 - relTolerance), want * (1 + relTolerance), reason("the value calculated from the other figures")}
}

// checkText checks the length of a text and, if there are words, that the text is one of them.
func checkText(name, s string, words ...string) error {
	if len(s) > maxText {
		return fmt.Errorf("%s is %d bytes long, limit %d", name, len(s), maxText)
	}
	for _, w := range words {
		if s == w {
			return nil
		}
	}
	if len(words) > 0 {
		return fmt.Errorf("%s = %q, want one of %q", name, s, words)
	}
	return nil
}

// inMember puts the name of a message's member in front of an error about one of that member's members.
func inMember(name string, err error) error {
	if err == nil {
		return nil
	}
	return errors.New(name + "." + err.Error())
}
