package plots

import (
	"slices"

	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/reports/chart"
	"github.com/ibperf/ibperf/reports/rows"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A post is the change point of a curve: the mode is faster than poll to the left of it.
type post struct {
	at   float64
	text string
	*series
}

// posts draws change points.
type posts []post

// changePosts returns the change points of series that have one between their sizes.
func (g *group) changePosts(lines []*series) *posts {
	all := &posts{}
	for _, s := range lines {
		e := s.entries[0]
		if e.Variant != "" || g.excluded[e.Row] {
			continue
		}
		upTo, faster := g.Curve(s.run, s.mode).FasterUpTo()
		if !faster {
			continue
		}
		next := slices.IndexFunc(s.entries, func(e rows.Entry) bool { return e.Size > upTo.Size })
		if next < 1 || upTo.Size <= 0 {
			continue
		}
		text := "faster up to " + units.Size(upTo.Size)
		if !g.byMode { // else the color tells the run, and the panel the mode
			text = s.shortName + " is " + text
		}
		*all = append(*all, post{between(upTo.Size, s.entries[next].Size), text, s})
	}
	return all
}

// Plot implements [plot.Plotter].
func (ps *posts) Plot(c draw.Canvas, p *plot.Plot) {
	x, _ := p.Transforms(&c)
	for _, post := range *ps {
		c.StrokeLine2(draw.LineStyle{Color: post.color(), Width: vg.Points(1)}, x(post.at), c.Min.Y, x(post.at), c.Max.Y)
	}
}

// label adds labels of the change points, near the upper end of the axis or lower.
func (ps *posts) label(l *labels, high float64) {
	for _, post := range *ps {
		var places plotter.XYs
		for part := 0.97; part > 0; part -= 0.06 {
			places = append(places, plotter.XY{X: post.at, Y: high * part})
		}
		l.posts = append(l.posts, post.at)
		l.texts = slices.Insert(l.texts, 0, label{at: places[0], elsewhere: places[1:], text: post.text,
			color: chart.Text(modeColors[post.mode]), sides: []side{left, right}})
	}
}
