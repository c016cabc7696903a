// Package heatmap draws the tests of a cluster: a cell for each pair of nodes, colored by its figure over the median of
// all. Only programs that draw import it, since fonts and canvases take memory.
package heatmap

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/ibperf/ibperf/cmd/internal/cluster/results"
	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/reports/chart"
)

// Draw writes a heat map of each figure into the folder of a run: pairs_bandwidth and pairs_latency, as PNG and SVG. The
// same document gives the same bytes. A single rank has no pairs.
func Draw(dir string, d *results.Document) error {
	if d.Settings.Ranks == 1 {
		return nil
	}
	var all []*chart.Sketch
	for _, f := range d.Figures {
		if (f.Name == results.Bandwidth || f.Name == results.Latency) && f.Tests > 0 {
			all = append(all, sketchOf(d, f))
		}
	}
	_, err := chart.Save(dir, all)
	return err
}

// sketchOf returns the heat map of a figure.
func sketchOf(d *results.Document, f results.Figure) *chart.Sketch {
	s := chart.Blank()
	s.Square, s.Detail = true, true
	s.Name, s.Title = "pairs_"+f.Name, title(d, f)
	s.Subtitle = fmt.Sprintf("launcher %s, job %s, %s, device %s", d.Launcher, cmp.Or(d.Job, "not known"), d.Started.UTC().Format("2006-01-02 15:04 UTC"), d.Devices())
	m := newMap(d, f)
	s.Notes = m.notes()
	s.XLabel = m.label()
	s.Plot.Add(m)
	m.fitAxes(s.Panel)
	m.explain(s)
	return s
}

func title(d *results.Document, f results.Figure) string {
	what, unit, text := "Bandwidth", "Gb/s", func(v float64) string { return units.RateText(v, true) }
	if f.Name == results.Latency {
		what, unit, text = "Latency", "usec", units.UsecText
	}
	if len(f.Rails) > 0 {
		return fmt.Sprintf("%s of pairs of %d devices of %d nodes, over the median of each rail", what, len(d.Nodes), d.Settings.Ranks)
	}
	return fmt.Sprintf("%s of pairs of %d nodes, over the median of %s %s", what, len(d.Nodes), strings.TrimSpace(text(f.Median)), unit)
}

// maxNamed is the number of bad nodes and groups that a note names.
const maxNamed = 3

// notes returns which nodes and groups are bad, and what a cell of several pairs shows.
func (m *pairMap) notes() (notes []string) {
	var names []string
	for i, n := range m.d.Nodes {
		if n.State == results.Bad {
			names = append(names, m.d.Name(i))
		}
	}
	for _, g := range m.d.Groups {
		if g.State == results.Bad {
			names = append(names, "group "+g.Name)
		}
	}
	switch rest := len(names) - maxNamed; {
	case len(names) == 0:
		notes = append(notes, "No node or group is bad.")
	case rest > 0:
		notes = append(notes, fmt.Sprintf("Bad: %s and %d more.", strings.Join(names[:maxNamed], ", "), rest))
	default:
		notes = append(notes, "Bad: "+strings.Join(names, ", ")+".")
	}
	if m.per > 1 {
		notes = append(notes, fmt.Sprintf("A cell has %d x %d nodes and shows the worst of their pairs, the column at the left the worst node of each row.", m.per, m.per))
	} else {
		notes = append(notes, "The column at the left has the median of each node's tests.")
	}
	return notes
}
