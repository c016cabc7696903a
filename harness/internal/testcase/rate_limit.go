package testcase

import (
	"cmp"

	"github.com/ibperf/ibperf/harness/internal/stats"
	"github.com/ibperf/ibperf/option"
)

// burstLength returns the number of messages of a burst, a whole number of lists. The default is
// the messages of one window of the rate, up to TxDepth. The interval is that from one message to
// the next, in ns.
func burstLength(p *option.Plan, interval float64) uint64 {
	window := int(min(stats.Window/interval, float64(p.TxDepth)))
	return uint64(roundUp(cmp.Or(p.Burst, max(1, window)), max(1, p.PostList)))
}
