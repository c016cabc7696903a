package harness

import (
	"fmt"
	"math"
	"time"

	"github.com/ibperf/ibperf/internal/clock"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/reports/result"
)

// Where messages go in both directions at once each side measures one of them. What both
// have moved is divided by one time: from the first of their starts to the last of their
// ends. So the clocks of both sides are aligned before each round.

// bothWays tells whether the scheme's messages stream in both directions at once.
func (s *scheme) bothWays() bool { return !s.exchange && s.out == bothSides }

// clocks is how the clocks of both sides stand to each other.
type clocks struct {
	ahead  int64         // ns that the peer's is ahead of this side's
	within time.Duration // how wrong that may be
}

// alignments is how many pairs of readings the best is taken of: one of a few is not held
// up on its way.
const alignments = 6

// alignClocks finds how far the peer's clock is ahead, as NTP does: a message takes as long
// one way as the other, but for an error of half of what both take.
func alignClocks(peer oob.Peer, c *clock.Clock) (best clocks, err error) {
	best.within = math.MaxInt64
	var mine, theirs oob.Reading
	got := int64(0)
	for i := range alignments + 1 {
		before, from := mine, theirs
		mine = oob.Reading{Sent: c.Now(), Got: got}
		if theirs, err = peer.Align(mine); err != nil {
			return best, err
		}
		there, back := theirs.Got-before.Sent, mine.Got-from.Sent
		if within := time.Duration((there + back) / 2); i > 0 && within >= 0 && within < best.within {
			best = clocks{ahead: (there - back) / 2, within: within}
		}
		got = c.Now()
	}
	return best, nil
}

// join makes one figure of those of both directions; nil if one is missing.
func (c clocks) join(size int, mine, theirs oob.Round) *result.Round {
	if mine.Figure == nil || theirs.Figure == nil {
		return nil
	}
	begin, end := mine.Begin, mine.End
	if theirs.Figure.Messages > 0 {
		begin, end = min(begin, theirs.Begin-c.ahead), max(end, theirs.End-c.ahead)
	}
	if mine.Figure.Messages == 0 {
		begin, end = theirs.Begin-c.ahead, theirs.End-c.ahead
	}
	r := &result.Round{Messages: mine.Figure.Messages + theirs.Figure.Messages, Seconds: float64(max(0, end-begin)) / 1e9}
	if r.Seconds > 0 {
		r.Average = float64(r.Messages) * float64(size) / r.Seconds
	}
	return r
}

// sum gives a row the sum of both directions, and each of them over the same time.
func (t *tally) sum(r *result.Row, theirs oob.Row) {
	mine := r.Bandwidth
	r.Bandwidth = t.known().Bandwidth
	if r.Bandwidth == nil {
		return
	}
	r.Bandwidth.AlignedWithin = t.within.Seconds()
	here, there := &r.FromClient, &r.FromServer
	if from := t.scheme.source(t.role); from == Server {
		here, there = there, here
	}
	*here = direction(mine, r.Bandwidth.Seconds)
	*there = direction(theirs.Bandwidth, r.Bandwidth.Seconds)
	windowsOfBoth(r.Bandwidth, *here, *there)
}

// windowsOfBoth gives the sum of both directions the sums of their windows, as perftest's peak
// is: no window of the sum is above that of the peaks, or below that of the slowest. There are
// none if a direction has none.
func windowsOfBoth(b *result.Bandwidth, here, there *result.Direction) {
	if here == nil || there == nil || here.WindowS == 0 || there.WindowS == 0 {
		return
	}
	b.Slowest = here.Slowest + there.Slowest
	b.MedianWindow = here.MedianWindow + there.MedianWindow
	b.Peak = here.Peak + there.Peak
}

// source is the side that the payload comes from which a side measures.
func (s *scheme) source(measuring Role) Role {
	if s.fetch || s.seen {
		return measuring.other()
	}
	return measuring
}

// direction is one direction's part of the rate over the time of both.
func direction(b *result.Bandwidth, seconds float64) *result.Direction {
	if b == nil {
		return nil
	}
	d := &result.Direction{Messages: b.Messages, Bytes: b.Bytes, Active: b.Seconds,
		Slowest: b.Slowest, MedianWindow: b.MedianWindow, Peak: b.Peak, WindowS: b.WindowS}
	if seconds > 0 {
		d.MsgRate, d.Average = float64(b.Messages)/seconds, float64(b.Bytes)/seconds
	}
	return d
}

// Parts of the time of both directions: what one of them must have been active for, and how
// wrong the alignment of the clocks may be.
const (
	mostlyActive   = 0.9
	looselyAligned = 0.005
)

// directionWarnings are about what makes the sum of two directions doubtful.
func directionWarnings(r *result.Row) (w []result.Warning) {
	if r.FromClient == nil || r.FromServer == nil {
		return nil
	}
	whole := r.Bandwidth.Seconds
	if least := min(r.FromClient.Active, r.FromServer.Active); least < mostlyActive*whole {
		w = append(w, result.Warning{ID: "one-direction", Text: fmt.Sprintf(
			"the directions did not run together all the time: one was active for %.3g of %.3g s; use -D for a fixed time", least, whole)})
	}
	if within := r.Bandwidth.AlignedWithin * float64(len(r.Rounds)); within > looselyAligned*whole {
		w = append(w, result.Warning{ID: "clocks-apart", Text: fmt.Sprintf(
			"the clocks of both sides are aligned to %.3g ms only, and each round lasted %.3g ms: the sum may be wrong by that; use a longer run",
			1e3*r.Bandwidth.AlignedWithin, 1e3*whole/float64(len(r.Rounds)))})
	}
	return w
}
