package plots

import (
	"fmt"

	"github.com/ibperf/ibperf/reports"
	"gonum.org/v1/plot/plotter"
)

// bandwidthSketch draws the average bandwidth of each mode by message size, or
// as bars if there is only one size.
func bandwidthSketch(g *reports.Group, lines []*series) *sketch {
	sizes := positive(sizesOf(lines))
	if len(sizes) < 2 {
		return bandwidthBars(g, lines)
	}
	s := newSketch(g, anySize, "average by message size", "by_size")
	s.plot.Add(grid())
	most := 0.0
	for _, line := range lines {
		var points plotter.XYs
		for _, r := range line.rows {
			if r.Size > 0 {
				points = append(points, plotter.XY{X: float64(r.Size), Y: reports.MiBps(r.Bandwidth.Average)})
				most = max(most, reports.MiBps(r.Bandwidth.Average))
			}
		}
		t := newTrace(line, points)
		s.plot.Add(t)
		s.legend = append(s.legend, legendEntry{line.name, t})
	}
	s.plot.Y.Min, s.plot.Y.Max = 0, max(most*1.08, 1e-9)
	s.plot.Y.Tick.Marker = evenTicks{}
	s.yLabel = "average bandwidth [MiB/s]"
	s.sizeAxis(sizes)
	return s
}

// bandwidthBars draws the average bandwidth of each mode for one size.
func bandwidthBars(g *reports.Group, lines []*series) *sketch {
	size := sizesOf(lines)[0]
	s := newSketch(g, size, fmt.Sprintf("average, %s bytes", reports.Size(size)), "by_mode_"+reports.Size(size))
	var chart bars
	for i, line := range lines {
		average := line.rows[0].Bandwidth.Average
		chart = append(chart, bar{float64(i), 0.6, reports.MiBps(average), line.color, reports.RateText(average, false)})
		s.legend = append(s.legend, legendEntry{line.name, patch{line.color}})
	}
	s.yLabel = "average bandwidth [MiB/s]"
	s.barChart(chart, lines)
	return s
}
