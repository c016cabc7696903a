package comparison

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/reports"
	"github.com/ibperf/ibperf/reports/table"
)

// A scale is how the values of a metric are printed.
type scale struct {
	name   string
	unit   string
	higher bool // is better
	text   func(float64) string
}

// scales are those of all metrics.
var scales = map[string]scale{
	MetricLatency:   {"median latency", "usec", false, units.UsecText},
	MetricMean:      {"mean latency", "usec", false, units.UsecText},
	MetricBandwidth: {"average BW", units.RateUnit(false), true, func(v float64) string { return units.RateText(v, false) }},
	MetricRate:      {"message rate", "Mpps", true, func(v float64) string { return strconv.FormatFloat(units.Mpps(v), 'f', 6, 64) }},
	MetricTime:      {"time per message", "ns", false, units.NsText},
	MetricWall:      {"wall time", "s", false, func(v float64) string { return strconv.FormatFloat(v, 'f', 3, 64) }},
	MetricMemory:    {"peak memory", "MiB", false, func(v float64) string { return strconv.FormatFloat(units.MiB(v), 'f', 1, 64) }},
}

// MetricOrder is the order of the metrics in legends.
var MetricOrder = []string{MetricLatency, MetricMean, MetricBandwidth, MetricRate, MetricTime, MetricWall, MetricMemory}

// MetricMeaning names a metric and says which of its values are better.
func MetricMeaning(metric string) string {
	return scales[metric].name + " (" + scales[metric].better() + " is better)"
}

// Unit is that of the line's values as Text writes them.
func (l *Line) Unit() string { return scales[l.Metric].unit }

// Text writes a value of the line for people.
func (l *Line) Text(v float64) string { return scales[l.Metric].text(v) }

// A Set is comparisons that are shown together: all their lines are one table.
type Set []*Comparison

// WriteText prints them.
func (cs Set) WriteText(w io.Writer) error {
	if _, err := io.WriteString(w, cs.text()); err != nil {
		return fmt.Errorf("write tables: %w", err)
	}
	return nil
}

const (
	rule      = "---------------------------------------------------------------------------------------\n"
	textWidth = 110 // where sentences are wrapped
)

// text is what is printed about them.
func (cs Set) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s%s%s\n", rule, strings.Repeat(" ", 20), cs.title())
	for _, c := range cs {
		for _, fact := range c.facts() {
			fmt.Fprintf(&b, " %-16s: %s\n", fact[0], fact[1])
		}
	}
	b.WriteString(rule)
	if len(cs.lines()) == 0 {
		b.WriteString(" No measurement was finished.\n")
	} else {
		b.WriteString(cs.table().Text(0))
	}
	b.WriteString(rule)
	for _, note := range append([]string{ratioMeaning}, cs.numberedNotes()...) {
		for i, line := range reports.Wrap(note, textWidth) {
			b.WriteString(strings.Repeat(" ", 1+min(i, 1)*4) + line + "\n")
		}
	}
	for _, line := range cs.warningLines() {
		b.WriteString("WARNING: " + line + "\n")
	}
	return b.String()
}

// lines are those of all, in order.
func (cs Set) lines() []*Line {
	var all []*Line
	for _, c := range cs {
		for i := range c.Lines {
			all = append(all, &c.Lines[i])
		}
	}
	return all
}

// Title names both programs of a comparison.
func (c *Comparison) Title() string { return Set{c}.title() }

func (cs Set) title() string {
	var subjects, references []string
	for _, l := range cs.lines() {
		subjects = addNew(subjects, reports.Shorten(l.Subject.Program.Name, 24))
		references = addNew(references, reports.Shorten(l.Reference.Program.Name, 24))
	}
	if len(subjects) == 0 {
		return "Nothing side by side"
	}
	return strings.Join(subjects, ", ") + " side by side with " + strings.Join(references, ", ")
}

// addNew adds a word that is not there yet.
func addNew(words []string, word string) []string {
	if slices.Contains(words, word) {
		return words
	}
	return append(words, word)
}

// facts names programs and machine: name and value.
func (c *Comparison) facts() [][]string {
	m := c.Machine
	var pinned, programs []string
	for _, cpu := range m.Pinned {
		pinned = append(pinned, strconv.Itoa(cpu))
	}
	for i := range c.Lines {
		for _, v := range []*Values{&c.Lines[i].Subject, &c.Lines[i].Reference} {
			programs = addNew(programs, v.Program.Name+" "+v.Program.Release)
		}
	}
	roles := " (server, client)"
	if len(pinned) != 2 {
		roles = ""
	}
	list := [][]string{
		{"Machine", fmt.Sprintf("%s, %s, %d CPUs, Linux %s", m.Host, m.CPU, m.CPUs, m.Kernel)},
		{" programs", strings.Join(programs, ", ")},
		{" pinned to CPUs", strings.Join(pinned, ", ") + roles},
		{" pairs", fmt.Sprintf("up to %d of each line, interleaved", c.Pairs)},
	}
	for i := range list {
		list[i][1] = reports.Clean(list[i][1])
	}
	return list
}

