package chart

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Tooltip is a text that browsers show while the pointer is at a point of the plot.
type Tooltip struct {
	X, Y float64 // on the axes
	Text string
}

// A placedTooltip is a position on a canvas with its texts. Tooltips that nearly coincide are joined.
type placedTooltip struct {
	at    vg.Point
	texts []string
}

// The maximum radius of the area of a tooltip, and the distance below which two tooltips are joined.
const (
	maxRadius    = vg.Length(9)
	joinDistance = vg.Length(7)
)

// placeTooltips returns the tooltips of a plot on the canvas that its data is drawn on. It leaves out
// those beyond the axes, and texts that another text at the same position begins with.
func placeTooltips(tooltips []Tooltip, p *plot.Plot, c draw.Canvas) []placedTooltip {
	x, y := p.Transforms(&c)
	var all []placedTooltip
	for _, s := range tooltips {
		at := vg.Point{X: x(s.X), Y: y(s.Y)}
		if !c.Contains(at) {
			continue
		}
		i := slices.IndexFunc(all, func(other placedTooltip) bool { return distance(at, other.at) < joinDistance })
		switch {
		case i < 0:
			all = append(all, placedTooltip{at, []string{s.Text}})
		case !slices.ContainsFunc(all[i].texts, func(t string) bool { return strings.HasPrefix(t, s.Text) }):
			all[i].texts = append(all[i].texts, s.Text)
		}
	}
	return all
}

func distance(a, b vg.Point) vg.Length {
	return vg.Length(math.Hypot(float64(a.X-b.X), float64(a.Y-b.Y)))
}

// writeTooltips writes tooltips as invisible circles with a title each, which it makes smaller where
// two would overlap. In SVG, y points downwards.
func writeTooltips(b *bytes.Buffer, tooltips []placedTooltip, height vg.Length) error {
	b.WriteString(`<g class="spots" fill="none" pointer-events="all">` + "\n")
	for i, s := range tooltips {
		r := maxRadius
		for j, other := range tooltips {
			if i != j {
				r = min(r, distance(s.at, other.at)/2)
			}
		}
		fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="%.1f"><title>`, float64(s.at.X), float64(height-s.at.Y), float64(r))
		if err := xml.EscapeText(b, []byte(strings.Join(s.texts, "\n"))); err != nil {
			return err
		}
		b.WriteString("</title></circle>\n")
	}
	b.WriteString("</g>\n")
	return nil
}
