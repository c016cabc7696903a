package plots

import (
	"fmt"
	"image/color"

	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/reports"
	"github.com/ibperf/ibperf/reports/plots/sketch"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

var p99Dash = []vg.Length{4, 3}

// latencySketch draws median and 99% of each mode by message size, or as bars
// if there is only one size.
func latencySketch(g *reports.Group, lines []*series) *sketch.Sketch {
	sizes := positive(sizesOf(lines))
	if len(sizes) < 2 {
		return latencyBars(g, lines)
	}
	s := newSketch(g, anySize, "median and 99% by message size", "by_size")
	s.Plot.Add(sketch.Grid())
	var values []float64
	for _, line := range lines {
		median, tail := plotter.XYs{}, plotter.XYs{}
		for _, r := range line.rows {
			if r.Size > 0 && r.Latency.P50Ns > 0 {
				median = append(median, plotter.XY{X: float64(r.Size), Y: units.Usec(r.Latency.P50Ns)})
				tail = append(tail, plotter.XY{X: float64(r.Size), Y: units.Usec(max(r.Latency.P99Ns, r.Latency.P50Ns))})
			}
		}
		for i := range median {
			values = append(values, median[i].Y, tail[i].Y)
		}
		m, t := newTrace(line, median), newTrace(line, tail)
		t.line.Dashes, t.line.Width = p99Dash, sketch.LineWidth*0.7
		t.glyph.Radius *= 0.6
		s.Plot.Add(t, m)
		s.Explain(line.name, m)
	}
	s.Explain("median", ruleSample(nil))
	s.Explain("99%", ruleSample(p99Dash))
	sketch.FitAxis(&s.Plot.Y, values, true)
	s.YLabel = "latency [usec]"
	s.SizeAxis(sizes)
	return s
}

// latencyBars draws median and 99% of each mode for one size.
func latencyBars(g *reports.Group, lines []*series) *sketch.Sketch {
	size := sizesOf(lines)[0]
	s := newSketch(g, size, fmt.Sprintf("median and 99%%, %s bytes", units.Size(size)), "by_mode_"+units.Size(size))
	var chart bars
	for i, line := range lines {
		l := line.rows[0].Latency
		at := float64(i)
		chart = append(chart,
			bar{at - 0.19, 0.36, units.Usec(l.P50Ns), line.color, units.UsecText(l.P50Ns)},
			bar{at + 0.19, 0.36, units.Usec(l.P99Ns), lighter(line.color), units.UsecText(l.P99Ns)})
		s.Explain(line.name, patch{line.color})
	}
	s.Explain("median", patch{sketch.Quiet})
	s.Explain("99%", patch{lighter(sketch.Quiet)})
	s.YLabel = "latency [usec]"
	barChart(s, chart, lines)
	return s
}

// barChart adds the bars and axes that suit them: y from zero, names under x.
func barChart(s *sketch.Sketch, chart bars, lines []*series) {
	var ticks plot.ConstantTicks
	for i, line := range lines {
		ticks = append(ticks, plot.Tick{Value: float64(i), Label: reports.Shorten(line.name, max(110/len(lines), 12))})
	}
	most := 0.0
	for _, b := range chart {
		most = max(most, b.height)
	}
	s.Plot.Y.Min, s.Plot.Y.Max = 0, max(most*1.1, 1e-9)
	s.Plot.Y.Tick.Marker = sketch.EvenTicks{}
	s.Plot.X.Min, s.Plot.X.Max = -0.6, float64(len(lines))-0.4
	s.Plot.X.Tick.Marker = ticks
	s.Plot.X.Tick.Color = color.White // only their room is wanted
	g := sketch.Grid()
	g.Vertical.Width = 0
	s.Plot.Add(g, chart)
}

// positive returns the sizes that a logarithmic axis can show.
func positive(sizes []int) []int {
	for len(sizes) > 0 && sizes[0] <= 0 {
		sizes = sizes[1:]
	}
	return sizes
}
