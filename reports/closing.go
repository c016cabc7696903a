package reports

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ibperf/ibperf/internal/atomicfile"
	"github.com/ibperf/ibperf/reports/result"
	"github.com/ibperf/ibperf/reports/table"
)

// Style is how results are printed.
type Style struct {
	Gbits bool // bandwidth in Gb/s instead of MiB/s
	Both  bool // below the rows of a bidirectional test, those of each direction
	Width int  // of lines of tables and sentences; 0: as wide as they are

	// Of the text of a run under way.
	Cycles              bool // times in cycles of the time stamp counter, where that is the clock
	Unsorted, Histogram bool // all samples, in their order and the smallest first
	CPUUtil             bool // a column of what all CPUs of this host did
}

// sentenceWidth is where sentences are wrapped, on lines of a width.
func sentenceWidth(width int) int {
	const most, least = 110, 40
	if width == 0 {
		return most
	}
	return max(least, min(most, width-3)) // further lines are indented
}

// writeWrapped writes a sentence behind so many blanks, and two more from its second line on.
func writeWrapped(b *strings.Builder, sentence string, blanks, width int) {
	for i, part := range Wrap(sentence, sentenceWidth(width)+1-blanks) {
		b.WriteString(strings.Repeat(" ", blanks+min(i, 1)*2) + part + "\n")
	}
}

// closing is what stands under the rows of a group: tables, what checking found,
// what the main number means, what is to be known of the comparison, and the warnings.
func closing(g *Group, side comparison, tables []*table.Table, width int) string {
	var b strings.Builder
	missing := notes(g)
	if len(g.Entries()) == 0 && len(missing) == 0 {
		b.WriteString("\n No measurement was finished.\n")
	}
	for _, t := range slices.Concat(tables, side.tables, verifyTables(g)) {
		b.WriteString("\n" + t.Text(width))
	}
	b.WriteByte('\n')
	if v := verifyLine(g); v != "" {
		b.WriteString(" " + v + "\n")
	}
	for _, note := range slices.Concat([]string{mainDefinition(g)}, side.notes, missing) {
		writeWrapped(&b, note, 1, width)
	}
	for _, line := range g.WarningLines() {
		b.WriteString("WARNING: " + line + "\n")
	}
	return b.String()
}

// verifyTables is the table of what checking found, if there is one.
func verifyTables(g *Group) []*table.Table {
	if t := verifyTable(g); t != nil {
		return []*table.Table{t}
	}
	return nil
}

// mainDefinition says what the main number of a group is.
func mainDefinition(g *Group) string {
	text := g.Runs[0].Definition(result.MainField(g.Kind))
	if g.Kind == result.KindLatency {
		return "Latency: " + Clean(text) + "."
	}
	if g.Runs[0].Parameters.Both {
		text += "; of both directions together: bytes of both / (the last of their ends - the first of their starts)"
	}
	return "Average bandwidth: " + Clean(text) + "."
}

// Depth is how much [WriteTables] prints of runs that compare completion modes.
type Depth int

// The depths. Runs of one mode are always printed in full.
const (
	SideBySide Depth = iota // the modes side by side
	Full                    // and each row by itself, as [Text] prints it
)

// WriteTables prints finished runs, those of the same operation and kind together, and the
// verdict of all.
func WriteTables(w io.Writer, runs []*result.File, style Style, depth Depth) error {
	if len(runs) == 0 {
		return errors.New("write tables: no result files given")
	}
	var texts []string
	for _, g := range Groups(runs) {
		texts = append(texts, groupText(g, style, depth))
	}
	if _, err := io.WriteString(w, strings.Join(texts, "\n")+verdictText(runs, style.Width)); err != nil {
		return fmt.Errorf("write tables: %w", atomicfile.Advise("", err))
	}
	return nil
}

// groupText is the text about a group.
func groupText(g *Group, style Style, depth Depth) string {
	gbits := style.Gbits
	var b strings.Builder
	if len(g.Runs) == 1 {
		b.WriteString(headerBlock(g.Runs[0]))
	} else {
		b.WriteString(runsBlock(g))
	}
	side := compareModes(g, gbits)
	if len(side.tables) > 0 && depth == SideBySide {
		return b.String() + closing(g, side, nil, style.Width)
	}
	allMean := !slices.ContainsFunc(g.Runs, func(f *result.File) bool { return !meanAlone(f) })
	format := newRowFormat(g.Kind, allMean || g.meanOnly(), gbits)
	format.modes = len(g.Runs) > 1 || slices.ContainsFunc(g.Runs, hasModes)
	if slices.ContainsFunc(g.Runs, func(f *result.File) bool { return f.Parameters.Transport.Lossy() }) {
		format.addLost()
	}
	for i, e := range g.Entries() {
		if i == 0 {
			b.WriteString(format.headerLine())
		}
		b.WriteString(format.rowLine(iterations(e.File, e.Row), g.Label(e.Run)))
	}
	return b.String() + rule + closing(g, side, detailTables(g, gbits), style.Width)
}

// runsBlock stands over the rows of several runs and says which is which.
func runsBlock(g *Group) string {
	var b strings.Builder
	b.WriteString(rule)
	fmt.Fprintf(&b, "%s%s, %d runs\n", strings.Repeat(" ", 20), g.Title(), len(g.Runs))
	for i, f := range g.Runs {
		fmt.Fprintf(&b, " %-4s %s\n", g.Label(i), runLine(f))
		fmt.Fprintf(&b, "      data in order: %s here, %s at the peer\n",
			Clean(answer(f.Local.Order)), Clean(answer(f.Peer.Order)))
		if s := SoftwareLabel(f); s != "" {
			fmt.Fprintf(&b, "      software device: %s\n", Clean(s))
		}
	}
	b.WriteString(rule)
	return b.String()
}

// runLine tells a run from others in a line.
func runLine(f *result.File) string {
	p := f.Parameters
	line := fmt.Sprintf("%s, %s on %s, device %s, %s, QPs %d", f.Program, f.Role, f.Local.Host, f.Local.Device.Name, Connection(f), p.QPs)
	if f.Kind == result.KindBandwidth {
		line += fmt.Sprintf(", TX depth %d, CQ moderation %d", p.TxDepth, p.CQMod)
	}
	if !f.Started.IsZero() {
		line += ", " + f.Started.UTC().Format("2006-01-02 15:04:05 UTC")
	}
	return Clean(line)
}
