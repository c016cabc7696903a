package plots

import (
	"image/color"
	"slices"

	"github.com/ibperf/ibperf/reports/chart"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A label is a text next to a point, outside of the point's interval.
type label struct {
	at        plotter.XY
	elsewhere plotter.XYs // other points that it may be next to
	low, high float64     // the interval; 0: none
	text      string
	color     color.Color
	sides     []side // the best one first
}

// A side is where the label of a point is.
type side int

const (
	above side = iota
	below
	right
	left
)

// labels draws each text on the first side of its point where it covers no other text, marker,
// interval, line or rule. It leaves out a text without such a side.
type labels struct {
	texts  []label
	traces []*trace
	rules  []float64 // horizontal lines across the plot
	posts  []float64 // vertical lines across the plot
}

// Plot implements [plot.Plotter].
func (l *labels) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	taken := l.obstacles(c, x, y)
	for _, t := range l.texts {
		for _, p := range append(plotter.XYs{t.at}, t.elsewhere...) {
			at, high, low := vg.Point{X: x(p.X), Y: y(p.Y)}, y(max(p.Y, t.high)), y(p.Y)
			if t.low > 0 {
				low = y(t.low)
			}
			if box, ok := t.draw(c, at, low, high, taken); ok {
				taken.boxes = append(taken.boxes, box)
				break
			}
		}
	}
}

// draw draws a text on the first side of a point with enough room, and returns its area.
func (t *label) draw(c draw.Canvas, at vg.Point, low, high vg.Length, taken obstacles) (box vg.Rectangle, ok bool) {
	for _, s := range t.sides {
		to, style := s.position(at, low, high)
		style = chart.TextStyle(9, false, t.color, style)
		box = style.Rectangle(t.text).Add(to)
		if c.Contains(box.Min) && c.Contains(box.Max) && taken.free(box) {
			c.FillText(style, to, t.text)
			return box, true
		}
	}
	return box, false
}

// An obstacles value holds what texts must not cover.
type obstacles struct {
	boxes    []vg.Rectangle
	segments [][2]vg.Point
}

// free reports whether a box covers no obstacle, and does not nearly touch one.
func (o *obstacles) free(box vg.Rectangle) bool {
	const blank = 1.5
	box = vg.Rectangle{Min: vg.Point{X: box.Min.X - blank, Y: box.Min.Y - 0.5}, Max: vg.Point{X: box.Max.X + blank, Y: box.Max.Y + 0.5}}
	return !slices.ContainsFunc(o.boxes, func(b vg.Rectangle) bool { return overlap(b, box) }) &&
		!slices.ContainsFunc(o.segments, func(s [2]vg.Point) bool { return crosses(s, box) })
}

// obstacles returns what texts must not cover on a canvas.
func (l *labels) obstacles(c draw.Canvas, x, y func(float64) vg.Length) (o obstacles) {
	add := func(x1, y1, x2, y2 vg.Length) {
		o.segments = append(o.segments, [2]vg.Point{{X: x1, Y: y1}, {X: x2, Y: y2}})
	}
	for _, t := range l.traces {
		for i := range max(len(t.points)-1, 0) {
			add(x(t.points[i].X), y(t.points[i].Y), x(t.points[i+1].X), y(t.points[i+1].Y))
		}
		for _, m := range t.markers {
			at, r := vg.Point{X: x(m.X), Y: y(m.Y)}, vg.Point{X: t.glyph.Radius * 1.3, Y: t.glyph.Radius * 1.3}
			o.boxes = append(o.boxes, vg.Rectangle{Min: at.Sub(r), Max: at.Add(r)})
		}
		for _, s := range t.spans {
			low, high := min(y(s.low), y(s.value)), max(y(s.high), y(s.value))
			o.boxes = append(o.boxes, vg.Rectangle{Min: vg.Point{X: x(s.x) - spanEnd, Y: low}, Max: vg.Point{X: x(s.x) + spanEnd, Y: high}})
		}
	}
	for _, rule := range l.rules {
		add(c.Min.X, y(rule), c.Max.X, y(rule))
	}
	for _, post := range l.posts {
		add(x(post), c.Min.Y, x(post), c.Max.Y)
	}
	return o
}

// position returns the position and alignment of a text on one side of a point whose interval is from
// low to high.
func (s side) position(at vg.Point, low, high vg.Length) (vg.Point, draw.TextStyle) {
	const gap = vg.Length(6.5)
	switch s {
	case above:
		return vg.Point{X: at.X, Y: high + gap}, draw.TextStyle{XAlign: draw.XCenter, YAlign: draw.YBottom}
	case below:
		return vg.Point{X: at.X, Y: low - gap}, draw.TextStyle{XAlign: draw.XCenter, YAlign: draw.YTop}
	case right:
		return vg.Point{X: at.X + gap, Y: at.Y}, draw.TextStyle{XAlign: draw.XLeft, YAlign: draw.YCenter}
	}
	return vg.Point{X: at.X - gap, Y: at.Y}, draw.TextStyle{XAlign: draw.XRight, YAlign: draw.YCenter}
}

// overlap reports whether two boxes overlap.
func overlap(a, b vg.Rectangle) bool {
	return a.Min.X < b.Max.X && b.Min.X < a.Max.X && a.Min.Y < b.Max.Y && b.Min.Y < a.Max.Y
}

// crosses reports whether a segment and a box have a point in common: it cuts the segment at the sides
// of the box one after the other, as Liang and Barsky do.
func crosses(s [2]vg.Point, box vg.Rectangle) bool {
	from, to := 0.0, 1.0
	d := s[1].Sub(s[0])
	for _, side := range [][2]vg.Length{
		{-d.X, s[0].X - box.Min.X}, {d.X, box.Max.X - s[0].X}, {-d.Y, s[0].Y - box.Min.Y}, {d.Y, box.Max.Y - s[0].Y},
	} {
		speed, distance := float64(side[0]), float64(side[1])
		switch {
		case speed == 0 && distance < 0:
			return false
		case speed < 0:
			from = max(from, distance/speed)
		case speed > 0:
			to = min(to, distance/speed)
		}
	}
	return from <= to
}
