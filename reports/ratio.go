package reports

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ibperf/ibperf/internal/ratio"
	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/reports/result"
)

// What is said below tables about the ratios in them.
const (
	noteInterval = `Ratio: the median of the rounds' ratios, and its 95 % interval. Where that holds 1, or the median is within 3 % of 1: ` +
		`"no difference" if the interval lies within 5 % of 1, else "not resolved".`
	noteDisturbed = `"disturbed": a warning of one of the two rows makes their ratio doubtful.`
	noteFew       = "Ratios without an interval are of too few rounds for one."
	noteOneRound  = "No ratio: one round: no interval."
	noteApart     = "Ratios with an x are plain quotients of separate runs, which were not interleaved."
)

// A ratioCell is the ratio of one row to another as tables print it, and what is to be
// said of it below them, if anything.
type ratioCell struct {
	text  string
	notes []string
}

// ratioOf compares a row with another by a column that rounds have.
func ratioOf(c *result.Column, e, base Entry) ratioCell {
	if e.WhyNoRatio() != "" || base.WhyNoRatio() != "" {
		return ratioCell{text: result.Unmeasured} // noRatioLines tells why
	}
	if e.Run != base.Run {
		return ratioCell{units.RatioText(e.MedianRound(c), base.MedianRound(c)), []string{noteApart}}
	}
	r := roundRatio(c, e, base)
	switch {
	case r.N < 2:
		return ratioCell{result.Unmeasured, []string{noteOneRound}}
	case !r.Enough:
		return ratioCell{ratioNumber(r.Median, ratioDecimals(r.Median)), []string{noteFew}}
	}
	cell := ratioCell{ratioText(r, relationOf(c, e, base)), []string{noteInterval}}
	if disturbed(e, base) {
		cell.notes = append(cell.notes, noteDisturbed)
	}
	return cell
}

// roundRatio is the ratio of a row to another by the rounds of one run. It is of no rounds
// where nothing may be concluded and where the rows are of separate runs.
func roundRatio(c *result.Column, e, base Entry) ratio.Ratio {
	if e.WhyNoRatio() != "" || base.WhyNoRatio() != "" || e.Run != base.Run {
		return ratio.Ratio{}
	}
	return ratio.Of(pairs(c, e.Row, base.Row))
}

// A RowRatio is the ratio of a row to the row that tables compare it with.
type RowRatio struct {
	ratio.Ratio
	What     string // what it is of: "Median latency"
	To       string // the name of that row
	Relation Relation
}

// Text prints it as tables do.
func (r RowRatio) Text() string { return ratioText(r.Ratio, r.Relation) }

// Ratios returns the ratios with an interval that tables of the group print, by their rows:
// of the median latency, of the mean where all runs have no more in common, or of the
// average bandwidth.
func (g *Group) Ratios() map[*result.Row]RowRatio {
	all := map[*result.Row]RowRatio{}
	c := result.ColumnOf(compared(g)[0])
	for _, l := range lineUp(g) {
		for name, e := range l.rows {
			to := e.Base()
			base, measured := l.rows[to]
			if name == to || !measured {
				continue
			}
			if r := roundRatio(c, e, base); r.Enough {
				all[e.Row] = RowRatio{r, c.Title, to, relationOf(c, e, base)}
			}
		}
	}
	return all
}

// pairs returns the figures of the rounds that two rows of a file made one right after
// the other: those of one run and place in it.
func pairs(c *result.Column, a, b *result.Row) (as, bs []float64, runs []int) {
	type key struct{ run, place int }
	of := map[key]float64{}
	places := map[int]int{}
	for i := range b.Rounds {
		r := &b.Rounds[i]
		of[key{r.Run, places[r.Run]}] = c.Round(r)
		places[r.Run]++
	}
	clear(places)
	for i := range a.Rounds {
		r := &a.Rounds[i]
		if base, paired := of[key{r.Run, places[r.Run]}]; paired {
			as, bs, runs = append(as, c.Round(r)), append(bs, base), append(runs, r.Run)
		}
		places[r.Run]++
	}
	return as, bs, runs
}

// ratioText prints a ratio with its interval, and words that its relation has: "0.57 [0.55-0.59]".
// Where its ends would be rounded to 1 although it does not hold 1, they have more digits.
func ratioText(r ratio.Ratio, of Relation) string {
	decimals := ratioDecimals(r.Median)
	if r.Different() {
		decimals = max(awayFromOne(r.Low, decimals), awayFromOne(r.High, decimals))
	}
	text := fmt.Sprintf("%s [%s-%s]", ratioNumber(r.Median, decimals), ratioNumber(r.Low, decimals), ratioNumber(r.High, decimals))
	if words := of.words(); words != "" {
		text += " " + words
	}
	return text
}

// awayFromOne adds as many decimals as tell a number that is not 1 from 1, up to six.
func awayFromOne(v float64, decimals int) int {
	for decimals < 6 && ratioNumber(v, decimals) == ratioNumber(1, decimals) {
		decimals++
	}
	return decimals
}

// ratioDecimals gives ratios about three digits, near 1 two behind the point.
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

func ratioNumber(v float64, decimals int) string {
	return strconv.FormatFloat(units.Finite(v), 'f', decimals, 64)
}

// noRatioLines says of which rows nothing is concluded, and why.
func noRatioLines(lineups []*lineup, names []string) []string {
	var reasons []string
	var rows []Entry
	of := map[string][]string{}
	for _, name := range names {
		for _, l := range lineups {
			e := l.rows[name]
			rows = append(rows, e)
			if e.Row != nil && e.NoRatio != "" {
				reasons = addNew(reasons, e.NoRatio)
				of[e.NoRatio] = addNew(of[e.NoRatio], name)
			}
		}
	}
	for i, why := range reasons {
		reasons[i] = "No ratio of " + strings.Join(of[why], ", ") + ": " + Clean(why) + "."
	}
	if slept := HardlySleptText(rows); slept != "" {
		reasons = append(reasons, "No ratio of event where it hardly slept: "+slept+".")
	}
	return reasons
}

// addNew adds a word that is not there yet.
func addNew(words []string, word string) []string {
	if slices.Contains(words, word) {
		return words
	}
	return append(words, word)
}
