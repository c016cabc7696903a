// Package chart arranges charts and writes them as SVG and PNG: title, notes, legend, axes, colors
// and tooltips. Package plots draws the lines, bars and intervals. Chart knows nothing about result
// files.
package chart

import (
	"image/color"
	"slices"

	"github.com/ibperf/ibperf/reports/phrase"
	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Sketch is a chart that can be drawn on any canvas: title, notes, warnings, legend and panels.
type Sketch struct {
	Kind     string // what it shows, in one word
	Name     string
	Detail   bool // a page folds it away
	Title    string
	Subtitle string
	Notes    []string // conclusions from the plot
	Warnings []string
	Alarming bool // warnings mean that numbers are wrong, unsafe or incomplete
	Columns  int  // panels beside each other; 0: one
	Square   bool // the plot is about as high as wide
	Points   int  // that lines connect or that stand alone
	*Panel        // the first
	more     []*Panel
	legend   []entry
}

// An entry of the legend is a sample of a line or area with its text.
type entry struct {
	text   string
	brief  string // in brief legends; empty: not there
	sample plot.Thumbnailer
}

// Blank returns a sketch with axes and no text.
func Blank() *Sketch { return &Sketch{Panel: newPanel()} }

// NameLine adds a line or area that readers must tell from others to the legend, and the name that it has in
// a brief legend.
func (s *Sketch) NameLine(name, brief string, sample plot.Thumbnailer) {
	s.addEntry(entry{name, brief, sample})
}

// Explain adds a sample and its meaning to the legend. A brief legend leaves it to the caption.
func (s *Sketch) Explain(what string, sample plot.Thumbnailer) { s.addEntry(entry{what, "", sample}) }

// addEntry adds an entry to the legend, if the legend does not have that text.
func (s *Sketch) addEntry(e entry) {
	if !slices.ContainsFunc(s.legend, func(other entry) bool { return other.text == e.text }) {
		s.legend = append(s.legend, e)
	}
}

// TextStyle returns base with the font of charts, a size and a color.
func TextStyle(size float64, bold bool, c color.Color, base text.Style) text.Style {
	base.Font = font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Points(size)}
	if bold {
		base.Font.Weight = xfont.WeightBold
	}
	base.Color = c
	base.Handler = plot.DefaultTextHandler
	return base
}

// LineWidth is the width of a plot's lines.
const LineWidth = vg.Length(1.7)

const margin = vg.Length(12)

// draw draws title, subtitle, notes, warnings, legend and panels from top to bottom, and returns the
// tooltips with their positions on the canvas.
func (s *Sketch) draw(c draw.Canvas, style Style) []placedTooltip {
	c.SetColor(Paper)
	c.Fill(c.Rectangle.Path())
	c.Max.Y = s.drawTexts(&c, style)
	return s.drawPanels(c)
}

// drawTexts draws all above the panels, leaves a margin of the canvas empty, and returns the upper end of the panels.
func (s *Sketch) drawTexts(c *draw.Canvas, style Style) vg.Length {
	edge := margin
	if style.NoTitle {
		edge = 2 // the document has margins
	}
	*c = draw.Crop(*c, edge, -edge, edge, -edge)
	top := s.drawHead(*c, style)
	if legend := s.legendOf(style); len(legend) > 0 {
		top = drawLegend(*c, top-vg.Points(4), legend)
	}
	return top - vg.Points(6)
}

// drawHead draws title, subtitle, notes and warnings, and returns their lower end.
func (s *Sketch) drawHead(c draw.Canvas, style Style) vg.Length {
	top := c.Max.Y
	lines := func(str string, style text.Style) {
		for _, line := range wrap(str, style, c.Max.X-c.Min.X) {
			top -= style.Font.Size
			c.FillText(style, vg.Point{X: c.Min.X, Y: top}, line)
			top -= vg.Points(4)
		}
	}
	if !style.NoTitle {
		lines(s.Title, TextStyle(14, true, Ink, text.Style{}))
		lines(s.Subtitle, TextStyle(10, false, Quiet, text.Style{}))
		for _, n := range fewNotes(s.Notes) {
			lines(n, TextStyle(11, false, Ink, text.Style{}))
		}
	}
	for _, w := range s.Warnings {
		if !style.NoTitle || s.Alarming {
			lines(w, TextStyle(10, false, s.warningColor(), text.Style{}))
		}
	}
	return top
}

// fewNotes returns the notes that leave room for the plot: two, of two lines each.
func fewNotes(all []string) []string {
	const maxNotes, maxLength = 2, 200
	var few []string
	for _, n := range all[:min(len(all), maxNotes)] {
		few = append(few, phrase.Shorten(n, maxLength))
	}
	return few
}

// warningColor returns red for alarming warnings.
func (s *Sketch) warningColor() color.Color {
	if s.Alarming {
		return red
	}
	return Quiet
}

// wrap breaks a text into lines that are at most width wide.
func wrap(str string, style text.Style, width vg.Length) []string {
	for length := len(str); ; length -= 1 + length/20 {
		lines := phrase.Wrap(str, length)
		if length < 20 || !slices.ContainsFunc(lines, func(l string) bool { return style.Width(l) > width }) {
			for i, l := range lines { // of one long word
				lines[i] = fit(l, style, width)
			}
			return lines
		}
	}
}

// legendOf returns the entries of the legend in a style.
func (s *Sketch) legendOf(style Style) []entry {
	if !style.Brief {
		return s.legend
	}
	var all []entry
	for _, e := range s.legend {
		if e.text = e.brief; e.text != "" {
			all = append(all, e)
		}
	}
	return all
}

// fit returns a text that is at most width wide.
func fit(str string, style text.Style, width vg.Length) string {
	const shortest = len("a...")
	for n := len(str) - 1; n >= shortest && style.Width(str) > width; n-- {
		str = phrase.Shorten(str, n)
	}
	return str
}

// drawLegend draws the entries side by side below top, in the number of lines that they need, and
// returns the lower end of the last line.
func drawLegend(c draw.Canvas, top vg.Length, legend []entry) vg.Length {
	const sampleWidth, gap, height = 26, 14, 13
	style := TextStyle(pageFont, false, Ink, text.Style{})
	x, y := c.Min.X, top-height
	for _, e := range legend {
		label := fit(e.text, style, c.Max.X-c.Min.X-sampleWidth-5)
		width := sampleWidth + 5 + style.Width(label)
		if x > c.Min.X && x+width > c.Max.X {
			x, y = c.Min.X, y-height-1
		}
		e.sample.Thumbnail(&draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
			Min: vg.Point{X: x, Y: y}, Max: vg.Point{X: x + sampleWidth, Y: y + height}}})
		c.FillText(style, vg.Point{X: x + sampleWidth + 5, Y: y + 3}, label)
		x += width + gap
	}
	return y
}
