package rows

import (
	"cmp"
	"math"
	"slices"

	"github.com/ibperf/ibperf/internal/confidence"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// A Curve compares one row of each point with another along an axis. It has one change point, to which all points
// contribute: up to there the row is faster than the other, and beyond it is not.
type Curve struct {
	Points []CurvePoint // those that have a ratio with an interval, along the axis
	last   int          // index of the change point, or -1
}

// A CurvePoint is a point with the ratio of the two rows.
type CurvePoint struct {
	*Point
	Estimate confidence.Estimate
	Relation Relation

	// Disturbed is set if a warning of one of the rows makes the ratio doubtful. Such a point has no part in the fit.
	Disturbed bool

	// Island marks a point beyond the change point whose own interval says faster. Nothing is concluded from it:
	// of many intervals some are wrong by chance.
	Island bool
}

// FasterUpTo returns the last point at which the row is faster, counted from the first.
func (c *Curve) FasterUpTo() (*Point, bool) {
	if c == nil || c.last < 0 {
		return nil, false
	}
	return c.Points[c.last].Point, true
}

// At returns the point of the curve that a point of its group is.
func (c *Curve) At(p *Point) (CurvePoint, bool) {
	if c != nil {
		for _, at := range c.Points {
			if at.Point == p {
				return at, true
			}
		}
	}
	return CurvePoint{}, false
}

// Curve compares a mode with poll by the main number of the group, in one of its runs or along its axis. It returns
// nil if they are not compared.
func (g *Group) Curve(run int, mode option.Mode) *Curve {
	for _, line := range g.Lines() {
		if at := line[0].Run; at == run || at < 0 || g.Along != NoAxis {
			return CurveOf(result.ColumnOf(g.ComparedFields()[0]), line, string(mode), result.BaseName)
		}
	}
	return nil
}

// Lines divides the points of the group into those of one curve each, along its axis: those of a run, or of
// a size along numbers of QPs or pauses.
func (g *Group) Lines() [][]*Point {
	var lines [][]*Point
	index := map[int]int{}
	for _, p := range g.Points() {
		key := p.Run
		if g.Along != NoAxis {
			key = p.Size
		}
		at, known := index[key]
		if !known {
			at = len(lines)
			index[key] = at
			lines = append(lines, nil)
		}
		lines[at] = append(lines[at], p)
	}
	for _, line := range lines {
		slices.SortStableFunc(line, func(a, b *Point) int { return cmp.Compare(g.axisValue(a), g.axisValue(b)) })
	}
	return lines
}

// axisValue returns the position of a point on the axis of the group.
func (g *Group) axisValue(p *Point) float64 {
	if g.Along != NoAxis {
		for _, e := range p.Rows {
			return g.Along.Value(e.File)
		}
	}
	return float64(p.Size)
}

// CurveOf compares the rows of two names by a column, at points in the order of their axis. It returns nil if no
// point has their ratio with an interval.
func CurveOf(c *result.Column, points []*Point, name, base string) *Curve {
	curve := &Curve{last: -1}
	var gains []confidence.Gain
	for _, p := range points {
		a, b := p.Rows[name], p.Rows[base]
		if a.Row == nil || b.Row == nil {
			continue
		}
		if r := EstimateOf(c, a, b); r.Enough {
			at := CurvePoint{Point: p, Estimate: r, Disturbed: AnyDisturbed(a, b)}
			curve.Points, gains = append(curve.Points, at), append(gains, at.gain(c, a, b))
		}
	}
	if len(gains) == 0 {
		return nil
	}
	faster := confidence.ChangePoint(gains)
	for i := range curve.Points {
		p := &curve.Points[i]
		if p.relate(c, i < faster); p.Relation == Faster {
			curve.last = i
		}
	}
	return curve
}

// relate sets the relation of a point before or beyond the change point.
func (p *CurvePoint) relate(c *result.Column, before bool) {
	own := RelationOf(c, p.Estimate)
	switch {
	case p.Disturbed:
	case before && mayBeFaster(c, p.Estimate):
		p.Relation = Faster
	case before:
	case own == Faster:
		p.Island = true
	default:
		p.Relation = own
	}
}

// mayBeFaster reports whether the ratio of a point is a gain, and its interval holds one that counts.
func mayBeFaster(c *result.Column, r confidence.Estimate) bool {
	if LessIsFaster(c) {
		return r.Value < 1 && math.Log(r.Low) <= -confidence.MinGain
	}
	return r.Value > 1 && math.Log(r.High) >= confidence.MinGain
}

// gain returns the gain of the row over the other.
func (p *CurvePoint) gain(c *result.Column, e, base Entry) confidence.Gain {
	if p.Disturbed {
		return confidence.Gain{}
	}
	own, other, runs := pairs(c, e.Row, base.Row)
	if LessIsFaster(c) {
		own, other = other, own
	}
	g := confidence.GainOf(own, other, runs)
	if e.Variant == option.VariantControl {
		return g
	}
	return g.WidenedBy(controlAt(c, e))
}
