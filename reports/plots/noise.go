package plots

import (
	"cmp"
	"slices"

	"github.com/ibperf/ibperf/reports/chart"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// noiseBands draws the interval of the control's ratio at each message size, for each run: what the
// comparison finds between two copies of one mode.
type noiseBands [][]span

// noiseBands returns the bands of a group, and adds tooltips.
func (g *group) noiseBands(p *chart.Panel) (bands noiseBands) {
	byRun := make(noiseBands, len(g.Runs))
	for _, e := range g.Entries() {
		if v, ok := g.ratio(e); ok && isControl(e) && e.Size > 0 {
			byRun[e.Run] = append(byRun[e.Run], span{sizeOf(e), v})
			p.Tooltips = append(p.Tooltips, chart.Tooltip{X: sizeOf(e), Y: v.value, Text: e.Name() + ", " + g.pointText(e) + ": " + g.ratioText(e)})
		}
	}
	for _, band := range byRun {
		if len(band) > 0 {
			slices.SortFunc(band, func(a, b span) int { return cmp.Compare(a.x, b.x) })
			bands = append(bands, band)
		}
	}
	return bands
}

// Plot implements [plot.Plotter]. A band of one size extends over the width of the plot.
func (bs noiseBands) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	inside := func(v vg.Length) vg.Length { return min(max(v, c.Min.Y), c.Max.Y) }
	for _, band := range bs {
		if len(band) == 1 {
			fillBox(c, chart.Noise, c.Min.X, inside(y(band[0].low)), c.Max.X, inside(y(band[0].high)))
			continue
		}
		var outline []vg.Point
		for _, s := range band {
			outline = append(outline, vg.Point{X: x(s.x), Y: inside(y(s.high))})
		}
		for _, s := range slices.Backward(band) {
			outline = append(outline, vg.Point{X: x(s.x), Y: inside(y(s.low))})
		}
		c.FillPolygon(chart.Noise, outline)
	}
}
