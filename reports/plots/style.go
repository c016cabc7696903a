package plots

import (
	"image/color"

	"github.com/ibperf/ibperf/reports/plots/sketch"
	"github.com/ibperf/ibperf/reports/result"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A modeStyle tells a completion mode from others by colour, marker and dash.
type modeStyle struct {
	mode  string
	tint  int
	shape draw.GlyphDrawer
	dash  []vg.Length
}

var (
	modeColors = map[string]color.NRGBA{
		"data":  sketch.Blue,
		"poll":  sketch.Vermillion,
		"event": sketch.Green,
	}
	modeShapes = map[string][2]draw.GlyphDrawer{ // filled, and open from the second run on
		"data":  {draw.CircleGlyph{}, draw.RingGlyph{}},
		"poll":  {draw.BoxGlyph{}, draw.SquareGlyph{}},
		"event": {draw.PyramidGlyph{}, draw.TriangleGlyph{}},
	}
	modeDashes = map[string][]vg.Length{
		"data":  nil,
		"poll":  {7, 3},
		"event": {2, 2.5},
	}
)

// variantDashes tell the variants of a mode apart, which have its colour.
var variantDashes = map[string][]vg.Length{
	result.VariantRelaxed: {7, 2, 1.5, 2},
	result.VariantLook:    {4, 2},
	result.VariantControl: {1.5, 3},
}

// styleOf is the style of a row's mode, open and lighter for a variant or a further run.
func styleOf(r *result.Row, run int) modeStyle {
	dash := modeDashes[r.Mode]
	if r.Variant != "" {
		run, dash = run+1, variantDashes[r.Variant]
	}
	return modeStyle{mode: r.Mode, tint: min(run, 2), shape: modeShapes[r.Mode][min(run, 1)], dash: dash}
}

// color is the colour of lines and markers, and of the bars of medians.
func (s modeStyle) color() color.Color { return sketch.Tint(modeColors[s.mode], s.tint) }

// pale is the colour of the bars beside those.
func (s modeStyle) pale() color.Color { return sketch.Tint(modeColors[s.mode], s.tint+2) }
