package oob

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/ibperf/ibperf/internal/units"
)

// Limits are what bounds the figures of a side: nothing that a side has measured is longer than
// the run, or more than it can have done in that time.
type Limits struct {
	Time    time.Duration // since the run began
	Threads int           // that measure on a side
	Kind    string        // of the test, [result.KindLatency] or [result.KindBandwidth]
	Size    int           // of a message, in bytes
}

// Suspended is what the figures of a side may be longer than the run is by the clock of the
// other: a side may have been suspended, and one of the clocks have gone on meanwhile.
const Suspended = 24 * time.Hour

// Rates that no side comes near to. A clock with coarse steps may see many messages at once.
const (
	mostPerSecond  = 1e11              // messages
	mostAtOnce     = 1e-3              // s that the messages of no time may have taken
	eventsPerNs    = 1                 // sleeps and context switches of a thread
	mostCPU        = 1 << 20           // number of a CPU
	mostText       = 1000              // bytes of a text
	mostClock      = math.MaxInt64 / 4 // ns that a clock may read
	rounding       = 1e-6              // part of a figure by which it may differ from what it is made of
	shortestSecond = 1e-9              // the clocks count nanoseconds
)

// ns is the longest that a side can have measured for, in nanoseconds.
func (l Limits) ns() float64 { return float64(l.Time) + float64(Suspended) }

// threads is how many of a side's threads can have measured.
func (l Limits) threads() float64 { return float64(max(1, l.Threads)) }

// messages is how many can have been moved in some seconds.
func (l Limits) messages(seconds float64) float64 { return (seconds + mostAtOnce) * mostPerSecond }

// allowed describes the longest time.
func (l Limits) allowed() string {
	return fmt.Sprintf("the time of the run, %v, and %v for clocks that go on while a side is suspended", l.Time.Round(time.Millisecond), Suspended)
}

// check is one figure and what is allowed of it.
type check struct {
	name        string
	value       float64
	least, most float64
	why         string // of the bounds; empty: they say it
}

func (c check) err() error {
	if c.value >= c.least && c.value <= c.most {
		return nil
	}
	why := c.why
	if why != "" {
		why = ": " + why
	}
	return fmt.Errorf("%s is %v, allowed is %v to %v%s", c.name, c.value, c.least, c.most, why)
}

// checkAll returns what is wrong with the first figure that is.
func checkAll(checks ...check) error {
	for _, c := range checks {
		if err := c.err(); err != nil {
			return err
		}
	}
	return nil
}

// span is a time in nanoseconds that some threads have spent together.
func (l Limits) span(name string, ns, threads float64) check {
	return check{name, ns, 0, l.ns() * threads, l.allowed()}
}

// seconds is a time that messages took; 0 is none.
func (l Limits) seconds(name string, s float64) check {
	least := 0.0
	if s > 0 {
		least = shortestSecond
	}
	return check{name, s, least, l.ns() / 1e9, l.allowed()}
}

// count is a number of messages in a time.
func (l Limits) count(name string, n uint64, seconds float64) check {
	return check{name, float64(n), 0, l.messages(seconds), fmt.Sprintf("%g a second", mostPerSecond)}
}

// moved is a number of messages whose time is not told.
func (l Limits) moved(name string, n uint64) check { return l.count(name, n, l.ns()/1e9) }

// rate is messages or bytes per second.
func rate(name string, v float64) check {
	return check{name, v, 0, units.Measurable, "what can be measured"}
}

// same is a figure that follows from others.
func same(name string, v, want float64) check {
	return check{name, v, want * (1 - rounding), want * (1 + rounding), "what the other figures make"}
}

// text is a text of a peer, or a word of some.
func checkText(name, s string, words ...string) error {
	if len(s) > mostText {
		return fmt.Errorf("%s has %d bytes, allowed are %d", name, len(s), mostText)
	}
	for _, w := range words {
		if s == w {
			return nil
		}
	}
	if len(words) > 0 {
		return fmt.Errorf("%s is %q, allowed is one of %q", name, s, words)
	}
	return nil
}

// within puts the name of what figures are of in front of an error about them.
func within(name string, err error) error {
	if err == nil {
		return nil
	}
	return errors.New(name + "." + err.Error())
}
