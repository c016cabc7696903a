package text

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ibperf/ibperf/internal/atomicfile"
	"github.com/ibperf/ibperf/internal/printable"
	"github.com/ibperf/ibperf/reports/phrase"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/reports/table"
	"github.com/ibperf/ibperf/reports/tables"
	"github.com/ibperf/ibperf/reports/verdict"
	"github.com/ibperf/ibperf/result"
)

// A Style holds the options of the text.
type Style struct {
	Gbits bool // bandwidth in Gb/s instead of MiB/s
	Both  bool // after a bidirectional test, also the rows of each direction
	Width int  // of lines; 0: tables have any width

	Details bool // below the rows everything; without, of comparisons the ratios and the short verdict, of other runs nothing

	// The following apply to a [Printer].
	Cycles              bool // times in cycles, if the clock is the time stamp counter
	Unsorted, Histogram bool // all samples, in the order of time and sorted
	CPUUtil             bool // a column with the load of all CPUs of this host
}

// footer returns the text below the rows of a group: tables, result of the data check, definition of
// the main number and notes.
func footer(g *rows.Group, side tables.Comparison, details []*table.Table, width int) string {
	var b strings.Builder
	missing := tables.Notes(g)
	if len(g.Entries()) == 0 && len(missing) == 0 {
		b.WriteString("\n No measurement was finished.\n")
	}
	for _, t := range slices.Concat(details, side.Tables, tables.Corrupted(g)) {
		b.WriteString("\n" + t.Text(width))
	}
	b.WriteString("\n" + dataCheckLine(g))
	for _, note := range slices.Concat([]string{tables.MainDefinition(g)}, side.Notes, missing) {
		phrase.WriteWrapped(&b, note, 1, width)
	}
	return b.String()
}

// shortFooter returns the text below the rows of a comparison without details: ratios to poll, rows that were not
// measured, and the result of the data check.
func shortFooter(g *rows.Group, side tables.Comparison, width int) string {
	var b strings.Builder
	for _, t := range slices.Concat(tables.Load(g), side.Tables[:1], tables.Corrupted(g)) {
		b.WriteString("\n" + t.Text(width))
	}
	notes := tables.Missing(g)
	if slices.Contains(side.Notes, rows.NoteMarks) {
		notes = append(notes, rows.NoteMarks)
	}
	for _, note := range notes {
		phrase.WriteWrapped(&b, note, 1, width)
	}
	return b.String() + dataCheckLine(g)
}

// plainFooter returns the text below the rows of a run that is no comparison: the rates of a latency test, and the
// result of --verify.
func plainFooter(g *rows.Group, width int) string {
	var b strings.Builder
	for _, t := range slices.Concat(tables.Load(g), tables.Corrupted(g)) {
		b.WriteString("\n" + t.Text(width))
	}
	return b.String() + dataCheckLine(g)
}

// dataCheckLine returns the line with the result of --verify; empty without it.
func dataCheckLine(g *rows.Group) string {
	if v := tables.DataCheck(g); v != "" {
		return " " + v + "\n"
	}
	return ""
}

// warningsText returns the warnings of a group, each on a line.
func warningsText(g *rows.Group) string {
	var b strings.Builder
	for _, line := range g.WarningLines() {
		b.WriteString("WARNING: " + line + "\n")
	}
	return b.String()
}

// A Depth selects how much [Write] prints about runs that compare completion modes.
type Depth int

// The depths. Runs of one mode are always printed in full.
const (
	Brief Depth = iota // the modes side by side
	Full               // and each row, as [Printer] prints it
)

// Write prints finished runs, grouped by operation and kind, and the verdict on all with its details.
func Write(w io.Writer, runs []*result.File, style Style, depth Depth) error {
	if len(runs) == 0 {
		return errors.New("write tables: no result files given")
	}
	style.Details = true
	var texts []string
	for _, g := range rows.Groups(runs) {
		texts = append(texts, groupText(g, style, depth))
	}
	if _, err := io.WriteString(w, strings.Join(texts, "\n")+findingsText(runs)+Verdict(verdict.Judge(runs), style)); err != nil {
		return fmt.Errorf("write tables: %w", atomicfile.Advise("", err))
	}
	return nil
}

// findingsText returns a line for each finding of all runs.
func findingsText(runs []*result.File) string {
	var b strings.Builder
	for _, f := range result.FindingsOf(runs) {
		b.WriteString("FINDING: " + printable.Clean(f.Line()) + "\n")
	}
	return b.String()
}

// groupText returns the text about a group.
func groupText(g *rows.Group, style Style, depth Depth) string {
	var b strings.Builder
	if len(g.Runs) == 1 {
		b.WriteString(headerBlock(g.Runs[0], nil))
	} else {
		b.WriteString(runsBlock(g))
	}
	side := tables.SideBySide(g)
	if len(side.Tables) > 0 && depth == Brief {
		return b.String() + footer(g, side, nil, style.Width) + warningsText(g)
	}
	allMean := !slices.ContainsFunc(g.Runs, func(f *result.File) bool { return !rows.MeanAlone(f) })
	format := newRowFormat(g.Kind, allMean || g.MeanOnly(), style.Gbits)
	format.modes = len(g.Runs) > 1 || slices.ContainsFunc(g.Runs, hasModes)
	format.devices = slices.ContainsFunc(g.Runs, func(f *result.File) bool { return f.Local.Several() })
	if slices.ContainsFunc(g.Runs, func(f *result.File) bool { return f.Parameters.Transport.Lossy() }) {
		format.addLost()
	}
	for i, e := range g.Entries() {
		if i == 0 {
			b.WriteString(format.headerLine())
		}
		b.WriteString(format.rowLines(e.File, e.Row, g.Label(e.Run)))
	}
	return b.String() + rule + footer(g, side, tables.Details(g), style.Width) + warningsText(g)
}

// runsBlock returns the header of several runs, which describes each.
func runsBlock(g *rows.Group) string {
	var b strings.Builder
	b.WriteString(rule)
	fmt.Fprintf(&b, "%s%s, %d runs\n", strings.Repeat(" ", 20), g.Title(), len(g.Runs))
	for i, f := range g.Runs {
		fmt.Fprintf(&b, " %-4s %s\n", g.Label(i), rows.RunLine(f))
		fmt.Fprintf(&b, "      data in order: %s here, %s at the peer\n",
			printable.Clean(rows.OrderAnswer(f.Local.Order)), printable.Clean(rows.OrderAnswer(f.Peer.Order)))
		if s := rows.SoftwareLabel(f); s != "" {
			fmt.Fprintf(&b, "      software device: %s\n", printable.Clean(s))
		}
	}
	b.WriteString(rule)
	return b.String()
}
