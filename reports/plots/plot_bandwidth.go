package plots

import (
	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/reports/chart"
)

// bandwidthSketches draws bandwidth and message rate of each mode by message size, or as bars if
// there is only one size.
func bandwidthSketches(g *group, lines []*series) []*chart.Sketch {
	if len(positive(sizesOf(lines))) < 2 {
		return []*chart.Sketch{bandwidthBars(g, lines)}
	}
	return []*chart.Sketch{
		rateSketch(g, lines, kindBandwidth, roundGbps, "bandwidth", "Gb/s", "by_size"),
		rateSketch(g, lines, kindRate, roundMpps, "message rate", "million messages/s", "rate_by_size"),
	}
}

// rateSketch draws a rate of each mode by message size.
func rateSketch(g *group, lines []*series, kind string, rate measure, what, unit, word string) *chart.Sketch {
	s := newSketch(g, lines, kind, what+" by message size", word)
	if !g.panelsBySize(s, lines, rateLabel(what, unit), func(p *chart.Panel, some []*series) []float64 {
		_, values := g.drawLines(s, p, some, sizeOf, rate, g.rowTooltip)
		return values
	}) {
		return nil
	}
	explainSpans(s, lines, rate, ofValuesText)
	return s
}

// rateLabel returns the label of an axis of rates.
func rateLabel(what, unit string) string {
	return "average " + what + " [" + unit + "], higher is better"
}

// bandwidthBars draws the bandwidth of each mode for one size.
func bandwidthBars(g *group, lines []*series) *chart.Sketch {
	size := sizesOf(lines)[0]
	s := newSketch(g, lines, kindBandwidth, "bandwidth, "+bytesText(size), "by_mode", units.Size(size))
	for i, some := range g.panels(lines) {
		p := s.NextPanel(i)
		var drawn bars
		for i, line := range some {
			e := line.entries[0]
			gbps, _ := roundGbps(e)
			drawn = append(drawn, bar{float64(i), 0.6, gbps, line.color(), chart.Number(gbps.value, 4)})
			p.Tooltips = append(p.Tooltips, chart.Tooltip{X: float64(i), Y: gbps.value, Text: g.rowTooltip(line, e)})
			s.Points++
			s.NameLine(line.name, line.brief(g), patch{g.barColor(line)})
		}
		barChart(p, drawn, some)
		g.entitle(s, p, some, rateLabel("bandwidth", "Gb/s"))
	}
	explainSpans(s, lines, roundGbps, ofValuesText)
	return s
}
