package plots

import (
	"image/color"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/chart"
	"github.com/ibperf/ibperf/result"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A modeStyle is the color and the marker of a completion mode. Lines are solid: a dash means the 99th
// percentile and nothing else.
type modeStyle struct {
	mode  option.Mode
	tint  int
	shape draw.GlyphDrawer
	small bool // in panels of one mode
}

// p99Dash is the only dash.
var p99Dash = []vg.Length{4, 3}

// In grey the modes differ in their markers, and in lightness from dark to light: event, data, poll,
// then counter and adaptive.
var (
	modeColors = map[option.Mode]color.NRGBA{
		option.ModeData:     chart.Blue,
		option.ModePoll:     chart.Vermillion,
		option.ModeCounter:  chart.Sky,
		option.ModeAdaptive: chart.Purple,
		option.ModeEvent:    chart.Green,
	}
	modeShapes = map[option.Mode]draw.GlyphDrawer{
		option.ModeData:     draw.CircleGlyph{},
		option.ModePoll:     draw.BoxGlyph{},
		option.ModeCounter:  plus,
		option.ModeAdaptive: diamond,
		option.ModeEvent:    draw.PyramidGlyph{},
	}
)

// variantShapes distinguishes the variants of a mode, which have its color.
var variantShapes = map[option.Variant]draw.GlyphDrawer{
	option.VariantRelaxed: wide,
	option.VariantLook:    tall,
	option.VariantFlag:    wide,
	option.VariantOOO:     tall,
	option.VariantSameCPU: turned,
}

// runShapes distinguishes runs where a panel shows one mode of several runs.
var runShapes = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.BoxGlyph{}, diamond, draw.PyramidGlyph{}, turned, tall, wide}

// styleOf returns the style of a row's mode, lighter for variants.
func styleOf(r *result.Row) modeStyle {
	if shape := variantShapes[r.Variant]; shape != nil {
		return modeStyle{mode: r.Mode, tint: 1, shape: shape}
	}
	return modeStyle{mode: r.Mode, shape: modeShapes[r.Mode]}
}

// ofRun returns the style of one of several runs in a panel of the mode.
func (s modeStyle) ofRun(run int) modeStyle {
	s.tint, s.shape, s.small = run%3, runShapes[run%len(runShapes)], true
	return s
}

// color returns the color of lines, markers and bars of medians.
func (s modeStyle) color() color.Color { return chart.Tint(modeColors[s.mode], s.tint) }

// pale returns the color of bars of percentiles.
func (s modeStyle) pale() color.Color { return chart.Tint(modeColors[s.mode], s.tint+2) }

// neutral returns the color of legends about several modes.
func (s modeStyle) neutral() color.Color { return chart.Tint(chart.Slate, s.tint) }

// A polygon is a marker with corners in units of the radius.
type polygon []vg.Point

// The markers are about as large as gonum's.
var (
	diamond = polygon{{X: -1.2}, {Y: -1.2}, {X: 1.2}, {Y: 1.2}}
	turned  = polygon{{X: -1.1, Y: 0.7}, {X: 1.1, Y: 0.7}, {Y: -1.2}}
	plus    = polygon{
		{X: -0.5, Y: -1.3}, {X: 0.5, Y: -1.3}, {X: 0.5, Y: -0.5}, {X: 1.3, Y: -0.5}, {X: 1.3, Y: 0.5}, {X: 0.5, Y: 0.5},
		{X: 0.5, Y: 1.3}, {X: -0.5, Y: 1.3}, {X: -0.5, Y: 0.5}, {X: -1.3, Y: 0.5}, {X: -1.3, Y: -0.5}, {X: -0.5, Y: -0.5},
	}
	tall = polygon{{X: -0.5, Y: -1.3}, {X: 0.5, Y: -1.3}, {X: 0.5, Y: 1.3}, {X: -0.5, Y: 1.3}}
	wide = polygon{{X: -1.3, Y: -0.5}, {X: 1.3, Y: -0.5}, {X: 1.3, Y: 0.5}, {X: -1.3, Y: 0.5}}
)

// DrawGlyph implements [draw.GlyphDrawer].
func (p polygon) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	corners := make([]vg.Point, len(p))
	for i, corner := range p {
		corners[i] = at.Add(corner.Scale(style.Radius))
	}
	c.FillPolygon(style.Color, corners)
}
