package rows

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ibperf/ibperf/internal/confidence"
	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// The notes that explain the ratios in tables.
const (
	noteInterval = `Ratio: the quotient of the two values, with its 95 % interval. "faster": up to the change point, which all ratios of the column ` +
		`give together. Beyond it: "slower" if the interval is on that side of 1 and the ratio at least 3 % from 1, "same" if the interval ` +
		`lies within 5 % of 1, else "unclear".`
	noteControl = `Control: poll to a copy of itself on other QPs. If its interval does not hold 1 it has "failed", and the other intervals of the ` +
		`line are widened by the factor between it and 1.`
	noteIsland    = `"unclear*": faster by its own interval, but beyond the change point. Of many intervals some are wrong by chance.`
	noteDisturbed = `Ratios are "unclear" where a warning of one of the two rows makes them doubtful.`
	noteMissing   = "Where a row lacks rounds, ratios count only the rounds that both rows have, and are not the quotients of values."
	noteFew       = "Ratios without an interval have too few rounds for one."
	noteOneRound  = "No ratio: one round gives no interval."
	noteApart     = "Ratios with an x are plain quotients of separate runs, which were not interleaved."
)

// A RatioCell is the ratio of one row to another as tables print it, and the notes that explain it.
type RatioCell struct {
	Number string // "0.57 [0.55-0.59]"
	Words  string // "faster"; may be empty
	Quiet  bool   // it shows no certain difference
	Notes  []string
}

// Text returns number and words.
func (c RatioCell) Text() string { return strings.TrimSpace(c.Number + " " + c.Words) }

// Ratios holds the ratios with an interval by a column, of each row to the row that tables compare it with.
type Ratios map[*result.Row]Ratio

// Cell returns the cell of a table that compares a row with another by the column of the ratios.
func (all Ratios) Cell(c *result.Column, e, base Entry) RatioCell {
	if e.whyNoRatio() != "" || base.whyNoRatio() != "" {
		return RatioCell{Number: result.Unmeasured} // a note says why
	}
	if e.Run != base.Run {
		return RatioCell{Number: units.RatioText(e.Value(c), base.Value(c)), Notes: []string{noteApart}}
	}
	r, compared := all[e.Row]
	if !compared {
		some := EstimateOf(c, e, base)
		if some.N < 2 {
			return RatioCell{Number: result.Unmeasured, Notes: []string{noteOneRound}}
		}
		return RatioCell{Number: ratioNumber(some.Value, ratioDecimals(some.Value)), Notes: []string{noteFew}}
	}
	cell := RatioCell{RatioText(r.Estimate), r.words(), r.Relation == Unclear || r.Relation == Same, []string{noteInterval}}
	switch {
	case e.Variant == option.VariantControl:
		cell.Words, cell.Quiet, cell.Notes = controlWords(r.Estimate), false, []string{noteControl}
	case r.Disturbed:
		cell.Notes = append(cell.Notes, noteDisturbed)
	case r.Island:
		cell.Notes = append(cell.Notes, noteIsland)
	}
	if e.estimate(c).N != r.N || base.estimate(c).N != r.N {
		cell.Notes = append(cell.Notes, noteMissing)
	}
	return cell
}

// EstimateOf estimates the ratio of a row to another of the same file from the rounds that both have.
// If the control failed at their size, the interval is wider; that of the control itself is not. It
// returns the zero Estimate if the rows are not compared, and if they are of different files.
func EstimateOf(c *result.Column, e, base Entry) confidence.Estimate {
	if e.whyNoRatio() != "" || base.whyNoRatio() != "" || e.Run != base.Run {
		return confidence.Estimate{}
	}
	r := confidence.OfRatio(pairs(c, e.Row, base.Row))
	if e.Variant == option.VariantControl {
		return r
	}
	return r.WidenedBy(controlAt(c, e))
}

// A Ratio is the ratio of a row to the row that tables compare it with.
type Ratio struct {
	confidence.Estimate
	What      string // the number: "Median latency"
	To        string // name of that row
	Relation  Relation
	Disturbed bool // as in [CurvePoint]
	Island    bool
}

// Text returns the ratio as tables print it.
func (r Ratio) Text() string { return RatioText(r.Estimate) + " " + r.words() }

// words returns the relation, with a mark for an island.
func (r Ratio) words() string {
	if r.Island {
		return r.Relation.String() + "*"
	}
	return r.Relation.String()
}

// Ratios returns the ratios of the median latency, of the mean latency if a row has only the mean, or of
// the average bandwidth.
func (g *Group) Ratios() Ratios { return g.RatiosOf(result.ColumnOf(g.ComparedFields()[0])) }

// RatiosOf returns the ratios by a column that rounds have.
func (g *Group) RatiosOf(c *result.Column) Ratios {
	all := Ratios{}
	for _, line := range g.Lines() {
		for _, name := range append(Names(line), ControlName) {
			to := BaseName(line, name)
			if name == to {
				continue
			}
			curve := CurveOf(c, line, name, to)
			if curve == nil {
				continue
			}
			for _, p := range curve.Points {
				all[p.Rows[name].Row] = Ratio{p.Estimate, c.Title, to, p.Relation, p.Disturbed, p.Island}
			}
		}
	}
	return all
}

// pairs returns the figures of the rounds that two rows of a file measured one right after the
// other: the n-th rounds of each run.
func pairs(c *result.Column, a, b *result.Row) (as, bs []float64, runs []int) {
	type key struct{ run, index int }
	bases := map[key]float64{}
	next := map[int]int{}
	for i := range b.Rounds {
		r := &b.Rounds[i]
		bases[key{r.Run, next[r.Run]}] = c.Round(r)
		next[r.Run]++
	}
	clear(next)
	for i := range a.Rounds {
		r := &a.Rounds[i]
		if base, paired := bases[key{r.Run, next[r.Run]}]; paired {
			as, bs, runs = append(as, c.Round(r)), append(bs, base), append(runs, r.Run)
		}
		next[r.Run]++
	}
	return as, bs, runs
}

// RatioText formats a ratio with its interval: "0.57 [0.55-0.59]". If an end would be rounded to 1
// although the interval does not hold 1, the numbers have more digits.
func RatioText(r confidence.Estimate) string {
	decimals := ratioDecimals(r.Value)
	if r.ExcludesOne() {
		decimals = max(awayFromOne(r.Low, decimals), awayFromOne(r.High, decimals))
	}
	return fmt.Sprintf("%s [%s-%s]", ratioNumber(r.Value, decimals), ratioNumber(r.Low, decimals), ratioNumber(r.High, decimals))
}

// awayFromOne returns the number of decimals, up to six, that v needs to be distinguishable from 1.
func awayFromOne(v float64, decimals int) int {
	for decimals < 6 && ratioNumber(v, decimals) == ratioNumber(1, decimals) {
		decimals++
	}
	return decimals
}

// ratioDecimals returns the number of decimals of a ratio, for about three digits.
func ratioDecimals(v float64) int {
	switch {
	case v < 0.1:
		return 3
	case v < 10:
		return 2
	case v < 100:
		return 1
	}
	return 0
}

// FormatRatio formats a ratio with about three digits, with more if it would be rounded to 1
// although it differs from 1.
func FormatRatio(v float64, differs bool) string {
	decimals := ratioDecimals(v)
	if differs {
		decimals = awayFromOne(v, decimals)
	}
	return ratioNumber(v, decimals)
}

func ratioNumber(v float64, decimals int) string {
	return strconv.FormatFloat(units.Finite(v), 'f', decimals, 64)
}
