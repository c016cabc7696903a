package diff

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/reports/table"
	"github.com/ibperf/ibperf/result"
)

// textWidth is the number of columns of the tables.
const textWidth = 100

// notes explain the tables.
const (
	notesInTurn = ` A, B: the builds' quartiles: of the runs of each, which were made in turn, a quarter was faster. B/A: their quotient. A run's value
 is that of its best round, because the host makes runs slower and never faster. A build that is slower in some of its
 runs only is not found. All intervals together hold the true quotients in 95 % of all cases (precedence test). "all":
 the geometric mean of all rows. "faster" and "slower": the interval is on that side of 1 and the quotient at least 3 % from
 1. "same": it lies within 5 % of 1. Else "unclear". "disturbed": other work took CPUs from one of the two rows, which widens
 the interval. could find: the smallest slowdown that would have been "slower".
`
	notes = ` B/A: the quotient of the two values. All intervals together hold the true quotients in 95 % of all cases; they count what
 varied within each measurement, and not what changed between them, such as the state of the host. "faster" and "slower":
 the interval is on that side of 1 and the quotient at least 3 % from 1. "same": it lies within 5 % of 1. Else "unclear".
 "disturbed": a warning of one of the two rows makes its number doubtful. could find: the smallest slowdown that
 would have been "slower".
`
)

// explained returns the notes of the tables.
func (d *Diff) explained() string {
	if d.InTurn {
		return notesInTurn
	}
	return notes
}

