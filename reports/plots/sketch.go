package plots

import (
	"fmt"
	"image/color"
	"slices"
	"strings"

	"github.com/ibperf/ibperf/reports"
	"github.com/ibperf/ibperf/reports/result"
	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A sketch is a plot that is ready to be drawn on any canvas: what it shows,
// of which device, what is doubtful, the legend, and the plot itself.
type sketch struct {
	name     string
	title    string
	subtitle string
	warnings []string
	legend   []legendEntry
	xLabel   string
	yLabel   string
	plot     *plot.Plot
}

// A legendEntry is a sample of a line or area, and what it stands for.
type legendEntry struct {
	text   string
	sample plot.Thumbnailer
}

var (
	inkColor     = color.Gray{Y: 0x22}
	quietColor   = color.Gray{Y: 0x55}
	gridColor    = color.Gray{Y: 0xDD}
	warningColor = color.RGBA{R: 0xB0, A: 0xFF}
)

// anySize is the size of a sketch that shows several.
const anySize = -1

// newSketch starts a plot of a group, of one message size or of anySize. What
// it shows is named for the title, and by slugWord for the file.
func newSketch(g *reports.Group, size int, what, slugWord string) *sketch {
	f := g.Runs[0]
	s := blankSketch()
	s.name = reports.Slug(g.Op, g.Kind, slugWord, f.Local.Device.Name, f.Parameters.Transport)
	s.title = strings.TrimSuffix(reports.TestTitle(g.Op, g.Kind), " Test") + ": " + what
	s.subtitle = subtitle(g)
	s.warnings = plotWarnings(g, size)
	return s
}

// blankSketch is a sketch with axes and without words.
func blankSketch() *sketch {
	s := &sketch{plot: plot.New()}
	for _, axis := range []*plot.Axis{&s.plot.X, &s.plot.Y} {
		axis.Tick.Label = textStyle(10, false, inkColor, axis.Tick.Label)
		axis.Padding = 0
		axis.Color, axis.Tick.Color = quietColor, quietColor
	}
	return s
}

// subtitle names device, transport and opcodes, and what is no hardware.
func subtitle(g *reports.Group) string {
	f := g.Runs[0]
	device := reports.Shorten(f.Local.Device.Name, 32)
	if peer := reports.Shorten(f.Peer.Device.Name, 32); peer != "" && peer != device {
		device += " to " + peer
	}
	parts := []string{device, reports.Shorten(f.Parameters.Transport, 12)}
	if ops := opcodesOf(g); len(ops) == 1 {
		parts = append(parts, reports.Shorten(ops[0], 24))
	}
	if label := reports.SoftwareLabel(f); label != "" {
		parts = append(parts, "software device: "+reports.Shorten(label, 60))
	}
	return strings.Join(parts, ", ")
}

// plotWarnings picks what belongs on a plot: no warnings about rows that it
// does not show, nor the software label, which is in the subtitle.
func plotWarnings(g *reports.Group, size int) []string {
	labelled := reports.SoftwareLabel(g.Runs[0]) != ""
	bare := &reports.Group{Op: g.Op, Kind: g.Kind, Numbers: g.Numbers}
	for _, f := range g.Runs {
		copied := *f
		copied.Warnings = nil
		for _, w := range f.Warnings {
			if !labelled || w.ID != "software-device" {
				copied.Warnings = append(copied.Warnings, w)
			}
		}
		copied.Rows = slices.DeleteFunc(slices.Clone(f.Rows), func(r result.Row) bool { return size != anySize && r.Size != size })
		bare.Runs = append(bare.Runs, &copied)
	}
	return fewWarnings(bare.WarningLines())
}

// fewWarnings makes warnings fit for a plot: of more than three the rest is counted.
func fewWarnings(all []string) []string {
	var lines []string
	for i, line := range all {
		if i == 2 && len(all) > 3 {
			return append(lines, fmt.Sprintf("and %d more warnings, see the tables", len(all)-i))
		}
		lines = append(lines, reports.Shorten("Warning: "+line, 128))
	}
	return lines
}

// textStyle returns base with the font, size and colour that figures use.
func textStyle(size float64, bold bool, c color.Color, base text.Style) text.Style {
	base.Font = font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Points(size)}
	if bold {
		base.Font.Weight = xfont.WeightBold
	}
	base.Color = c
	base.Handler = plot.DefaultTextHandler
	return base
}

const margin = vg.Length(12)

// draw lays out title, subtitle, warnings, legend and plot from top to bottom.
func (s *sketch) draw(c draw.Canvas) {
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	c = draw.Crop(c, margin, -margin, margin, -margin)
	top := c.Max.Y
	line := func(str string, style text.Style) {
		top -= style.Font.Size
		c.FillText(style, vg.Point{X: c.Min.X, Y: top}, str)
		top -= vg.Points(4)
	}
	line(s.title, textStyle(14, true, inkColor, text.Style{}))
	line(s.subtitle, textStyle(11, false, quietColor, text.Style{}))
	for _, w := range s.warnings {
		line(w, textStyle(10, false, warningColor, text.Style{}))
	}
	top = s.drawLegend(c, top-vg.Points(4)) - vg.Points(8)
	// The plot's own labels would take room as if their place were in data units.
	label := textStyle(11, false, inkColor, text.Style{})
	line(s.yLabel, label)
	top -= vg.Points(4)
	label.XAlign = draw.XCenter
	c.FillText(label, vg.Point{X: c.Center().X, Y: c.Min.Y + 2}, s.xLabel)
	s.plot.Draw(draw.Crop(c, 0, 0, label.Font.Size+vg.Points(8), top-c.Max.Y))
}

// drawLegend puts the entries side by side below top, in as many lines as they
// need, and returns where the lowest ends.
func (s *sketch) drawLegend(c draw.Canvas, top vg.Length) vg.Length {
	const sampleWidth, gap, height = 28, 18, 13
	style := textStyle(10.5, false, inkColor, text.Style{})
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
