package harness

import (
	"fmt"
	"math"
	"time"

	"github.com/ibperf/ibperf/harness/internal/clock"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/result"
)

// If messages go in both directions at the same time, each side measures one direction. The sum of both
// is divided by the time from the earlier begin to the later end, so the clocks of both sides are
// aligned before each round.

// clockAlignment is the offset between the clocks of both sides.
type clockAlignment struct {
	peerAhead int64         // ns by which the peer's clock is ahead of this side's
	within    time.Duration // largest error
}

// alignments is the number of pairs of readings. The pair with the smallest error counts, so it is
// sufficient that one of them is not delayed.
const alignments = 6

// alignClocks computes the offset of the peer's clock, as NTP does: it assumes the same delay in
// both directions, with an error of up to half of their sum.
func alignClocks(peer oob.Peer, c *clock.Clock) (best clockAlignment, err error) {
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
			best = clockAlignment{peerAhead: (there - back) / 2, within: within}
		}
		got = c.Now()
	}
	return best, nil
}

// joinFigures returns one figure for both directions, or nil if one is missing.
func (c clockAlignment) joinFigures(size int, mine, theirs oob.Round) *result.Round {
	if mine.Figure == nil || theirs.Figure == nil {
		return nil
	}
	begin, end := mine.Begin, mine.End
	if theirs.Figure.Messages > 0 {
		begin, end = min(begin, theirs.Begin-c.peerAhead), max(end, theirs.End-c.peerAhead)
	}
	if mine.Figure.Messages == 0 {
		begin, end = theirs.Begin-c.peerAhead, theirs.End-c.peerAhead
	}
	r := &result.Round{Messages: mine.Figure.Messages + theirs.Figure.Messages, Seconds: float64(max(0, end-begin)) / 1e9}
	if r.Seconds > 0 {
		r.Average = float64(r.Messages) * float64(size) / r.Seconds
	}
	return r
}

// sumDirections sets the sum of both directions in a row, and each direction over the same time.
func (rb *rowBuilder) sumDirections(r *result.Row, theirs oob.Row) {
	mine := r.Bandwidth
	r.Bandwidth = rb.fromRounds().Bandwidth
	if r.Bandwidth == nil {
		return
	}
	r.Bandwidth.AlignedWithin = rb.alignedWithin.Seconds()
	here, there := &r.FromClient, &r.FromServer
	if from := rb.test.PayloadFrom(rb.role); from == Server {
		here, there = there, here
	}
	*here = direction(mine, r.Bandwidth.Seconds)
	*there = direction(theirs.Bandwidth, r.Bandwidth.Seconds)
	sumWindows(r.Bandwidth, *here, *there)
}

// sumWindows sets the sums of both directions' window rates, like perftest's peak: no window of the sum
// is faster than the sum of the peaks, or slower than the sum of the slowest windows. It sets nothing
// if a direction has no windows.
func sumWindows(b *result.Bandwidth, here, there *result.Direction) {
	if here == nil || there == nil || here.WindowS == 0 || there.WindowS == 0 {
		return
	}
	b.Slowest = here.Slowest + there.Slowest
	b.MedianWindow = here.MedianWindow + there.MedianWindow
	b.Peak = here.Peak + there.Peak
}

// direction returns one direction's share of the rate, over the time of both.
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

// Limits as fractions of the time of both directions: the shortest activity of one direction, and the
// largest error of the alignment of clocks. Beyond them the sum has a warning.
const (
	minActive     = 0.9
	maxAlignError = 0.005
)

// directionWarnings returns the warnings about a doubtful sum of both directions.
func directionWarnings(r *result.Row) (w []result.Warning) {
	if r.FromClient == nil || r.FromServer == nil {
		return nil
	}
	whole := r.Bandwidth.Seconds
	if shorter := min(r.FromClient.Active, r.FromServer.Active); shorter < minActive*whole {
		w = append(w, result.Warning{ID: result.WarnOneDirection, Text: fmt.Sprintf(
			"the directions did not overlap completely: one was active for %.3g of %.3g s; use -D for a fixed time", shorter, whole)})
	}
	if within := r.Bandwidth.AlignedWithin * float64(len(r.Rounds)); within > maxAlignError*whole {
		w = append(w, result.Warning{ID: result.WarnClocksApart, Text: fmt.Sprintf(
			"the clocks of both sides are aligned to %.3g ms, and each round took %.3g ms, so the sum may be wrong by that ratio; use a longer run",
			1e3*r.Bandwidth.AlignedWithin, 1e3*whole/float64(len(r.Rounds)))})
	}
	return w
}
