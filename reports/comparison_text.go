package reports

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A scale is how the values of a metric are printed.
type scale struct {
	name   string
	unit   string
	higher bool // is better
	text   func(float64) string
}

// scales are those of all metrics; only bandwidth has another in Gb/s.
var scales = map[string]scale{
	MetricLatency:   {"median latency", "usec", false, usecText},
	MetricBandwidth: {"average BW", rateUnit(false), true, func(v float64) string { return rateText(v, false) }},
	MetricRate:      {"message rate", "Mpps", true, func(v float64) string { return strconv.FormatFloat(Mpps(v), 'f', 6, 64) }},
}

func (l *Line) scale(gbits bool) scale {
	s := scales[l.Metric]
	if l.Metric == MetricBandwidth && gbits {
		s.unit, s.text = rateUnit(true), func(v float64) string { return rateText(v, true) }
	}
	return s
}

// comparisonText is the text about a comparison.
func comparisonText(c *Comparison, gbits bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s%s%s\n", rule, strings.Repeat(" ", 20), c.title())
	for _, fact := range c.facts() {
		fmt.Fprintf(&b, " %-16s: %s\n", fact[0], fact[1])
	}
	b.WriteString(rule)
	if len(c.Lines) == 0 {
		b.WriteString(" No measurement was finished.\n")
	} else {
		b.WriteString(comparisonTable(c, gbits).text())
	}
	b.WriteString(rule)
	notes := append([]string{c.ratioMeaning()}, c.numberedNotes()...)
	for _, note := range notes {
		for i, line := range wrap(note, textWidth) {
			b.WriteString(strings.Repeat(" ", 1+min(i, 1)*4) + line + "\n")
		}
	}
	for _, line := range c.warningLines() {
		b.WriteString("WARNING: " + line + "\n")
	}
	return b.String()
}

func (c *Comparison) title() string {
	return fmt.Sprintf("%s side by side with %s", shorten(c.Subject.Name, 40), shorten(c.Reference.Name, 40))
}

// facts names programs and machine: name and value.
func (c *Comparison) facts() [][]string {
	m := c.Machine
	var pinned []string
	for _, cpu := range m.Pinned {
		pinned = append(pinned, strconv.Itoa(cpu))
	}
	list := [][]string{
		{"Programs", c.Subject.Name + " " + c.Subject.Release + ", " + c.Reference.Name + " " + c.Reference.Release},
		{"Device", m.Device},
		{"Machine", fmt.Sprintf("%s, %s, %d CPUs, Linux %s", m.Host, m.CPU, m.CPUs, m.Kernel)},
		{"Pinned to CPUs", strings.Join(pinned, ", ") + " (server, client)"},
		{"Pairs", fmt.Sprintf("%d of each line, interleaved", c.Pairs)},
	}
	for i := range list {
		list[i][1] = clean(list[i][1])
	}
	return list
}

func (c *Comparison) ratioMeaning() string {
	return fmt.Sprintf("Ratio: %s / %s of each pair, the median and the quartiles of all pairs.",
		shorten(c.Subject.Name, 40), shorten(c.Reference.Name, 40))
}

// comparisonTable is a row for each line.
func comparisonTable(c *Comparison, gbits bool) *table {
	t := &table{Title: "Medians, and ratios of pairs", Columns: []column{
		{Name: "test", Left: true}, {Name: "size", Unit: "B"}, {Name: "arrival", Left: true},
		{Name: "number", Left: true}, {Name: "better", Left: true},
		{Name: shorten(c.Subject.Name, 16), Unit: "median"}, {Name: shorten(c.Reference.Name, 16), Unit: "median"}, {Name: "unit", Left: true},
		{Name: "ratio", Unit: "median"}, {Name: "quartiles", Unit: "25%"}, {Name: "", Unit: "75%"},
		{Name: "goal", Left: true}, {Name: "pairs", Unit: "count"}, {Name: "note", Left: true},
	}}
	notes := c.notes()
	for i := range c.Lines {
		l := &c.Lines[i]
		s := l.scale(gbits)
		mark := ""
		if l.Note != "" {
			mark = noteMark(slices.Index(notes, l.Note))
		}
		numbers := []string{"-", "-", s.unit, "-", "-", "-", "-"}
		if len(l.Subject.Rounds) > 0 {
			numbers = []string{s.text(l.Subject.Median), s.text(l.Reference.Median), s.unit,
				ratioText(l.Ratio.Median, 1), ratioText(l.Ratio.Q1, 1), ratioText(l.Ratio.Q3, 1), l.goalText()}
		}
		t.add(slices.Concat([]string{clean(l.Test), Size(l.Size), l.Arrival, s.name, s.better()},
			numbers, []string{strconv.Itoa(len(l.Subject.Rounds)), mark})...)
	}
	return t
}

func (s scale) better() string {
	if s.higher {
		return "higher"
	}
	return "lower"
}

// name tells a line from others.
func (l *Line) name() string { return clean(l.Test) + ", " + Size(l.Size) + ", " + l.Arrival }

// goalText says what the median ratio is to be and whether it is, or at least lies
// within the spread of the pairs.
func (l *Line) goalText() string {
	if l.Goal <= 0 {
		return "-"
	}
	sign, met, near := "<=", l.Ratio.Median <= l.Goal, l.Ratio.Q1 <= l.Goal
	if scales[l.Metric].higher {
		sign, met, near = ">=", l.Ratio.Median >= l.Goal, l.Ratio.Q3 >= l.Goal
	}
	verdict := "missed"
	switch {
	case met:
		verdict = "met"
	case near:
		verdict = "in spread"
	}
	return sign + " " + ratioText(l.Goal, 1) + " " + verdict
}

// notes lists the different notes of all lines in order of appearance.
func (c *Comparison) notes() []string {
	var all []string
	for i := range c.Lines {
		if note := c.Lines[i].Note; note != "" && !slices.Contains(all, note) {
			all = append(all, note)
		}
	}
	return all
}

func noteMark(index int) string { return "[" + strconv.Itoa(index+1) + "]" }

func (c *Comparison) numberedNotes() []string {
	all := c.notes()
	for i, note := range all {
		all[i] = noteMark(i) + " " + clean(note)
	}
	return all
}

// warningLines returns every warning: those about all, those about some lines
// with the lines they are about, and those that follow from the file itself.
func (c *Comparison) warningLines() []string {
	var lines []string
	for _, w := range c.Warnings {
		lines = append(lines, clean(w.Text))
	}
	var texts []string
	where := map[string][]string{}
	for i := range c.Lines {
		for _, w := range c.Lines[i].Warnings {
			text := clean(w.Text)
			if where[text] == nil {
				texts = append(texts, text)
			}
			where[text] = append(where[text], c.Lines[i].name())
		}
	}
	for _, text := range texts {
		lines = append(lines, strings.Join(where[text], "; ")+": "+text)
	}
	if c.Interrupted {
		lines = append(lines, "the comparison was interrupted: there are fewer pairs than were asked for")
	}
	if c.Error != "" {
		lines = append(lines, "the comparison ended early: "+clean(c.Error))
	}
	return lines
}
