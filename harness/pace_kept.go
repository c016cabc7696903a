package harness

import (
	"fmt"
	"strconv"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/result"
)

// Whether a rate limit was kept is told by the rate of all rounds of a row together.

const (
	// aboveLimit is what a rate may be above its limit by: a receiver's does not count its first
	// messages' time, and a burst is not shared out over the time that it may take.
	aboveLimit = 1.02
	// belowLimit is the part of its limit that a rate which is kept has at least, unless no
	// more than one burst is missing.
	belowLimit = 0.99
)

// rateWarnings are about a rate limit that was not kept: the rate was above it, as a round has
// one message at least, or below it, as the sender did not reach it.
func rateWarnings(s *scheme, p *option.Plan, r *result.Row) []result.Warning {
	b := r.Bandwidth
	if b == nil || s.apart == 0 {
		return nil
	}
	limit, burst, of := 1e9/s.apart, float64(s.burst), ""
	if s.bothWays() {
		limit, burst, of = 2*limit, 2*burst, " in both directions together"
	}
	sent := sentRate(r)
	switch {
	case b.MsgRate > aboveLimit*limit:
		return []result.Warning{{ID: "above-rate-limit", Text: fmt.Sprintf(
			"%.4g messages/s are more than the %.4g of --rate_limit: a round has a message at least, and a burst is sent at once; use a longer run or smaller messages",
			b.MsgRate, limit)}}
	case sent < belowLimit*limit && (limit-sent)*b.Seconds > burst:
		return []result.Warning{{ID: "below-rate-limit", Text: fmt.Sprintf(
			"--rate_limit was not kept: %s were asked for and %s reached%s; the sender or the path is too slow for it, or other work held the sender up",
			rateText(p, s.size, limit), rateText(p, s.size, sent), of)}}
	}
	return nil
}

// sentRate is how many messages a second were sent. A receiver's rate lacks those that were lost.
func sentRate(r *result.Row) float64 {
	d := r.Delivery
	if d == nil || d.Lost >= d.Sent || r.Bandwidth.MeasuredAt != "receiver" {
		return r.Bandwidth.MsgRate
	}
	return r.Bandwidth.MsgRate * float64(d.Sent) / float64(d.Sent-d.Lost)
}

// rateText is a number of messages a second in the unit of the plan's rate limit.
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
