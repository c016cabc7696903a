package harness

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/ibperf/ibperf/harness/internal/loop"
	"github.com/ibperf/ibperf/harness/internal/stats"
	"github.com/ibperf/ibperf/harness/internal/testcase"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// loadBuilder collects how the rounds of a row kept the rate of a latency test.
type loadBuilder struct {
	service *stats.Samples
	window  uint64  // of all threads together
	share   float64 // of the rate, which several devices have together
	backlog uint64
	rounds  int
	growing int // rounds in which the backlog grew
}

// add adds a round.
func (b *loadBuilder) add(g *loop.Group) {
	if b.service == nil {
		b.service = stats.NewSamples()
	}
	b.window = g.Test().Window * uint64(len(g.Workers))
	b.share = g.Share()
	load := g.Load()
	b.service.Merge(g.ServiceTimes())
	b.backlog = max(b.backlog, load.Backlog)
	b.rounds++
	if load.Growing {
		b.growing++
	}
}

// load returns the load of the row, or nil if no round was measured.
func (b *loadBuilder) load(c *testcase.Case) *result.Load {
	if b.service == nil {
		return nil
	}
	l := &result.Load{Offered: b.share * 1e9 / c.Interval, Window: b.window, Backlog: b.backlog, Growing: 2*b.growing > b.rounds}
	if !l.Growing {
		l.Service = b.service.Latency(c.Factor)
	}
	return l
}

// setServiceRate sets the rate of service times, which is that of the answers.
func setServiceRate(r *result.Row) {
	if r.Load != nil && r.Load.Service != nil {
		r.Load.Service.Rate = r.Latency.Rate
	}
}

// withoutPercentiles returns the statistics that do not depend on the length of a run whose backlog grows.
func withoutPercentiles(l *result.Latency) *result.Latency {
	return &result.Latency{N: l.N, MeanNs: l.MeanNs, Rate: l.Rate, Factor: l.Factor, MeanOnly: true}
}

// leaveOutPercentiles removes the percentiles of rounds from a row whose backlog grows, and says why it is not compared.
func leaveOutPercentiles(r *result.Row) {
	if r.KeepsRate() {
		return
	}
	r.NoRatio = loadTooHigh
	r.Rounds = slices.Clone(r.Rounds)
	for i := range r.Rounds {
		r.Rounds[i].P50Ns, r.Rounds[i].P90Ns, r.Rounds[i].P99Ns = 0, 0, 0
	}
}

// loadTooHigh is why a row whose backlog grows is not compared with others.
const loadTooHigh = "more messages were due than were answered"

// loadWarnings returns the warning about a rate that is more than the test can reach.
func loadWarnings(p *option.Plan, r *result.Row) []result.Warning {
	if r.KeepsRate() {
		return nil
	}
	return []result.Warning{{ID: result.WarnBacklog, Text: fmt.Sprintf("--rate_limit: %s; %s were answered of %s, and sends were behind by %d at the end of a round",
		loadTooHigh, rateText(p, r.Size, r.Latency.Rate), rateText(p, r.Size, r.Load.Offered), r.Load.Backlog)}}
}

// mergeLoads returns the load of all rows together, or nil if they have none.
func mergeLoads(parts []*result.Load) (*result.Load, error) {
	if len(parts) == 0 {
		return nil, nil
	}
	all, service := *parts[0], []*result.Latency(nil)
	for _, l := range parts {
		all.Backlog = max(all.Backlog, l.Backlog)
		all.Growing = cmp.Or(all.Growing, l.Growing)
		if l.Service != nil {
			service = append(service, l.Service)
		}
	}
	if all.Service = nil; all.Growing || len(service) == 0 {
		return &all, nil
	}
	var err error
	all.Service, err = stats.MergeLatencies(service)
	return &all, err
}
