package reports

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

// textWidth is where sentences are wrapped.
const textWidth = 110

// closing is what stands under the rows of a group: the tables that perftest
// lacks, what checking found, what the main number means, and the warnings.
func closing(g *group, gbits bool) string {
	var b strings.Builder
	if len(g.entries()) == 0 {
		b.WriteString("\n No measurement was finished.\n")
	}
	for _, t := range closingTables(g, gbits) {
		b.WriteString("\n" + t.text())
	}
	b.WriteByte('\n')
	if v := verifyLine(g); v != "" {
		b.WriteString(" " + v + "\n")
	}
	for i, line := range wrap(mainDefinition(g), textWidth) {
		b.WriteString(strings.Repeat(" ", 1+min(i, 1)*2) + line + "\n")
	}
	for _, line := range warningLines(g) {
		b.WriteString("WARNING: " + line + "\n")
	}
	return b.String()
}

// closingTables are the tables of [closing], which pages show as well.
func closingTables(g *group, gbits bool) []*table {
	if len(g.entries()) == 0 {
		return nil
	}
	tables := append([]*table{detailTable(g, gbits)}, compareTables(g, gbits)...)
	if t := verifyTable(g); t != nil {
		tables = append(tables, t)
	}
	return tables
}

// mainDefinition says what the main number of a group is.
func mainDefinition(g *group) string {
	field := mainField(g.kind)
	text := g.runs[0].Definitions[field]
	if text == "" {
		text = DefinitionsFor(g.kind, g.op)[field]
	}
	if g.kind == KindLatency {
		return "Latency: " + clean(text) + "."
	}
	return "Average bandwidth: " + clean(text) + "."
}

// WriteTables prints finished runs: those of the same operation and kind
// together, each group with the tables that [Text] prints.
func WriteTables(w io.Writer, files []*File, gbits bool) error {
	if len(files) == 0 {
		return errors.New("write tables: no result files given")
	}
	for i, g := range groupFiles(files) {
		var b strings.Builder
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(groupText(g, gbits))
		if _, err := io.WriteString(w, b.String()); err != nil {
			return fmt.Errorf("write tables: %w", advise("", err))
		}
	}
	return nil
}

// groupText is all text about a group.
func groupText(g *group, gbits bool) string {
	var b strings.Builder
	if len(g.runs) == 1 {
		b.WriteString(headerBlock(g.runs[0]))
	} else {
		b.WriteString(runsBlock(g))
	}
	allTimed := true
	for _, f := range g.runs {
		allTimed = allTimed && timed(f)
	}
	format := newRowFormat(g.kind, allTimed, gbits)
	for i, e := range g.entries() {
		if i == 0 {
			b.WriteString(format.headerLine())
		}
		b.WriteString(format.rowLine(e.Row, g.label(e.run)))
	}
	return b.String() + rule + closing(g, gbits)
}

// runsBlock stands over the rows of several runs and says which is which.
func runsBlock(g *group) string {
	var b strings.Builder
	b.WriteString(rule)
	fmt.Fprintf(&b, "%s%s, %d runs\n", strings.Repeat(" ", 20), testTitle(g.op, g.kind), len(g.runs))
	for i, f := range g.runs {
		fmt.Fprintf(&b, " %-4s %s\n", g.label(i), runLine(f))
		fmt.Fprintf(&b, "      data in order: %s here, %s at the peer\n",
			clean(answer(f.Local.Order)), clean(answer(f.Peer.Order)))
		if s := softwareLabel(f); s != "" {
			fmt.Fprintf(&b, "      software device: %s\n", clean(s))
		}
	}
	b.WriteString(rule)
	return b.String()
}

// runLine tells a run from others in a line.
func runLine(f *File) string {
	p := f.Parameters
	line := fmt.Sprintf("%s, %s on %s, device %s, %s, QPs %d", f.Program, f.Role, f.Local.Host, f.Local.Device.Name, p.Transport, p.QPs)
	if f.Kind == KindBandwidth {
		line += fmt.Sprintf(", TX depth %d, CQ moderation %d", p.TxDepth, p.CQMod)
	}
	if !f.Started.IsZero() {
		line += ", " + f.Started.UTC().Format("2006-01-02 15:04:05 UTC")
	}
	return clean(line)
}
