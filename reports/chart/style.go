package chart

import (
	"fmt"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
)

// A Style is the size of a figure and of its text. The zero Style is that of pages.
type Style struct {
	Width, Height float64 // inches; 0: the width of pages, the height that the content needs
	Font          float64 // points of the text at axes, which sets the size of all else; 0: 10
	NoTitle       bool    // no title, subtitle, notes and harmless warnings
	Brief         bool    // the legend has short names and no explanations
}

// The size of a page's figure, and the size of the text at its axes. Other fonts scale the drawing.
const (
	pageWidth  = 8 * vg.Inch
	pageHeight = 5 * vg.Inch
	rowHeight  = 1.6 * vg.Inch // of each further row of panels
	pageFont   = 10
)

// The resolutions of PNG files: on pages, and in a size of one's own.
const (
	DPI      = 144
	printDPI = 300
)

// The least height of a plot that can be read, and the least width of a figure.
const (
	leastPlot  = vg.Length(30)
	leastWidth = vg.Length(120)
)

// frame returns the size of a sketch on paper, and the scale of all that is drawn. A height that the style does
// not have is one that has room for all; at the width of pages, where figures are alike, it is limited.
func (s *Sketch) frame(style Style) (width, height vg.Length, scale float64, err error) {
	width, scale = pageWidth, 1
	if style.Width > 0 {
		width = vg.Length(style.Width) * vg.Inch
	}
	if style.Font > 0 {
		scale = style.Font / pageFont
	}
	needs := func(what string, least vg.Length) error {
		return fmt.Errorf("figure of %.3g by %.3g inches: it needs a %s of %.3g inches, or a smaller font", width/vg.Inch, style.Height, what, least/vg.Inch)
	}
	if least := vg.Length(scale) * leastWidth; width < least {
		return 0, 0, 0, needs("width", least)
	}
	inner := width / vg.Length(scale)
	rows := vg.Length(len(s.grid(inner)))
	texts := s.textHeight(inner, style)
	if style.Height <= 0 && s.Square {
		return width, vg.Length(scale) * (texts + rows*(inner-2*margin-axisRoom)), scale, nil
	}
	if style.Height <= 0 {
		height = texts + rows*inner/2
		if style.Width <= 0 {
			height = max(min(pageHeight+(rows-1)*rowHeight, height), texts+rows*2*leastPlot)
		}
		return width, vg.Length(scale) * height, scale, nil
	}
	height = vg.Length(style.Height) * vg.Inch
	if least := vg.Length(scale) * (texts + rows*leastPlot); height < least {
		return 0, 0, 0, needs("height", least)
	}
	return width, height, scale, nil
}

// textHeight returns the height of all but the plots.
func (s *Sketch) textHeight(width vg.Length, style Style) vg.Length {
	const enough = 1e4
	c := draw.NewCanvas(new(recorder.Canvas), width, enough)
	height := enough - s.drawTexts(&c, style) + margin
	rows := s.grid(width)
	for _, row := range rows {
		height += overhead(row, (c.Max.X-c.Min.X-vg.Length(len(rows[0])-1)*panelGap)/vg.Length(len(rows[0])))
	}
	return height + vg.Length(len(rows)-1)*panelGap
}
