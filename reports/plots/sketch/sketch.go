// Package sketch lays out and saves the plots that others fill.
package sketch

import (
	"fmt"
	"image/color"

	"github.com/ibperf/ibperf/reports"
	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Sketch is a plot that is ready to be drawn on any canvas: what it shows,
// of which device, what is doubtful, the legend, and the plot itself.
type Sketch struct {
	Name     string
	Title    string
	Subtitle string
	Warnings []string
	legend   []entry
	XLabel   string
	YLabel   string
	Plot     *plot.Plot
}

// An entry of the legend is a sample of a line or area, and what it stands for.
type entry struct {
	text   string
	sample plot.Thumbnailer
}

// The colours of text: Ink for what is read first, Quiet for the rest.
var (
	Ink   = color.Gray{Y: 0x22}
	Quiet = color.Gray{Y: 0x55}
)

var (
	gridColor    = color.Gray{Y: 0xDD}
	warningColor = color.RGBA{R: 0xB0, A: 0xFF}
)

// Blank is a sketch with axes and without words.
func Blank() *Sketch {
	s := &Sketch{Plot: plot.New()}
	for _, axis := range []*plot.Axis{&s.Plot.X, &s.Plot.Y} {
		axis.Tick.Label = TextStyle(10, false, Ink, axis.Tick.Label)
		axis.Padding = 0
		axis.Color, axis.Tick.Color = Quiet, Quiet
	}
	return s
}

// Explain adds a sample to the legend, and what it stands for.
func (s *Sketch) Explain(what string, sample plot.Thumbnailer) {
	s.legend = append(s.legend, entry{what, sample})
}

// FewWarnings makes warnings fit for a plot: of more than three the rest is counted.
func FewWarnings(all []string) []string {
	var lines []string
	for i, line := range all {
		if i == 2 && len(all) > 3 {
			return append(lines, fmt.Sprintf("and %d more warnings, see the tables", len(all)-i))
		}
		lines = append(lines, reports.Shorten("Warning: "+line, 128))
	}
	return lines
}

// TextStyle returns base with the font, size and colour that figures use.
func TextStyle(size float64, bold bool, c color.Color, base text.Style) text.Style {
	base.Font = font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Points(size)}
	if bold {
		base.Font.Weight = xfont.WeightBold
	}
	base.Color = c
	base.Handler = plot.DefaultTextHandler
	return base
}

// LineWidth is how wide lines of a plot are.
const LineWidth = vg.Length(1.7)

const margin = vg.Length(12)

// draw lays out title, subtitle, warnings, legend and plot from top to bottom.
func (s *Sketch) draw(c draw.Canvas) {
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	c = draw.Crop(c, margin, -margin, margin, -margin)
	top := c.Max.Y
	line := func(str string, style text.Style) {
		top -= style.Font.Size
		c.FillText(style, vg.Point{X: c.Min.X, Y: top}, str)
		top -= vg.Points(4)
	}
	line(s.Title, TextStyle(14, true, Ink, text.Style{}))
	line(s.Subtitle, TextStyle(11, false, Quiet, text.Style{}))
	for _, w := range s.Warnings {
		line(w, TextStyle(10, false, warningColor, text.Style{}))
	}
	top = s.drawLegend(c, top-vg.Points(4)) - vg.Points(8)
	// The plot's own labels would take room as if their place were in data units.
	label := TextStyle(11, false, Ink, text.Style{})
	line(s.YLabel, label)
	top -= vg.Points(4)
	label.XAlign = draw.XCenter
	c.FillText(label, vg.Point{X: c.Center().X, Y: c.Min.Y + 2}, s.XLabel)
	s.Plot.Draw(draw.Crop(c, 0, 0, label.Font.Size+vg.Points(8), top-c.Max.Y))
}

// drawLegend puts the entries side by side below top, in as many lines as they
// need, and returns where the lowest ends.
func (s *Sketch) drawLegend(c draw.Canvas, top vg.Length) vg.Length {
	const sampleWidth, gap, height = 28, 18, 13
	style := TextStyle(10.5, false, Ink, text.Style{})
	x, y := c.Min.X, top-height
	for _, e := range s.legend {
		width := sampleWidth + 5 + style.Width(e.text)
		if x > c.Min.X && x+width > c.Max.X {
			x, y = c.Min.X, y-height-2
		}
		e.sample.Thumbnail(&draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
			Min: vg.Point{X: x, Y: y}, Max: vg.Point{X: x + sampleWidth, Y: y + height}}})
		c.FillText(style, vg.Point{X: x + sampleWidth + 5, Y: y + 3}, e.text)
		x += width + gap
	}
	return y
}
