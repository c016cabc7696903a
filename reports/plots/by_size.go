package plots

import (
	"slices"

	"github.com/ibperf/ibperf/reports/chart"
)

// columns is the number of panels of modes beside each other.
const columns = 2

// panelsBySize draws series into panels with an axis of message sizes: all into one, or those of a mode
// into one each, and reports whether there were any. draw fills a panel and returns the values that its axis
// must show.
func (g *group) panelsBySize(s *chart.Sketch, lines []*series, label string, draw func(p *chart.Panel, some []*series) []float64) bool {
	drawn := 0
	for _, some := range g.panels(lines) {
		p := s.NextPanel(drawn)
		p.Plot.Add(chart.Grid())
		values := draw(p, some)
		if len(values) == 0 {
			continue
		}
		drawn++
		chart.FitAxis(&p.Plot.Y, values, true)
		p.SizeAxis(positive(sizesOf(some)))
		g.entitle(s, p, some, label)
	}
	g.finishPanels(s, drawn)
	return drawn > 0
}

// entitle names a panel and its axis.
func (g *group) entitle(s *chart.Sketch, p *chart.Panel, some []*series, label string) {
	p.YLabel = label
	if g.byMode {
		s.Columns = columns
		p.Title = some[0].entries[0].Name()
	}
}

// finishPanels leaves the panels that were drawn, and labels of the horizontal axis only in rows below
// which a column is empty.
func (g *group) finishPanels(s *chart.Sketch, drawn int) {
	s.CutPanels(drawn)
	if all := s.Panels(); g.byMode {
		for _, p := range all[:max(len(all)-columns, 0)/columns*columns] {
			p.XLabel = ""
		}
	}
}

// compares reports whether a figure compares anything: several modes, or one of several runs.
func compares(lines []*series) bool {
	return slices.ContainsFunc(lines, func(s *series) bool {
		return s.entries[0].Name() != lines[0].entries[0].Name() || s.run != lines[0].run
	})
}
