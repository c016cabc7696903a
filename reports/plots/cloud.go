package plots

import (
	"cmp"
	"slices"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/chart"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A cloud is many points of a mode, with a line through medians of consecutive ones. Its markers
// are one path, which makes the drawing smaller.
type cloud struct {
	points plotter.XYs
	hollow plotter.XYs
	style  modeStyle
}

// The outlines of small markers, like those of the modes.
var outlines = map[option.Mode]polygon{
	option.ModeData:     {{X: 1}, {X: 0.5, Y: 0.87}, {X: -0.5, Y: 0.87}, {X: -1}, {X: -0.5, Y: -0.87}, {X: 0.5, Y: -0.87}},
	option.ModePoll:     {{X: -0.9, Y: -0.9}, {X: 0.9, Y: -0.9}, {X: 0.9, Y: 0.9}, {X: -0.9, Y: 0.9}},
	option.ModeCounter:  plus,
	option.ModeAdaptive: diamond,
	option.ModeEvent:    {{X: -1.1, Y: -0.7}, {X: 1.1, Y: -0.7}, {Y: 1.2}},
}

// Plot implements [plot.Plotter]. Points beyond the axis are at its ends.
func (cl *cloud) Plot(c draw.Canvas, p *plot.Plot) {
	const radius = 2.2
	x, y := p.Transforms(&c)
	at := func(pt plotter.XY) vg.Point {
		return vg.Point{X: x(pt.X), Y: min(max(y(pt.Y), c.Min.Y), c.Max.Y)}
	}
	fill := func(points plotter.XYs, radius vg.Length) {
		var path vg.Path
		for _, pt := range points {
			for i, corner := range outlines[cl.style.mode] {
				if to := at(pt).Add(corner.Scale(radius)); i == 0 {
					path.Move(to)
				} else {
					path.Line(to)
				}
			}
			path.Close()
		}
		c.Fill(path)
	}
	c.SetColor(chart.Tint(modeColors[cl.style.mode], 1+cl.style.tint))
	fill(cl.points, radius)
	if len(cl.hollow) > 0 {
		c.SetColor(chart.Paper)
		fill(cl.hollow, radius*0.5)
	}
	var path []vg.Point
	for _, pt := range cl.trend() {
		path = append(path, at(pt))
	}
	c.StrokeLines(draw.LineStyle{Color: cl.style.color(), Width: chart.LineWidth}, path)
}

// trend returns the medians of consecutive points, about twelve of them.
func (cl *cloud) trend() (all plotter.XYs) {
	const parts, least = 12, 4
	sorted := slices.SortedFunc(slices.Values(cl.points), func(a, b plotter.XY) int { return cmp.Compare(a.X, b.X) })
	for part := range slices.Chunk(sorted, max(least, (len(sorted)+parts-1)/parts)) {
		if len(part) >= least/2 {
			all = append(all, plotter.XY{X: median(xs(part)), Y: median(ys(part))})
		}
	}
	return all
}
