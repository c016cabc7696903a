package harness

import (
	"fmt"
	"strconv"

	"github.com/ibperf/ibperf/harness/internal/testcase"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// The rate of all rounds of a row together shows whether a rate limit was kept.

const (
	// aboveLimit is the factor by which a rate may exceed its limit: a receiver's rate leaves out
	// the time of the first messages, and a burst is sent at once.
	aboveLimit = 1.02
	// belowLimit is the fraction of the limit that a rate must reach, unless at most one burst is
	// missing.
	belowLimit = 0.99
)

// rateWarnings returns the warnings about a rate limit that was not kept: the rate was above it,
// because a round has at least one message, or below it, because the sender did not reach it.
func rateWarnings(c *testcase.Case, p *option.Plan, r *result.Row) []result.Warning {
	b := r.Bandwidth
	if b == nil || c.Interval == 0 {
		return nil
	}
	limit, burst, suffix := 1e9/c.Interval, float64(c.Burst), ""
	if c.Bidirectional() {
		limit, burst, suffix = 2*limit, 2*burst, " in both directions together"
	}
	sent := sentRate(r)
	switch {
	case b.MsgRate > aboveLimit*limit:
		return []result.Warning{{ID: result.WarnAboveRateLimit, Text: fmt.Sprintf(
			"%.4g messages/s exceed the %.4g messages/s of --rate_limit: a round has at least one message, and a burst is sent at once; use a longer run or smaller messages",
			b.MsgRate, limit)}}
	case sent < belowLimit*limit && (limit-sent)*b.Seconds > burst:
		return []result.Warning{{ID: result.WarnBelowRateLimit, Text: fmt.Sprintf(
			"--rate_limit was not reached: the limit is %s and the rate %s%s; the sender or the path is too slow, or other work delayed the sender",
			rateText(p, c.Size, limit), rateText(p, c.Size, sent), suffix)}}
	}
	return nil
}

// sentRate returns the number of messages sent per second. A receiver's rate does not include lost
// messages.
func sentRate(r *result.Row) float64 {
	d := r.Delivery
	if d == nil || d.Lost >= d.Sent || r.Bandwidth.MeasuredAt != "receiver" {
		return r.Bandwidth.MsgRate
	}
	return r.Bandwidth.MsgRate * float64(d.Sent) / float64(d.Sent-d.Lost)
}

// rateText returns a number of messages per second in the unit of the plan's rate limit.
func rateText(p *option.Plan, size int, perSecond float64) string {
	v, unit := perSecond*float64(size)*8/1e9, " Gb/s"
	switch p.RateUnits {
	case option.RateMessages:
		v, unit = perSecond, " messages/s"
	case option.RateMiB:
		v, unit = perSecond*float64(size)/(1<<20), " MiB/s"
	}
	if v >= 1000 {
		return strconv.FormatFloat(v, 'f', 0, 64) + unit
	}
	return strconv.FormatFloat(v, 'g', 4, 64) + unit
}
