package plots

import (
	"slices"
	"strings"

	"github.com/ibperf/ibperf/reports/chart"
	"github.com/ibperf/ibperf/reports/phrase"
	"github.com/ibperf/ibperf/reports/rows"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A knee is the maximum rate of a mode, in messages per second: with more its backlog grows.
type knee struct {
	median, fastest float64 // of its rounds
	*series
}

// knees draws maximum rates as vertical lines.
type knees []knee

// kneeDashes are those of the lines of maximum rates.
var kneeDashes = []vg.Length{4, 3}

// kneesOf returns the maximum rates of the series that have one.
func kneesOf(g *group, lines []*series) (all knees) {
	for _, s := range lines {
		first := s.entries[0]
		alike := slices.DeleteFunc(g.Entries(), func(e rows.Entry) bool { return e.Name() != first.Name() || e.Size != first.Size })
		if at := rows.Knee(alike); at != nil {
			median, fastest := at.RoundRates()
			all = append(all, knee{median, fastest, s})
		}
	}
	return all
}

func (ks knees) rates() (all []float64) {
	for _, k := range ks {
		all = append(all, k.fastest)
	}
	return all
}

// unsteady is the quotient of the fastest and the median round from which on a maximum rate is printed with both.
const unsteady = 1.25

// text returns the maximum rates in words.
func (ks knees) text() string {
	var parts []string
	for _, k := range ks {
		text := k.entries[0].ModeName() + " " + phrase.PerSecond(k.fastest)
		if k.fastest > unsteady*k.median {
			text += " (" + phrase.PerSecond(k.median) + " in the median round)"
		}
		parts = append(parts, text)
	}
	return "Maximum rate, in the fastest round: " + strings.Join(parts, ", ") + " messages/s."
}

// Plot implements [plot.Plotter].
func (ks knees) Plot(c draw.Canvas, p *plot.Plot) {
	x, _ := p.Transforms(&c)
	for _, k := range ks {
		style := draw.LineStyle{Color: k.color(), Width: chart.LineWidth * 0.7, Dashes: kneeDashes}
		c.StrokeLine2(style, x(k.fastest), c.Min.Y, x(k.fastest), c.Max.Y)
	}
}
