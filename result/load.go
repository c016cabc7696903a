package result

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ibperf/ibperf/option"
)

// Load says at which rate the messages of a latency test were due, and how that rate was kept. The rate of answers is
// [Latency.Rate]. The times of Latency are then response times, which begin when a message is due.
type Load struct {
	Offered float64  `json:"offered_per_s"`     // messages that were due per second, as asked for
	Window  uint64   `json:"window"`            // largest number of messages that were sent and not answered
	Backlog uint64   `json:"backlog"`           // messages by which the sends were behind the schedule at the end of a round, of the round with the most
	Growing bool     `json:"growing,omitempty"` // the backlog grew throughout most rounds of a run: the rate is more than the test can reach
	Service *Latency `json:"service,omitempty"` // times from the post of a message to its answer; nil if the backlog grew
}

// loadColumns returns the columns of [Load].
func loadColumns() []Column {
	all := []Column{
		{Field: "load.offered_per_s", Kind: option.KindLatency, Unit: "1/s", Definition: "messages that were due per second, as asked for, of a latency test with rate_limit; latency.iterations_per_s is the rate of their answers",
			Head: "offered", shown: "1/s", empty: true, print: asPerSecond, Value: inLoad(func(l *Load) float64 { return l.Offered })},
		{Field: "load.window", Kind: option.KindLatency, Unit: "messages", Definition: "largest number of messages that were sent and not answered",
			Head: "window", empty: true, print: asCount, Value: inLoad(func(l *Load) float64 { return float64(l.Window) })},
		{Field: "load.backlog", Kind: option.KindLatency, Unit: "messages", Definition: "messages by which the sends were behind the schedule at the end of a round, of the round with the most",
			Head: "backlog", words: backlogText},
		{Field: "load.growing", Kind: option.KindLatency, Definition: "the messages that were due and not sent became more throughout most rounds of a run: the rate is more than the test can reach, and the row has no percentiles, which would depend on the length of the run"},
	}
	return append(all, serviceColumns()...)
}

// serviceColumns returns the columns of service times: those of latency, of which tables show few.
func serviceColumns() (all []Column) {
	for _, c := range latencyColumns {
		name, in := strings.CutPrefix(c.Field, "latency.")
		if !in {
			continue
		}
		value := c.Value
		c.Field, c.Title, c.Round, c.Spread = "load.service."+name, "", nil, nil
		c.Definition = "as latency." + name + ", of the times from the post of a message to the detection of its answer"
		if c.Head = "service " + c.Head; !slices.Contains([]string{"p50_ns", "p99_ns", "max_ns"}, name) {
			c.Head = ""
		}
		if value != nil {
			c.Value = inLoad(func(l *Load) float64 {
				if l.Service == nil {
					return 0
				}
				return value(&Row{Latency: l.Service})
			})
		}
		all = append(all, c)
	}
	return all
}

func inLoad(value func(*Load) float64) func(*Row) float64 {
	return func(r *Row) float64 {
		if r.Load == nil {
			return 0
		}
		return value(r.Load)
	}
}

func backlogText(r *Row) string {
	switch {
	case r.Load == nil:
		return ""
	case r.Load.Growing:
		return strconv.FormatUint(r.Load.Backlog, 10) + ", growing"
	}
	return strconv.FormatUint(r.Load.Backlog, 10)
}

// RoundRates returns the messages of a latency test that were answered per second, in its median and in its fastest round. What else
// a host does makes rounds slower, so the fastest is the most that the test can reach. Without rounds both are the mean.
func (r *Row) RoundRates() (median, fastest float64) {
	var rates []float64
	for _, round := range r.Rounds {
		if round.Seconds > 0 {
			rates = append(rates, float64(round.Messages)/round.Seconds)
		}
	}
	n := len(rates)
	if n == 0 {
		return r.Latency.Rate, r.Latency.Rate
	}
	slices.Sort(rates)
	return (rates[(n-1)/2] + rates[n/2]) / 2, rates[n-1]
}

// KeepsRate reports whether the answers of a row keep up with the messages that are due, if it has a rate.
func (r *Row) KeepsRate() bool { return r.Load == nil || !r.Load.Growing }
