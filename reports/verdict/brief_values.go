package verdict

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ibperf/ibperf/internal/printable"
	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/result"
)

// shownSize is the message size of the figures of a brief, or the nearest one that was measured.
const shownSize = 64

// shown returns the sweeps that a brief is about: of each operation those by message size, or the others if it has
// none. It leaves out rows that were checked, and devices whose data was corrupt after a completion.
func (f *findings) shown() (all []*sweep) {
	for _, s := range f.trusted() {
		bySize := func(o *sweep) bool {
			return o.group.Op == s.group.Op && o.group.Along == rows.NoAxis && !o.group.Verify
		}
		if !s.group.Verify && (s.group.Along == rows.NoAxis || !slices.ContainsFunc(f.sweeps, bySize)) {
			all = append(all, s)
		}
	}
	return all
}

// where returns what distinguishes a sweep from others of its test.
func (s *sweep) where() string {
	p := s.points[0]
	if s.group.Along != rows.NoAxis {
		return "of " + strings.Replace(sizeText(p.Size), "bytes", "B", 1) + s.setting
	}
	return strings.TrimSpace(strings.TrimPrefix(s.name, testName(s.group.Op, s.group.Kind)))
}

// pointText names a point of a sweep along an axis: "4 QPs", "21.8k/s".
func (s *sweep) pointText(p *rows.Point) string {
	text := s.pointsText([]*rows.Point{p})
	if s.group.Along == rows.AlongRate {
		return text + "/s"
	}
	return s.withUnit(text)
}

// shownPoint returns the point with the figures of a sweep.
func (s *sweep) shownPoint() *rows.Point {
	if s.group.Along != rows.NoAxis {
		return s.points[0]
	}
	distance := func(p *rows.Point) float64 { return math.Abs(math.Log(float64(max(p.Size, 1)) / shownSize)) }
	return slices.MinFunc(s.points, func(a, b *rows.Point) int {
		return int(math.Copysign(1, distance(a)-distance(b)))
	})
}

// curve compares a mode with poll. It returns nil if they are not compared, or the mode is not considered.
func (f *findings) curve(s *sweep, mode option.Mode) *rows.Curve {
	if mode == result.BaseMode || f.excludedIn(s, mode) {
		return nil
	}
	return f.curveOf(s, pair{mode, result.BaseMode})
}

// excludedIn reports whether a sweep has rows of a mode that are not considered.
func (f *findings) excludedIn(s *sweep, mode option.Mode) bool {
	return slices.ContainsFunc(s.points, func(p *rows.Point) bool {
		e := p.Row(mode)
		return e.Row != nil && f.excluded(e)
	})
}

// operations returns the figures of each operation at one message size.
func (f *findings) operations() (all []Operation) {
	for _, s := range f.shown() {
		p := s.shownPoint()
		op, where := s.group.Op, s.where()
		if s.group.Along != rows.NoAxis {
			where += ", " + s.pointText(p)
		}
		i := slices.IndexFunc(all, func(o Operation) bool { return o.Op == op && o.Where == where })
		if i < 0 {
			i = len(all)
			all = append(all, Operation{Op: op, Where: where})
		}
		figures := &Figures{Size: p.Size}
		for _, mode := range result.ModeOrder {
			if e := p.Row(mode); e.Row != nil && !f.excludedIn(s, mode) {
				figures.Modes = append(figures.Modes, f.figure(s, p, mode))
			}
		}
		switch {
		case len(figures.Modes) == 0:
		case s.group.Kind == option.KindLatency:
			all[i].Latency = figures
		default:
			all[i].Bandwidth = figures
		}
	}
	return slices.DeleteFunc(all, func(o Operation) bool { return o.Latency == nil && o.Bandwidth == nil })
}

// figure returns the figure of a mode at a point.
func (f *findings) figure(s *sweep, p *rows.Point, mode option.Mode) Figure {
	fig := Figure{Mode: mode}
	switch v := units.Finite(p.Row(mode).Value(s.column)); {
	case s.group.Kind == option.KindBandwidth:
		fig.Rate = v
		if p.Size > 0 {
			fig.Messages = v / float64(p.Size)
		}
	case s.group.MeanOnly():
		fig.Mean = v
	default:
		fig.Median = v
	}
	curve := f.curve(s, mode)
	if at, compared := curve.At(p); compared {
		fig.Ratio, fig.Relation = ratioOf(at.Estimate), at.Relation.String()
	}
	if last, faster := curve.FasterUpTo(); faster && s.group.Along == rows.NoAxis {
		fig.UpTo = last.Size
	}
	return fig
}

// sizeText formats a message size in a sentence: "128 KiB".
func sizeText(bytes int) string {
	text := units.Size(bytes)
	if last := len(text) - 1; text[last] > '9' {
		return text[:last] + " " + text[last:] + "iB"
	}
	return text + " bytes"
}

// threeDigits formats a number with about three digits.
func threeDigits(v float64) string {
	switch {
	case v == 0 || v >= 99.95:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 9.995:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case v >= 0.9995:
		return strconv.FormatFloat(v, 'f', 2, 64)
	case v >= 0.01:
		return strconv.FormatFloat(v, 'f', 3, 64)
	}
	return strconv.FormatFloat(v, 'g', 2, 64)
}

// opLabel names an operation and where it was measured.
func opLabel(op option.Op, where string) string {
	return strings.TrimSpace(opWord(op) + " " + printable.Clean(where))
}
