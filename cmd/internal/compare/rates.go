package compare

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// A Rate is the rate of a part: a share of the maximum rate of a mode, or more than any mode answers.
type Rate struct {
	Of    int     // place of the mode among the modes by their maximum rates, the slowest is 1
	Share float64 // of its maximum rate
	Max   bool    // more than any mode answers: the part measures the maximum rate of each mode, on which the other rates depend
}

// String names a rate, such as "90 % of the maximum rate of the slowest mode".
func (r Rate) String() string {
	if r.Max {
		return "more than any mode answers"
	}
	return fmt.Sprintf("%.0f %% of the maximum rate of the %s mode", 100*r.Share, places[r.Of-1])
}

// places are the places of modes by their maximum rates.
var places = [rankedModes]string{"slowest", "2nd slowest", "3rd slowest", "4th slowest", "5th slowest"}

// MaxRates are the messages that each mode has answered per second when more were due, by the name of its rows.
type MaxRates map[string]float64

// beyond is a rate that no device answers, in messages per second.
const beyond = 1e9

// Shares of the rates of a sweep, in the order of their measurement. Rates that are close to an earlier one are left out.
var (
	sharesOfSlowest = []float64{0.01, 0.1, 0.5, 0.9}
	sharesOfOthers  = []float64{0.5, 0.9}
)

// closeRates is the quotient below which a rate is left out.
const closeRates = 1.1

// rankedModes is the number of modes whose maximum rates have shares in the sweep: data, poll, counter, adaptive and event.
const rankedModes = 5

// RateSweep returns only the parts of sweeps along rates, of WRITE and SEND. Each is measured in all runs.
func RateSweep(base *option.Plan) (all []Part) {
	for _, op := range []option.Op{option.OpWrite, option.OpSend} {
		if carries(base, op) && !base.Transport.Lossy() && !base.Transport.Unordered() {
			all = append(all, atRates(base, op, []int{nearest(base.Sizes, sweepSize)})...)
		}
	}
	for i := range all {
		all[i].Plan.Runs = cmp.Or(base.Runs, option.CompareRuns)
	}
	return all
}

// atRates returns the parts of the sweep of an operation along rates: the maximum rate of each mode, and shares of it.
func atRates(base *option.Plan, op option.Op, size []int) []Part {
	p := planOf(base, op, option.KindLatency)
	p.Sizes, p.RateLimit, p.RateUnits, p.Runs = size, beyond, option.RateMessages, min(p.Runs, fewRuns)
	p.Duration, p.Rounds = cmp.Or(base.Duration, option.RateDuration), cmp.Or(base.Rounds, option.RateRounds)
	all := []Part{{name(&p) + "-rate-max", p.Program() + ", maximum rate", p, result.SweepRate, Rate{Max: true}}}
	for _, r := range rates() {
		all = append(all, Part{fmt.Sprintf("%s-rate-%d-%.0f", name(&p), r.Of, 100*r.Share), p.Program() + " at " + r.String(), p, result.SweepRate, r})
	}
	return all
}

func rates() (all []Rate) {
	for _, share := range sharesOfSlowest {
		all = append(all, Rate{Of: 1, Share: share})
	}
	for of := 2; of <= rankedModes; of++ {
		for _, share := range sharesOfOthers {
			all = append(all, Rate{Of: of, Share: share})
		}
	}
	return all
}

// MaxRatesOf returns the maximum rate of each mode from the result file of the part that measures them.
func MaxRatesOf(f *result.File) MaxRates {
	rates := MaxRates{}
	for i := range f.Rows {
		if r := &f.Rows[i]; r.Latency != nil && r.Load != nil && r.Variant == "" {
			_, rates[r.Name()] = r.RoundRates()
		}
	}
	return rates
}

// PerSecond returns a rate in messages per second, or 0 if fewer modes were measured or the rate is close to one before it in
// the sweep.
func (m MaxRates) PerSecond(r Rate) float64 {
	if r.Max {
		return beyond
	}
	var chosen []float64
	for _, other := range rates() {
		at := m.at(other)
		if slices.ContainsFunc(chosen, func(c float64) bool { return max(at, c) < closeRates*min(at, c) }) {
			at = 0
		}
		if other == r {
			return at
		}
		if at > 0 {
			chosen = append(chosen, at)
		}
	}
	return 0
}

// at returns a rate, or 0 if fewer modes were measured.
func (m MaxRates) at(r Rate) float64 {
	ranked := slices.Sorted(maps.Values(m))
	if r.Of > len(ranked) {
		return 0
	}
	return r.Share * ranked[r.Of-1]
}
