package plots

import (
	"image/color"
	"slices"

	"github.com/ibperf/ibperf/reports/plots/sketch"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A label is a text beside a point, beyond the ends of its interval if it has one.
type label struct {
	at        plotter.XY
	low, high float64
	text      string
	color     color.Color
	try       []direction // the best one first
}

// A direction is on which side of its point a label is.
type direction int

const (
	above direction = iota
	below
	right
	left
)

// labels writes each text on the first side of its point where it covers no other text, no
// marker, no interval and no rule. One that has no such side is left out.
type labels struct {
	texts   []label
	markers plotter.XYs
	rules   []float64 // horizontal lines across the plot
}

// Plot implements [plot.Plotter].
func (l *labels) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	taken := l.taken(c, x, y)
	for _, t := range l.texts {
		at, high, low := vg.Point{X: x(t.at.X), Y: y(t.at.Y)}, y(max(t.at.Y, t.high)), y(t.at.Y)
		if t.low > 0 {
			low = y(t.low)
		}
		for _, d := range t.try {
			to, style := d.place(at, low, high)
			style = sketch.TextStyle(9, false, t.color, style)
			box := style.Rectangle(t.text).Add(to)
			if c.Contains(box.Min) && c.Contains(box.Max) && !slices.ContainsFunc(taken, func(r vg.Rectangle) bool { return overlap(r, box) }) {
				taken = append(taken, box)
				c.FillText(style, to, t.text)
				break
			}
		}
	}
}

// taken is where no text may be.
func (l *labels) taken(c draw.Canvas, x, y func(float64) vg.Length) []vg.Rectangle {
	const marker = vg.Length(3.5)
	box := func(left, low, right, high vg.Length) vg.Rectangle {
		return vg.Rectangle{Min: vg.Point{X: left, Y: low}, Max: vg.Point{X: right, Y: high}}
	}
	var all []vg.Rectangle
	for _, m := range l.markers {
		all = append(all, box(x(m.X)-marker, y(m.Y)-marker, x(m.X)+marker, y(m.Y)+marker))
	}
	for _, t := range l.texts {
		if t.low > 0 {
			all = append(all, box(x(t.at.X)-1, y(t.low), x(t.at.X)+1, y(t.high)))
		}
	}
	for _, rule := range l.rules {
		all = append(all, box(c.Min.X, y(rule)-1, c.Max.X, y(rule)+1))
	}
	return all
}

// place is where a text in a direction of a point is, and how it is aligned to that. The
// point's interval is from low to high.
func (d direction) place(at vg.Point, low, high vg.Length) (vg.Point, draw.TextStyle) {
	const gap = vg.Length(6.5)
	switch d {
	case above:
		return vg.Point{X: at.X, Y: high + gap}, draw.TextStyle{XAlign: draw.XCenter, YAlign: draw.YBottom}
	case below:
		return vg.Point{X: at.X, Y: low - gap}, draw.TextStyle{XAlign: draw.XCenter, YAlign: draw.YTop}
	case right:
		return vg.Point{X: at.X + gap, Y: at.Y}, draw.TextStyle{XAlign: draw.XLeft, YAlign: draw.YCenter}
	}
	return vg.Point{X: at.X - gap, Y: at.Y}, draw.TextStyle{XAlign: draw.XRight, YAlign: draw.YCenter}
}

// overlap tells whether two boxes cover each other or nearly do.
func overlap(a, b vg.Rectangle) bool {
	const blank = vg.Length(1.5)
	return a.Min.X < b.Max.X+blank && b.Min.X < a.Max.X+blank && a.Min.Y < b.Max.Y && b.Min.Y < a.Max.Y
}
