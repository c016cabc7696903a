package plots

import (
	"fmt"

	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/reports"
	"github.com/ibperf/ibperf/reports/plots/sketch"
	"gonum.org/v1/plot/plotter"
)

// bandwidthSketch draws the average bandwidth of each mode by message size, or
// as bars if there is only one size.
func bandwidthSketch(g *reports.Group, lines []*series) *sketch.Sketch {
	sizes := positive(sizesOf(lines))
	if len(sizes) < 2 {
		return bandwidthBars(g, lines)
	}
	s := newSketch(g, anySize, "average by message size", "by_size")
	s.Plot.Add(sketch.Grid())
	most := 0.0
	for _, line := range lines {
		var points plotter.XYs
		for _, r := range line.rows {
			if r.Size > 0 {
				points = append(points, plotter.XY{X: float64(r.Size), Y: units.MiBps(r.Bandwidth.Average)})
				most = max(most, units.MiBps(r.Bandwidth.Average))
			}
		}
		t := newTrace(line, points)
		s.Plot.Add(t)
		s.Explain(line.name, t)
	}
	s.Plot.Y.Min, s.Plot.Y.Max = 0, max(most*1.08, 1e-9)
	s.Plot.Y.Tick.Marker = sketch.EvenTicks{}
	s.YLabel = "average bandwidth [MiB/s]"
	s.SizeAxis(sizes)
	return s
}

// bandwidthBars draws the average bandwidth of each mode for one size.
func bandwidthBars(g *reports.Group, lines []*series) *sketch.Sketch {
	size := sizesOf(lines)[0]
	s := newSketch(g, size, fmt.Sprintf("average, %s bytes", units.Size(size)), "by_mode_"+units.Size(size))
	var chart bars
	for i, line := range lines {
		average := line.rows[0].Bandwidth.Average
		chart = append(chart, bar{float64(i), 0.6, units.MiBps(average), line.color, units.RateText(average, false)})
		s.Explain(line.name, patch{line.color})
	}
	s.YLabel = "average bandwidth [MiB/s]"
	barChart(s, chart, lines)
	return s
}
