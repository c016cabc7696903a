package plots

import (
	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/reports/chart"
)

// latencySketch draws median and 99th percentile of each mode by message size, or as bars if there
// is only one size.
func latencySketch(g *group, lines []*series) *chart.Sketch {
	if len(positive(sizesOf(lines))) < 2 {
		return latencyBars(g, lines)
	}
	s := newSketch(g, lines, kindLatency, "median and 99 % by message size", "by_size")
	if !g.panelsBySize(s, lines, "latency [usec], lower is better", func(p *chart.Panel, some []*series) (values []float64) {
		for _, line := range some {
			m, t := traceOf(p, line, sizeOf, medianUsec, g.rowTooltip), traceOf(p, line, sizeOf, tailUsec, g.tailTooltip)
			t.line.Dashes, t.line.Width = p99Dash, chart.LineWidth*0.7
			t.glyph.Radius *= 0.6
			p.Plot.Add(t, m)
			g.explain(s, line, m)
			s.Points += len(m.points)
			values = append(append(values, m.values()...), t.values()...)
		}
		return values
	}) {
		return nil
	}
	s.NameLine("median", "median", ruleSample(nil))
	s.NameLine("99 %", "99 %", ruleSample(p99Dash))
	explainSpans(s, lines, medianUsec, ofValuesText)
	return s
}

// latencyBars draws median and 99th percentile of each mode for one size.
func latencyBars(g *group, lines []*series) *chart.Sketch {
	size := sizesOf(lines)[0]
	s := newSketch(g, lines, kindLatency, "median and 99 %, "+bytesText(size), "by_mode", units.Size(size))
	for i, some := range g.panels(lines) {
		p := s.NextPanel(i)
		var drawn bars
		for i, line := range some {
			e := line.entries[0]
			at := float64(i)
			m, _ := medianUsec(e)
			t, _ := tailUsec(e)
			median := bar{at - 0.19, 0.36, m, line.color(), units.UsecText(1e3 * m.value)}
			tail := bar{at + 0.19, 0.36, t, line.pale(), units.UsecText(e.Latency.P99Ns)}
			drawn = append(drawn, median, tail)
			for _, b := range []bar{median, tail} {
				p.Tooltips = append(p.Tooltips, chart.Tooltip{X: b.at, Y: b.height.value, Text: g.rowTooltip(line, e)})
			}
			s.Points++
			s.NameLine(line.name, line.brief(g), patch{g.barColor(line)})
		}
		barChart(p, drawn, some)
		g.entitle(s, p, some, "latency [usec], lower is better")
	}
	s.NameLine("median", "median", patch{chart.Quiet})
	s.NameLine("99 %", "99 %", patch{chart.Faint})
	explainSpans(s, lines, medianUsec, ofValuesText)
	return s
}