// Write prints the tables of a diff, what only one set has, and the answer in the last lines.
func (d *Diff) Write(w io.Writer, a, b Set) error {
	var text strings.Builder
	for i, set := range []Set{a, b} {
		fmt.Fprintf(&text, " %s: %s\n", letters[i], set.Name)
		for _, f := range set.Files {
			fmt.Fprintf(&text, "    %s\n", rows.RunLine(f))
		}
	}
	for _, t := range d.tables() {
		text.WriteString("\n" + t.Text(textWidth))
	}
	text.WriteString("\n" + d.explained() + "\n")
	for _, line := range d.answer() {
		text.WriteString(" " + line + "\n")
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// letters are the names of the two sets in tables.
var letters = [2]string{"A", "B"}

// tables returns a table for each test.
func (d *Diff) tables() (all []*table.Table) {
	for _, pairs := range d.tests() {
		all = append(all, tableOf(pairs))
	}
	return all
}

// tableOf returns the table of a test's pairs.
func tableOf(pairs []*Pair) *table.Table {
	first := pairs[0]
	c := first.Column
	t := &table.Table{
		Title: fmt.Sprintf("%s: %s", rows.TestTitle(first.File.Op, first.File.Kind), strings.ToLower(c.Title[:1])+c.Title[1:]),
		Keys:  2,
		Columns: []table.Column{
			{Name: "#bytes"}, {Name: "mode", Left: true}, {Name: "A", Unit: c.Shown()}, {Name: "B", Unit: c.Shown()},
			{Name: "B/A", Left: true}, {Name: "B is", Left: true, With: true}, {Name: "could find", Unit: "%"},
		},
	}
	for _, p := range pairs {
		words := p.Relation.String()
		if p.Disturbed {
			words += ", disturbed"
		}
		if p.Keeps != "" {
			words += ": only " + p.Keeps + " keeps the rate"
		}
		size, mode, valueA, valueB := "all", "all", result.Unmeasured, result.Unmeasured
		if !p.All {
			size, mode = fmt.Sprint(p.A.Size), p.A.Name()
		}
		if p.Column == c { // else of another unit
			valueA, valueB = shown(c, p.ValueA), shown(c, p.ValueB)
		}
		t.Add(size, mode, valueA, valueB, p.ratioText(), words, p.detectableText())
	}
	return t
}

// shown formats a value, which is 0 if it was not measured.
func shown(c *result.Column, v float64) string {
	if v == 0 {
		return result.Unmeasured
	}
	return c.Format(v)
}

func (p *Pair) ratioText() string {
	switch {
	case p.Ratio.N == 0:
		return result.Unmeasured
	case !p.Ratio.Enough || p.Ratio.High > widest*p.Ratio.Low:
		return rows.FormatRatio(p.Ratio.Value, false)
	}
	return rows.RatioText(p.Ratio)
}

func (p *Pair) detectableText() string {
	if d := p.Detectable(); !math.IsInf(d, 1) {
		return percent(d)
	}
	return result.Unmeasured
}

// widest is the quotient of the ends of an interval from which it is not printed: it says nothing.
const widest = 1000

func percent(fraction float64) string {
	if fraction >= 1 {
		return ">100"
	}
	return fmt.Sprintf("%.1f", 100*fraction)
}

// answer returns the last lines: how many rows are what, the regressions, and what could have been found.
func (d *Diff) answer() (lines []string) {
	count := map[rows.Relation]int{}
	for _, p := range d.Pairs {
		count[p.Relation]++
	}
	lines = append(lines, fmt.Sprintf("%d rows: in B %d are slower, %d faster, %d the same, %d unclear.",
		len(d.Pairs), count[rows.Slower], count[rows.Faster], count[rows.Same], count[rows.Unclear]))
	if len(d.OnlyA) > 0 {
		lines = append(lines, "Only in A, and not compared: "+strings.Join(d.OnlyA, "; ")+".")
	}
	if len(d.OnlyB) > 0 {
		lines = append(lines, "Only in B, and not compared: "+strings.Join(d.OnlyB, "; ")+".")
	}
	lines = append(lines, d.couldFind())
	regressions := d.Regressions()
	switch {
	case len(regressions) == 0 && d.InTurn:
		return append(lines, "No row is certainly slower.")
	case len(regressions) == 0:
		return append(lines, fmt.Sprintf("No row is a regression: certainly slower, and its value by %s %% or more.", percent(max(d.Threshold, smallest))))
	}
	for _, p := range regressions {
		lines = append(lines, d.regressionLine(p))
	}
	return lines
}

// regressionLine returns the line about a regression.
func (d *Diff) regressionLine(p *Pair) string {
	if p.Keeps != "" {
		return fmt.Sprintf("REGRESSION: %s: B does not keep the rate, and A does.", p.Name())
	}
	line := fmt.Sprintf("REGRESSION: %s: B is %s %% slower. ", p.Name(), percent(p.Slowdown()))
	if !p.All {
		line += fmt.Sprintf("%s [%s]: %s instead of %s, ", p.Column.Title, p.Column.Shown(), p.Column.Format(p.ValueB), p.Column.Format(p.ValueA))
	}
	line += "B/A " + p.ratioText()
	if !d.InTurn {
		line += fmt.Sprintf("; the threshold is %s %%", percent(d.Threshold))
	}
	return line + "."
}

// remedy says how to get intervals.
func (d *Diff) remedy() string {
	if d.InTurn {
		return "Give more --runs: the default is enough."
	}
	return "Measure with --compare, or with --rounds 5 or more, on idle hosts."
}

// couldFind returns the line about the smallest slowdowns that could have been found.
func (d *Diff) couldFind() string {
	var best, worst *Pair
	none := 0
	for _, p := range d.Pairs {
		switch {
		case math.IsInf(p.Detectable(), 1):
			none++
			continue
		case best == nil || p.Detectable() < best.Detectable():
			best = p
		}
		if worst == nil || p.Detectable() > worst.Detectable() {
			worst = p
		}
	}
	if best == nil {
		return "No slowdown could have been found: the rows have too few rounds for an interval, or are disturbed. " + d.remedy()
	}
	line := fmt.Sprintf("The smallest slowdown that could have been found: %s %% (%s)", percent(best.Detectable()), best.Name())
	if worst != best {
		line += fmt.Sprintf(" to %s %% (%s)", percent(worst.Detectable()), worst.Name())
	}
	if none > 0 {
		line += fmt.Sprintf("; none in %d rows, which have too few rounds or are disturbed", none)
	}
	return line + "."
}
