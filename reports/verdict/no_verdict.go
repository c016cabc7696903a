package verdict

import (
	"fmt"

	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/result"
)

// maxIntervalFactor is the factor between the ends of an interval beyond which the interval says too little, as
// from half to double. On a host with other work now and then, a comparison of one message size reaches 2 in one of
// 25 cases.
const maxIntervalFactor = 4

// NoVerdict reports whether runs that compare modes are too few or too disturbed for a verdict, why, and what
// to do before the next run. Runs in which no mode can be compared with poll, as with READs that complete
// within the post, are neither.
func NoVerdict(runs []*result.File) (reason, remedy string, none bool) {
	c := comparisonsOf(runs)
	if c.all == 0 {
		return "", "", false
	}
	if reason, remedy, starved := starvation(runs); starved {
		return reason, remedy, true
	}
	switch {
	case 2*c.withoutInterval > c.all:
		return lengthText(c.shortest) + " for intervals", "Use --runs 5, and run again.", true
	case 2*c.disturbed > c.all:
		d := c.commonest()
		return fmt.Sprintf("%d of %d comparisons are disturbed: %s", c.disturbed, c.all, d.Words), d.Remedy + ", and run again.", true
	case 2*c.wide > c.all:
		return fmt.Sprintf("rounds differ too much: the ends of %d of %d intervals are more than a factor of %d apart", c.wide, c.all, maxIntervalFactor),
			"Stop other work on the hosts, or use more --runs and a longer --duration, and run again.", true
	}
	return "", "", false
}

// comparisons counts the ratios of modes to poll.
type comparisons struct {
	all, withoutInterval, disturbed int
	wide                            int // with the ends of the interval far apart
	by                              map[rows.Disturbance]int
	shortest                        *result.File // of those without an interval
}

// comparisonsOf counts the ratios of modes to poll that runs have.
func comparisonsOf(runs []*result.File) *comparisons {
	c := &comparisons{by: map[rows.Disturbance]int{}}
	for _, g := range groupsOf(runs) {
		column := result.ColumnOf(g.ComparedFields()[0])
		for _, p := range g.Points() {
			base := p.Row(result.BaseMode)
			for _, mode := range result.ModeOrder {
				e := p.Row(mode)
				if mode != result.BaseMode && e.Row != nil && base.Row != nil && comparesModes(e.File) {
					c.add(column, e, base)
				}
			}
		}
	}
	return c
}

// add counts the ratio of a row to poll's.
func (c *comparisons) add(column *result.Column, e, base rows.Entry) {
	r := rows.EstimateOf(column, e, base)
	if r.N == 0 {
		return // they cannot be compared
	}
	c.all++
	switch {
	case r.Enough && r.High > maxIntervalFactor*r.Low:
		c.wide++
	case !r.Enough:
		c.withoutInterval++
		c.shortest = e.File
	}
	found := rows.Disturbances(e, base)
	for _, d := range found {
		c.by[d]++
	}
	if len(found) > 0 {
		c.disturbed++
	}
}

// commonest returns the disturbance that most ratios have.
func (c *comparisons) commonest() (most rows.Disturbance) {
	for d, n := range c.by {
		if n > c.by[most] || n == c.by[most] && d.ID < most.ID {
			most = d
		}
	}
	return most
}

// lengthText says that a file has too few runs, or too few rounds of its only one.
func lengthText(f *result.File) string {
	if runs := f.Parameters.Runs; runs > 1 {
		return fmt.Sprintf("%d runs are too few", runs)
	}
	return fmt.Sprintf("a run of %d rounds is too few", f.Parameters.Rounds)
}
