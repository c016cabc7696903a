// Package sketch lays out and saves the plots that others fill.
package sketch

import (
	"fmt"
	"image/color"
	"slices"

	"github.com/ibperf/ibperf/reports"
	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Sketch is a plot that is ready to be drawn on any canvas: what it shows, of which
// device, what can be read from it, what is doubtful, the legend, and the plot itself.
type Sketch struct {
	Name     string
	Detail   bool // for a closer look
	Title    string
	Subtitle string
	Notes    []string // what can be read from the plot
	Warnings []string
	Alarming bool // warnings say that numbers are wrong, unsafe or incomplete
	legend   []entry
	XLabel   string
	YLabel   string
	Right    vg.Length // room beside the plot
	Plot     *plot.Plot
	Spots    []Spot
}

// An entry of the legend is a sample of a line or area, and what it stands for.
type entry struct {
	text   string
	sample plot.Thumbnailer
}

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

// draw lays out title, subtitle, notes, warnings, legend and plot from top to bottom, and
// returns where the spots are.
func (s *Sketch) draw(c draw.Canvas) []placed {
	c.SetColor(Paper)
	c.Fill(c.Rectangle.Path())
	c = draw.Crop(c, margin, -margin, margin, -margin)
	top := c.Max.Y
	lines := func(str string, style text.Style) {
		for _, line := range wrap(str, style, c.Max.X-c.Min.X) {
			top -= style.Font.Size
			c.FillText(style, vg.Point{X: c.Min.X, Y: top}, line)
			top -= vg.Points(4)
		}
	}
	lines(s.Title, TextStyle(14, true, Ink, text.Style{}))
	lines(s.Subtitle, TextStyle(10, false, Quiet, text.Style{}))
	for _, n := range fewNotes(s.Notes) {
		lines(n, TextStyle(11, false, Ink, text.Style{}))
	}
	for _, w := range s.Warnings {
		lines(w, TextStyle(10, false, s.warningColor(), text.Style{}))
	}
	top = s.drawLegend(c, top-vg.Points(4)) - vg.Points(8)
	// The plot's own labels would take room as if their place were in data units.
	label := TextStyle(11, false, Ink, text.Style{})
	lines(s.YLabel, label)
	top -= vg.Points(4)
	label.XAlign = draw.XCenter
	c.FillText(label, vg.Point{X: c.Center().X, Y: c.Min.Y + 2}, s.XLabel)
	c = draw.Crop(c, 0, -s.Right, label.Font.Size+vg.Points(8), top-c.Max.Y)
	s.Plot.Draw(c)
	return place(s.Spots, s.Plot, s.Plot.DataCanvas(c))
}

// fewNotes are those that leave room for the plot: two, of two lines each.
func fewNotes(all []string) []string {
	const most, length = 2, 200
	var few []string
	for _, n := range all[:min(len(all), most)] {
		few = append(few, reports.Shorten(n, length))
	}
	return few
}

// warningColor is red for what nobody may overlook.
func (s *Sketch) warningColor() color.Color {
	if s.Alarming {
		return Red
	}
	return Quiet
}

// wrap breaks a text into lines that are no wider than width.
func wrap(str string, style text.Style, width vg.Length) []string {
	for length := len(str); ; length -= 1 + length/20 {
		lines := reports.Wrap(str, length)
		if length < 20 || !slices.ContainsFunc(lines, func(l string) bool { return style.Width(l) > width }) {
			return lines
		}
	}
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