const ratioMeaning = "Ratio: subject / reference of each pair, the median and the quartiles of all pairs."

// table is a row for each line.
func (cs Set) table() *table.Table {
	t := &table.Table{Title: "Medians, and ratios of pairs", Columns: []table.Column{
		{Name: "test", Left: true}, {Name: "size", Unit: "B"}, {Name: "arrival", Left: true}, {Name: "subject", Left: true},
		{Name: "reference", Left: true}, {Name: "number", Left: true}, {Name: "better", Left: true},
		{Name: "subject", Unit: "median"}, {Name: "reference", Unit: "median"}, {Name: "unit", Left: true},
		{Name: "ratio", Unit: "median"}, {Name: "quartiles", Unit: "25%"}, {Name: "", Unit: "75%"},
		{Name: "goal", Left: true}, {Name: "pairs", Unit: "count"}, {Name: "note", Left: true},
	}}
	if len(cs) > 1 {
		t.Columns = slices.Insert(t.Columns, 0, table.Column{Name: "machine", Left: true})
	}
	notes := cs.notes()
	for _, c := range cs {
		for i := range c.Lines {
			cells := c.Lines[i].cells(notes)
			if len(cs) > 1 {
				cells = slices.Insert(cells, 0, reports.Shorten(c.Machine.Host, 16))
			}
			t.Add(cells...)
		}
	}
	return t
}

// cells are those of a line in the table.
func (l *Line) cells(notes []string) []string {
	s := scales[l.Metric]
	mark := ""
	if l.Note != "" {
		mark = noteMark(slices.Index(notes, l.Note))
	}
	numbers := []string{"-", "-", s.unit, "-", "-", "-", "-"}
	if len(l.Subject.Rounds) > 0 {
		numbers = []string{s.text(l.Subject.Median), s.text(l.Reference.Median), s.unit,
			units.RatioText(l.Ratio.Median, 1), units.RatioText(l.Ratio.Q1, 1), units.RatioText(l.Ratio.Q3, 1), l.goalText()}
	}
	return slices.Concat([]string{reports.Clean(l.Test), units.Size(l.Size), l.Arrival, l.Subject.Label(), l.Reference.Label(), s.name, s.better()},
		numbers, []string{strconv.Itoa(len(l.Subject.Rounds)), mark})
}

// Label names a side of a line.
func (v *Values) Label() string {
	text := reports.Shorten(v.Program.Name, 24)
	if v.Part != "" {
		text += " " + reports.Shorten(v.Part, 24)
	}
	if v.Device != "" {
		text += ", " + reports.Shorten(v.Device, 16)
	}
	return text
}

func (s scale) better() string {
	if s.higher {
		return "higher"
	}
	return "lower"
}

// name tells a line from others.
func (l *Line) name() string {
	return reports.Clean(l.Test) + ", " + units.Size(l.Size) + ", " + l.Arrival
}

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
	return sign + " " + units.RatioText(l.Goal, 1) + " " + verdict
}

// notes lists the different notes of all lines in order of appearance.
func (cs Set) notes() []string {
	var all []string
	for _, l := range cs.lines() {
		if l.Note != "" {
			all = addNew(all, l.Note)
		}
	}
	return all
}

func noteMark(index int) string { return "[" + strconv.Itoa(index+1) + "]" }

func (cs Set) numberedNotes() []string {
	all := cs.notes()
	for i, note := range all {
		all[i] = noteMark(i) + " " + reports.Clean(note)
	}
	return all
}

// WarningLines returns every warning: those about all, those about some lines
// with the lines they are about, and those that follow from the file itself.
func (c *Comparison) WarningLines() []string {
	var lines []string
	for _, w := range c.Warnings {
		lines = append(lines, reports.Clean(w.Text))
	}
	var texts []string
	where := map[string][]string{}
	for i := range c.Lines {
		for _, w := range c.Lines[i].Warnings {
			text := reports.Clean(w.Text)
			texts = addNew(texts, text)
			where[text] = addNew(where[text], c.Lines[i].name())
		}
	}
	for _, text := range texts {
		lines = append(lines, strings.Join(where[text], "; ")+": "+text)
	}
	if c.Interrupted {
		lines = append(lines, "the comparison was interrupted: there are fewer pairs than were asked for")
	}
	if c.Error != "" {
		lines = append(lines, "the comparison ended early: "+reports.Clean(c.Error))
	}
	return lines
}

// warningLines are those of all, with the machine where there are several.
func (cs Set) warningLines() []string {
	var all []string
	for _, c := range cs {
		for _, line := range c.WarningLines() {
			if len(cs) > 1 {
				line = reports.Shorten(c.Machine.Host, 16) + ": " + line
			}
			all = append(all, line)
		}
	}
	return all
}
