package plots

import (
	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/reports/plots/sketch"
	"gonum.org/v1/plot/vg"
)

var p99Dash = []vg.Length{4, 3}

// latencySketch draws median and 99 % of each mode by message size, or as bars
// if there is only one size.
func latencySketch(g *group, lines []*series) *sketch.Sketch {
	sizes := positive(sizesOf(lines))
	if len(sizes) < 2 {
		return latencyBars(g, lines)
	}
	s := newSketch(g, lines, "median and 99 % by message size", "by_size")
	s.Plot.Add(sketch.Grid())
	var values []float64
	for _, line := range lines {
		m, t := traceOf(s, line, sizeOf, medianUsec, g.spotText), traceOf(s, line, sizeOf, tailUsec, g.tailSpot)
		t.line.Dashes, t.line.Width = p99Dash, sketch.LineWidth*0.7
		t.glyph.Radius *= 0.6
		s.Plot.Add(t, m)
		s.Explain(line.name, m)
		values = append(append(values, m.values()...), t.values()...)
	}
	s.Explain("median", ruleSample(nil))
	s.Explain("99 %", ruleSample(p99Dash))
	explainSpans(s, lines, medianUsec, ofRoundsText)
	sketch.FitAxis(&s.Plot.Y, values, true)
	s.YLabel = "latency [usec], lower is better"
	s.SizeAxis(sizes)
	return s
}

// latencyBars draws median and 99 % of each mode for one size.
func latencyBars(g *group, lines []*series) *sketch.Sketch {
	size := sizesOf(lines)[0]
	s := newSketch(g, lines, "median and 99 %, "+bytesText(size), "by_mode", units.Size(size))
	var chart bars
	for i, line := range lines {
		e := line.entries[0]
		at := float64(i)
		m, _ := medianUsec(e)
		t, _ := tailUsec(e)
		median := bar{at - 0.19, 0.36, m, line.color(), units.UsecText(1e3 * m.value)}
		tail := bar{at + 0.19, 0.36, t, line.pale(), units.UsecText(e.Latency.P99Ns)}
		chart = append(chart, median, tail)
		for _, b := range []bar{median, tail} {
			s.Spots = append(s.Spots, sketch.Spot{X: b.at, Y: b.height.value, Text: g.spotText(line, e)})
		}
		s.Explain(line.name, patch{line.color()})
	}
	s.Explain("median", patch{sketch.Quiet})
	s.Explain("99 %", patch{sketch.Faint})
	explainSpans(s, lines, medianUsec, ofRoundsText)
	s.YLabel = "latency [usec], lower is better"
	barChart(s, chart, lines)
	return s
}
