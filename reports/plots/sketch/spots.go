package sketch

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

// A Spot is a point of the plot that has a text: whoever points at it is shown that.
type Spot struct {
	X, Y float64 // on the axes
	Text string
}

// A placed spot is where a canvas has it. Several that nearly coincide are one.
type placed struct {
	at    vg.Point
	texts []string
}

// The reach of a spot from its middle, and up to where two spots cannot be told apart.
const (
	reach    = vg.Length(9)
	together = vg.Length(7)
)

// place finds the spots of a plot on the canvas that its data is drawn on. What is beyond
// the axes has none, and what begins another text of the spot is not said again.
func place(spots []Spot, p *plot.Plot, c draw.Canvas) []placed {
	x, y := p.Transforms(&c)
	var all []placed
	for _, s := range spots {
		at := vg.Point{X: x(s.X), Y: y(s.Y)}
		if !c.Contains(at) {
			continue
		}
		i := slices.IndexFunc(all, func(other placed) bool { return distance(at, other.at) < together })
		switch {
		case i < 0:
			all = append(all, placed{at, []string{s.Text}})
		case !slices.ContainsFunc(all[i].texts, func(t string) bool { return strings.HasPrefix(t, s.Text) }):
			all[i].texts = append(all[i].texts, s.Text)
		}
	}
	return all
}

func distance(a, b vg.Point) vg.Length {
	return vg.Length(math.Hypot(float64(a.X-b.X), float64(a.Y-b.Y)))
}

// writeSpots writes spots as invisible circles with a title each. They are smaller where
// two would overlap. A drawing counts y from above.
func writeSpots(b *bytes.Buffer, spots []placed) error {
	b.WriteString(`<g class="spots" fill="none" pointer-events="all">` + "\n")
	for i, s := range spots {
		r := reach
		for j, other := range spots {
			if i != j {
				r = min(r, distance(s.at, other.at)/2)
			}
		}
		fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="%.1f"><title>`, float64(s.at.X), float64(figureHeight-s.at.Y), float64(r))
		if err := xml.EscapeText(b, []byte(strings.Join(s.texts, "\n"))); err != nil {
			return err
		}
		b.WriteString("</title></circle>\n")
	}
	b.WriteString("</g>\n")
	return nil
}
