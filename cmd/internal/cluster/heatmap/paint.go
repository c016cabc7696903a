package heatmap

import (
	"fmt"

	"github.com/ibperf/ibperf/cmd/internal/cluster/results"
	"github.com/ibperf/ibperf/reports/chart"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// maxNumbered is the number of nodes up to which cells have their numbers.
const maxNumbered = 12

// The column of nodes at the left, in parts of the map's width.
const (
	columnWidth = 0.02
	columnGap   = 0.008
)

// Plot implements [plot.Plotter]. The cells of a level are one path, so that there are no seams between cells.
func (m *pairMap) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	n := float64(len(m.order))
	paths := make([]vg.Path, levels)
	add := func(l level, left, right, top, bottom float64) {
		if l == none {
			return
		}
		path := &paths[l]
		path.Move(vg.Point{X: x(left), Y: y(top)})
		path.Line(vg.Point{X: x(right), Y: y(top)})
		path.Line(vg.Point{X: x(right), Y: y(bottom)})
		path.Line(vg.Point{X: x(left), Y: y(bottom)})
		path.Close()
	}
	for row, cells := range m.cells {
		top, bottom := m.edges(row)
		for from := 0; from < len(cells); {
			to := from + 1
			for to < len(cells) && cells[to] == cells[from] {
				to++
			}
			left, _ := m.edges(from)
			_, right := m.edges(to - 1)
			add(cells[from], left, right, top, bottom)
			from = to
		}
		add(m.nodes[row], -(columnWidth+columnGap)*n, -columnGap*n, top, bottom)
	}
	for l, path := range paths {
		if len(path) > 0 {
			c.SetColor(colors[l])
			c.Fill(path)
		}
	}
	m.frame(c, x, y)
	m.number(c, x, y)
}

// edges returns the begin and the end of a cell on the axes.
func (m *pairMap) edges(cell int) (begin, end float64) {
	return float64(cell * m.per), float64(min((cell+1)*m.per, len(m.order)))
}

// maxFramed is the number of groups up to which lines are between them.
const maxFramed = 64

// frame draws lines around map and column, and between groups.
func (m *pairMap) frame(c draw.Canvas, x, y func(float64) vg.Length) {
	n := float64(len(m.order))
	thin, pale := draw.LineStyle{Color: chart.Quiet, Width: vg.Points(0.5)}, draw.LineStyle{Color: chart.Noise, Width: vg.Points(0.5)}
	if groups := m.groups(); len(groups) <= maxFramed {
		for _, g := range groups[1:] {
			at := float64(g.from)
			c.StrokeLines(pale, []vg.Point{{X: x(0), Y: y(at)}, {X: x(n), Y: y(at)}}, []vg.Point{{X: x(at), Y: y(0)}, {X: x(at), Y: y(n)}})
		}
	}
	for _, box := range [][2]float64{{0, n}, {-(columnWidth + columnGap) * n, -columnGap * n}} {
		l, r, t, b := x(box[0]), x(box[1]), y(0), y(n)
		c.StrokeLines(thin, []vg.Point{{X: l, Y: t}, {X: r, Y: t}, {X: r, Y: b}, {X: l, Y: b}, {X: l, Y: t}})
	}
}

// number writes the ratios into the cells of a small map.
func (m *pairMap) number(c draw.Canvas, x, y func(float64) vg.Length) {
	n := len(m.order)
	if n > maxNumbered {
		return
	}
	for a := range n {
		for b := range n {
			ratio := m.ratios[a*n+b]
			if ratio == 0 {
				continue
			}
			ink := chart.TextStyle(9, false, chart.Ink, text.Style{XAlign: draw.XCenter, YAlign: draw.YCenter})
			if levelOf(ratio) > firstLow+1 {
				ink.Color = chart.Paper
			}
			if m.figure.Name == results.Latency {
				ratio = 1 / ratio
			}
			c.FillText(ink, vg.Point{X: x(float64(b) + 0.5), Y: y(float64(a) + 0.5)}, fmt.Sprintf("%.2f", ratio))
		}
	}
}

// sample is the sample of a level in the legend.
type sample level

// Thumbnail implements [plot.Thumbnailer].
func (s sample) Thumbnail(c *draw.Canvas) {
	box := c.Rectangle
	box.Min.Y, box.Max.Y = box.Min.Y+1, box.Max.Y-1
	c.SetColor(colors[s])
	c.Fill(box.Path())
	path := box.Path()
	c.SetLineStyle(draw.LineStyle{Color: chart.Quiet, Width: vg.Points(0.5)})
	c.Stroke(path)
}

// explain names all levels, so that maps of different runs are alike.
func (m *pairMap) explain(s *chart.Sketch) {
	for l := faster; l < levels; l++ {
		s.Explain(l.text(m.figure.Name), sample(l))
	}
	s.Explain(none.text(m.figure.Name), sample(none))
}
