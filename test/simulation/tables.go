package main

import "fmt"

// plans are ways to spend the same measuring time.
var plans = []plan{
	{1, 30, 0.2, 0.15}, {3, 10, 0.2, 0.15}, {5, 6, 0.2, 0.15}, {10, 1, 0.2, 0.15}, {10, 2, 0.2, 0.15}, {10, 3, 0.2, 0.15}, {10, 5, 0.2, 0.15},
	{20, 3, 0.2, 0.15}, {5, 6, 0.2, 6}, {10, 3, 0.2, 3}, {10, 3, 0.2, 12}, {20, 3, 0.2, 6},
}

const coverageHeading = `| machine | data / poll | adaptive / poll | event / poll | control / poll | equal modes reported as different |
| --- | --- | --- | --- | --- | --- |`

// coverageLine says how often the intervals of a machine hold the true ratio.
func coverageLine(name string, o outcome) string {
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %s |", name,
		percent(o.covers[data]), percent(o.covers[adaptive]), percent(o.covers[event]), percent(o.covers[control]), percent(o.different))
}

const planHeading = `| runs x rounds | time | switching | stable | drifting | bursty |
| --- | --- | --- | --- | --- | --- |`

// planLine returns coverage and half-width of data's intervals on each machine.
func planLine(p plan) string {
	line := fmt.Sprintf("| %d x %d | %.0f s |", p.runs, p.rounds, p.seconds())
	for _, m := range machines {
		o := p.simulate(m, comparisons)
		line += fmt.Sprintf(" %s, ±%s |", percent(o.covers[data]), percent(o.halfWidth))
	}
	return line
}

const adviceHeading = `| machine | recommends data, which is faster | recommends one of two equal modes |
| --- | --- | --- |`

// adviceLine says how often verdicts on a machine are right and wrong.
func adviceLine(m machine) string {
	a := series.advise(m, verdicts)
	return fmt.Sprintf("| %s | %s | %s |", m.name, percent(a.right), percent(a.wrong))
}

// percent formats a fraction.
func percent(v float64) string { return fmt.Sprintf("%.1f %%", 100*v) }
