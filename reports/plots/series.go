package plots

import (
	"image/color"
	"slices"

	"github.com/ibperf/ibperf/reports"
	"github.com/ibperf/ibperf/reports/result"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A series is what one line of a plot shows: the rows of a run that detected
// arrival in the same way, in ascending size.
type series struct {
	run  int
	name string // in legends
	rows []*result.Row
	modeStyle
}

// A modeStyle tells a completion mode from others by colour, marker and dash.
type modeStyle struct {
	color color.Color
	shape draw.GlyphDrawer
	dash  []vg.Length
}

// The colours are of Okabe and Ito's palette, which people with any kind of
// colour vision can tell apart.
var (
	modeColors = map[string]color.NRGBA{
		"data":  {R: 0x00, G: 0x72, B: 0xB2, A: 0xFF}, // blue
		"poll":  {R: 0xD5, G: 0x5E, B: 0x00, A: 0xFF}, // vermillion
		"event": {R: 0x00, G: 0x9E, B: 0x73, A: 0xFF}, // bluish green
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
	mode, dash := r.Mode, modeDashes[r.Mode]
	if r.Variant != "" {
		run, dash = run+1, variantDashes[r.Variant]
	}
	c := modeColors[mode]
	fade := func(v uint8) uint8 { return v + uint8(float64(255-v)*min(0.35*float64(run), 0.65)) }
	return modeStyle{
		color: color.NRGBA{R: fade(c.R), G: fade(c.G), B: fade(c.B), A: c.A},
		shape: modeShapes[mode][min(run, 1)],
		dash:  dash,
	}
}

// series sorts the rows of a group into lines: by run, then by name. A name
// whose opcode changes within a run makes a line for each.
func seriesOf(g *reports.Group) []*series {
	type key struct {
		run    int
		name   string
		forced bool
		opcode string
	}
	index := map[key]*series{}
	var all []*series
	named := len(opcodesOf(g)) > 1
	for _, e := range g.Entries() {
		if g.Kind == result.KindLatency && e.Latency.MeanOnly {
			continue // latency is drawn by percentiles
		}
		k := key{e.Run, e.Name(), e.Forced, e.Opcode}
		s := index[k]
		if s == nil {
			s = &series{run: e.Run, name: seriesName(g, e, named), modeStyle: styleOf(e.Row, e.Run)}
			index[k] = s
			all = append(all, s)
		}
		s.rows = append(s.rows, e.Row)
	}
	for _, s := range all {
		slices.SortStableFunc(s.rows, func(a, b *result.Row) int { return a.Size - b.Size })
	}
	slices.SortStableFunc(all, func(a, b *series) int {
		if a.run != b.run {
			return a.run - b.run
		}
		return slices.Index(result.NameOrder, a.rows[0].Name()) - slices.Index(result.NameOrder, b.rows[0].Name())
	})
	return all
}

func seriesName(g *reports.Group, e reports.Entry, withOpcode bool) string {
	name := e.Row.ModeName()
	if withOpcode {
		name += ", " + reports.Shorten(e.Opcode, 24)
	}
	if l := g.Label(e.Run); l != "" {
		name = l + " " + name
	}
	return name
}

// opcodes lists the opcodes of a group in order of appearance.
func opcodesOf(g *reports.Group) []string {
	var all []string
	for _, e := range g.Entries() {
		if !slices.Contains(all, e.Opcode) {
			all = append(all, e.Opcode)
		}
	}
	return all
}

// sizesOf lists the message sizes of all series, ascending.
func sizesOf(lines []*series) []int {
	var all []int
	for _, s := range lines {
		for _, r := range s.rows {
			all = append(all, r.Size)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// row returns the first row of a size, nil if there is none.
func (s *series) row(size int) *result.Row {
	for _, r := range s.rows {
		if r.Size == size {
			return r
		}
	}
	return nil
}
