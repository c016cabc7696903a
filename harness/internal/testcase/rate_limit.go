package testcase

import (
	"cmp"

	"github.com/ibperf/ibperf/harness/internal/stats"
	"github.com/ibperf/ibperf/option"
)

// messageRate returns the rate limit in messages per second.
func messageRate(p *option.Plan, size int) float64 {
	switch p.RateUnits {
	case option.RateMessages:
		return p.RateLimit
	case option.RateMiB:
		return p.RateLimit * (1 << 20) / float64(size)
	}
	return p.RateLimit * 1e9 / 8 / float64(size)
}

// burstLength returns the number of messages of a burst, a whole number of lists. The default is
// the messages of one window of the rate, up to TxDepth. The interval is that from one message to
// the next, in ns.
func burstLength(p *option.Plan, interval float64) uint64 {
	window := int(min(stats.Window/interval, float64(p.TxDepth)))
	return uint64(roundUp(cmp.Or(p.Burst, max(1, window)), max(1, p.PostList)))
}
