package verdict

import (
	"fmt"
	"math"
	"slices"

	"github.com/ibperf/ibperf/reports/phrase"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/result"
)

// steadyText says how steady runs that compare modes were. It returns "" if no thread spun in several rounds.
func steadyText(runs []*result.File) string {
	s := steadinessOf(runs)
	if s == nil {
		return ""
	}
	return fmt.Sprintf("spinning threads had %s %% of their CPUs' time, 8 of 10 rounds of a row lie within ±%s %%",
		phrase.PercentNumber(s.CPUShare), phrase.PercentNumber(s.Spread))
}

// Steadiness says how steady runs were.
type Steadiness struct {
	CPUShare float64 `json:"cpu_share" about:"the least part of their CPUs' time that spinning threads had"`
	Spread   float64 `json:"spread" about:"the median, over the rows of data and poll, of the distance within which 8 of 10 rounds lie around their middle, as a fraction"`
}

// steadinessOf returns how steady runs that compare modes were: how much of their CPUs' time the spinning threads
// had, and how much the rounds of rows differ. It returns nil if no thread spun in several rounds.
func steadinessOf(runs []*result.File) *Steadiness {
	busy := math.Inf(1)
	for _, s := range spinnersOf(runs) {
		if s.of > 0 {
			busy = min(busy, s.busy())
		}
	}
	var spreads []float64
	for _, g := range groupsOf(runs) {
		column := result.ColumnOf(g.ComparedFields()[0])
		for _, e := range g.Entries() {
			if !comparesModes(e.File) || sleeps(e.Mode) {
				continue
			}
			if spread, some := roundSpread(column, e); some {
				spreads = append(spreads, spread)
			}
		}
	}
	if len(spreads) == 0 || math.IsInf(busy, 1) {
		return nil
	}
	slices.Sort(spreads)
	return &Steadiness{CPUShare: busy, Spread: spreads[len(spreads)/2]}
}

// roundSpread returns the distance of the 10th and the 90th percentile of a row's rounds from their middle, if the
// row has several rounds.
func roundSpread(c *result.Column, e rows.Entry) (spread float64, some bool) {
	var figures []float64
	for i := range e.Rounds {
		if v := c.Round(&e.Rounds[i]); v > 0 {
			figures = append(figures, v)
		}
	}
	n := len(figures)
	if n < 2 {
		return 0, false
	}
	slices.Sort(figures)
	return math.Sqrt(figures[n-1-n/10]/figures[n/10]) - 1, true
}
