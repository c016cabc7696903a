package comparison

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/ibperf/ibperf/internal/printable"
	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/reports/phrase"
	"github.com/ibperf/ibperf/reports/table"
)

// A scale says how the values of a metric are printed.
type scale struct {
	name           string
	unit           string
	higherIsBetter bool // is better
	text           func(float64) string
}

// scales holds the scale of each metric.
var scales = map[string]scale{
	MetricLatency:   {"median latency", "usec", false, units.UsecText},
	MetricMean:      {"mean latency", "usec", false, units.UsecText},
	MetricBandwidth: {"average BW", units.RateUnit(false), true, func(v float64) string { return units.RateText(v, false) }},
	MetricRate:      {"message rate", "Mpps", true, func(v float64) string { return strconv.FormatFloat(units.Mpps(v), 'f', 6, 64) }},
	MetricTime:      {"time per message", "ns", false, units.NsText},
	MetricWall:      {"wall time", "s", false, func(v float64) string { return strconv.FormatFloat(v, 'f', 3, 64) }},
	MetricMemory:    {"peak memory", "MiB", false, func(v float64) string { return strconv.FormatFloat(units.MiB(v), 'f', 1, 64) }},
}

// A Set holds comparisons whose lines are printed as one table.
type Set []*Comparison

// WriteText prints the machines, the table, its notes and the warnings.
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

// text returns what WriteText prints.
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
		for i, line := range phrase.Wrap(note, textWidth) {
			b.WriteString(strings.Repeat(" ", 1+min(i, 1)*4) + line + "\n")
		}
	}
	for _, line := range cs.warningLines() {
		b.WriteString("WARNING: " + line + "\n")
	}
	return b.String()
}

// lines returns the lines of all comparisons, in order.
func (cs Set) lines() []*Line {
	var all []*Line
	for _, c := range cs {
		for i := range c.Lines {
			all = append(all, &c.Lines[i])
		}
	}
	return all
}

func (cs Set) title() string {
	var subjects, references []string
	for _, l := range cs.lines() {
		subjects = addNew(subjects, phrase.Shorten(l.Subject.Program.Name, 24))
		references = addNew(references, phrase.Shorten(l.Reference.Program.Name, 24))
	}
	if len(subjects) == 0 {
		return "Nothing side by side"
	}
	return strings.Join(subjects, ", ") + " side by side with " + strings.Join(references, ", ")
}

// addNew appends a word unless it is in the list.
func addNew(words []string, word string) []string {
	if slices.Contains(words, word) {
		return words
	}
	return append(words, word)
}

// facts returns machine, programs, CPUs and pairs, each with its name.
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
		list[i][1] = printable.Clean(list[i][1])
	}
	return list
}

const ratioMeaning = "Ratio: subject / reference of each pair, the median and the quartiles of all pairs."

// table returns a table with a row for each line.
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
				cells = slices.Insert(cells, 0, phrase.Shorten(c.Machine.Host, 16))
			}
			t.Add(cells...)
		}
	}
	return t
}

// cells returns the cells of a line.
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
	return slices.Concat([]string{printable.Clean(l.title()), units.Size(l.Size), l.Mode, l.Subject.label(), l.Reference.label(), s.name, s.better()},
		numbers, []string{strconv.Itoa(len(l.Subject.Rounds)), mark})
}

// label returns the program of a side, with its test and its device.
func (v *Values) label() string {
	text := phrase.Shorten(v.Program.Name, 24)
	if v.Part != "" {
		text += " " + phrase.Shorten(v.Part, 24)
	}
	if v.Device != "" {
		text += ", " + phrase.Shorten(v.Device, 16)
	}
	return text
}

func (s scale) better() string {
	if s.higherIsBetter {
		return "higher"
	}
	return "lower"
}

// title returns the test and the class of the pairs.
func (l *Line) title() string {
	if l.Class == nil {
		return l.Test
	}
	return l.Test + ", " + l.Class.Name
}

// name returns test, class, size and completion mode.
func (l *Line) name() string {
	return printable.Clean(l.title()) + ", " + units.Size(l.Size) + ", " + l.Mode
}

// goalText returns the goal and the outcome: met by the median ratio, by a quartile only ("in spread"),
// or missed.
func (l *Line) goalText() string {
	if l.Goal <= 0 {
		return "-"
	}
	sign, met, nearlyMet := "<=", l.Ratio.Median <= l.Goal, l.Ratio.Q1 <= l.Goal
	if scales[l.Metric].higherIsBetter {
		sign, met, nearlyMet = ">=", l.Ratio.Median >= l.Goal, l.Ratio.Q3 >= l.Goal
	}
	outcome := "missed"
	switch {
	case met:
		outcome = "met"
	case nearlyMet:
		outcome = "in spread"
	}
	return sign + " " + units.RatioText(l.Goal, 1) + " " + outcome
}

// notes returns the different notes of all lines in order of appearance.
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
		all[i] = noteMark(i) + " " + printable.Clean(note)
	}
	return all
}

// warningLines returns the warnings about all lines, those about some lines with their names, and the
// reason why the comparison ended early.
func (c *Comparison) warningLines() []string {
	var lines []string
	for _, w := range c.Warnings {
		lines = append(lines, printable.Clean(w.Text))
	}
	var texts []string
	where := map[string][]string{}
	for i := range c.Lines {
		for _, w := range c.Lines[i].Warnings {
			text := printable.Clean(w.Text)
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
		lines = append(lines, "the comparison ended early: "+printable.Clean(c.Error))
	}
	return lines
}

// warningLines returns those of all comparisons, with the machine if there are several.
func (cs Set) warningLines() []string {
	var all []string
	for _, c := range cs {
		for _, line := range c.warningLines() {
			if len(cs) > 1 {
				line = phrase.Shorten(c.Machine.Host, 16) + ": " + line
			}
			all = append(all, line)
		}
	}
	return all
}
