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

// notes explains the tables.
const notes = ` B/A: the quotient of the two values. All intervals together hold the true quotients in 95 % of all cases; they count what
 varied within each measurement, and not what changed between them, such as the state of the host. "faster" and "slower":
 the interval is on that side of 1 and the quotient at least 3 % from 1. "same": it lies within 5 % of 1. Else "unclear".
 "disturbed": a warning of one of the two rows makes its number doubtful. could find: the smallest slowdown that the interval
 could have shown.
`

// Write prints the tables of a diff, what only one set has, and the answer in the last lines.
func (d *Diff) Write(w io.Writer, a, b Set) error {
	var text strings.Builder
	for _, set := range []struct {
		letter string
		Set
	}{{"A", a}, {"B", b}} {
		fmt.Fprintf(&text, " %s: %s\n", set.letter, set.Name)
		for _, f := range set.Files {
			fmt.Fprintf(&text, "    %s\n", rows.RunLine(f))
		}
	}
	for from := 0; from < len(d.Pairs); {
		to := from
		for to < len(d.Pairs) && d.Pairs[to].File == d.Pairs[from].File {
			to++
		}
		text.WriteString("\n" + tableOf(d.Pairs[from:to]).Text(textWidth))
		from = to
	}
	text.WriteString("\n" + notes + "\n")
	for _, line := range d.answer() {
		text.WriteString(" " + line + "\n")
	}
	_, err := io.WriteString(w, text.String())
	return err
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
		t.Add(fmt.Sprint(p.A.Size), p.A.Name(), p.A.ValueText(c), p.B.ValueText(c), p.ratioText(), words, p.detectableText())
	}
	return t
}

func (p *Pair) ratioText() string {
	switch {
	case p.Ratio.N == 0:
		return result.Unmeasured
	case !p.Ratio.Enough:
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
	if len(regressions) == 0 {
		return append(lines, fmt.Sprintf("No row is certainly slower by %s %% or more.", percent(d.Threshold)))
	}
	for _, p := range regressions {
		lines = append(lines, fmt.Sprintf("REGRESSION: %s: B is %s %% slower. %s [%s]: %s instead of %s, B/A %s; the threshold is %s %%.",
			p.Name(), percent(p.Slowdown()), p.Column.Title, p.Column.Shown(), p.B.ValueText(p.Column), p.A.ValueText(p.Column),
			p.ratioText(), percent(d.Threshold)))
	}
	return lines
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
		return "No slowdown could have been found: the rows have too few rounds for an interval. Measure with --compare, or with --rounds 5 or more."
	}
	line := fmt.Sprintf("The smallest slowdown that could have been found: %s %% (%s)", percent(best.Detectable()), best.Name())
	if worst != best {
		line += fmt.Sprintf(" to %s %% (%s)", percent(worst.Detectable()), worst.Name())
	}
	if none > 0 {
		line += fmt.Sprintf("; none in %d rows, which have too few rounds", none)
	}
	return line + "."
}
