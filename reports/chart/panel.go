package chart

import (
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Panel is a plot with axes of its own. Most charts have one.
type Panel struct {
	Title    string // above the panel; empty if the chart has one panel
	XLabel   string
	YLabel   string
	NoStops  bool    // the panel below has the same horizontal axis, and labels it
	Share    float64 // of the height, compared with the other rows of panels
	Plot     *plot.Plot
	Tooltips []Tooltip
}

func newPanel() *Panel {
	p := &Panel{Plot: plot.New(), Share: 1}
	for _, axis := range []*plot.Axis{&p.Plot.X, &p.Plot.Y} {
		axis.Tick.Label = TextStyle(pageFont, false, Ink, axis.Tick.Label)
		axis.Padding = 0
		axis.Color, axis.Tick.Color = Quiet, Quiet
	}
	return p
}

// NextPanel returns the panel with index i, which is a new one if the sketch has only i panels.
func (s *Sketch) NextPanel(i int) *Panel {
	if i == 0 {
		return s.Panel
	}
	s.more = append(s.more[:i-1], newPanel())
	return s.more[i-1]
}

// CutPanels leaves the first n panels, of which there is at least one.
func (s *Sketch) CutPanels(n int) { s.more = s.more[:max(n-1, 0)] }

// Panels returns all panels, row by row.
func (s *Sketch) Panels() []*Panel { return append([]*Panel{s.Panel}, s.more...) }

// titleLines returns the number of lines of title and label of the vertical axis.
func (p *Panel) titleLines(width vg.Length) int {
	label, bold := TextStyle(pageFont, false, Ink, text.Style{}), TextStyle(pageFont, true, Ink, text.Style{})
	switch lines := len(wrap(p.YLabel, label, width)); {
	case p.Title == "":
		return lines
	case bold.Width(p.Title)+titleGap+label.Width(p.YLabel) <= width:
		return 1
	default:
		return lines + 1
	}
}

// The height of a line above a panel, and the distance between its title and its label in one line.
const (
	titleLine = vg.Length(pageFont + 4)
	titleGap  = vg.Length(8)
)

// drawTitle draws title and label of the vertical axis above the plot, in one line if they fit, and returns
// their lower end.
func (p *Panel) drawTitle(c draw.Canvas) vg.Length {
	label, bold := TextStyle(pageFont, false, Ink, text.Style{}), TextStyle(pageFont, true, Ink, text.Style{})
	at, lines := vg.Point{X: c.Min.X, Y: c.Max.Y - pageFont}, p.titleLines(c.Max.X-c.Min.X)
	if p.Title != "" {
		c.FillText(bold, at, p.Title)
		if at.X += bold.Width(p.Title) + titleGap; lines > 1 {
			at = vg.Point{X: c.Min.X, Y: at.Y - titleLine}
		}
	}
	for _, l := range wrap(p.YLabel, label, c.Max.X-at.X) {
		c.FillText(label, at, l)
		at.Y -= titleLine
	}
	return c.Max.Y - vg.Length(lines)*titleLine
}

// draw draws the panel with its labels, its data from inset on. The plot's own labels would take room as if
// their position were in data units.
func (p *Panel) draw(c draw.Canvas, inset vg.Length) []placedTooltip {
	top, bottom := p.drawTitle(c)-4, c.Min.Y
	if p.XLabel != "" {
		label := TextStyle(pageFont, false, Ink, text.Style{XAlign: draw.XCenter})
		c.FillText(label, vg.Point{X: c.Center().X, Y: c.Min.Y + 2}, p.XLabel)
		bottom += pageFont + 8
	}
	c.Min.Y, c.Max.Y = bottom, top
	c.Min.X += inset - (p.Plot.DataCanvas(c).Min.X - c.Min.X)
	p.Plot.Draw(c)
	return placeTooltips(p.Tooltips, p.Plot, p.Plot.DataCanvas(c))
}

// overhead returns the height of what is above and below the plots of a row of panels.
func overhead(row []*Panel, width vg.Length) (most vg.Length) {
	for _, p := range row {
		height := titleLine*vg.Length(p.titleLines(width)) + 4
		if p.XLabel != "" {
			height += pageFont + 8
		}
		if !p.NoStops {
			height += pageFont + 6
		}
		most = max(most, height)
	}
	return most
}

// grid divides the panels into rows. A narrow figure has one panel in each row.
func (s *Sketch) grid(width vg.Length) [][]*Panel {
	const narrow = 5 * vg.Inch
	columns := max(s.Columns, 1)
	if width < narrow {
		columns = 1
	}
	return slices.Collect(slices.Chunk(s.Panels(), columns))
}

// axisRoom is about the width of an axis and its ticks.
const axisRoom = vg.Length(40)

// panelGap is the distance of panels from each other.
const panelGap = vg.Length(12)

// drawPanels draws all panels on a canvas and returns their tooltips.
func (s *Sketch) drawPanels(c draw.Canvas) (all []placedTooltip) {
	rows := s.grid(c.Max.X - c.Min.X)
	columns := vg.Length(len(rows[0]))
	width := (c.Max.X - c.Min.X - (columns-1)*panelGap) / columns
	room, shares := c.Max.Y-c.Min.Y-vg.Length(len(rows)-1)*panelGap, 0.0
	for _, row := range rows {
		room -= overhead(row, width)
		shares += row[0].Share
	}
	heightOf := func(row []*Panel) vg.Length { return max(room, 0) * vg.Length(row[0].Share/shares) }
	for _, row := range rows {
		for _, p := range row {
			defer p.giveRoom(vg.Point{X: width - axisRoom, Y: heightOf(row)})()
		}
	}
	top, inset := c.Max.Y, s.inset(c)
	for _, row := range rows {
		bottom := top - heightOf(row) - overhead(row, width)
		for i, p := range row {
			left := c.Min.X + vg.Length(i)*(width+panelGap)
			place := vg.Rectangle{Min: vg.Point{X: left, Y: bottom}, Max: vg.Point{X: left + width, Y: top}}
			all = append(all, p.draw(draw.Canvas{Canvas: c.Canvas, Rectangle: place}, inset)...)
		}
		top = bottom - panelGap
	}
	return all
}

// inset returns the greatest width of an axis and its ticks, so that panels below each other begin at
// one place.
func (s *Sketch) inset(c draw.Canvas) (widest vg.Length) {
	for _, p := range s.Panels() {
		widest = max(widest, p.Plot.DataCanvas(c).Min.X-c.Min.X)
	}
	return widest
}
