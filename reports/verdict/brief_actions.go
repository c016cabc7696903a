package verdict

import (
	"slices"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/result"
)

// The reasons of actions.
const (
	reasonFaster      = "faster"
	reasonNotFaster   = "not-faster"
	reasonUnclear     = "unclear"
	reasonNoPromise   = "no-promise"
	reasonWrongData   = "wrong-data"
	reasonImpossible  = "impossible"
	reasonNotCompared = "not-compared"
)

// An advised is an action with the words about it.
type advised struct {
	Action
	extent string // the messages that mode data is for: " up to 128 KiB", " at all sizes"
	above  bool   // for others above them, poll is the choice
	file   *result.File
}

// actions returns what to do, by operation: latency and bandwidth of an operation have one action.
func (f *findings) actions() (all []advised) {
	var tests [][]*sweep
	for _, s := range f.shown() {
		i := slices.IndexFunc(tests, func(o []*sweep) bool {
			return o[0].group.Op == s.group.Op && o[0].group.Along == s.group.Along && o[0].where() == s.where()
		})
		if i < 0 {
			tests = append(tests, []*sweep{s})
		} else {
			tests[i] = append(tests[i], s)
		}
	}
	for _, sweeps := range tests {
		all = append(all, f.action(sweeps))
	}
	return all
}

// action returns what to do according to the latency and the bandwidth of an operation.
func (f *findings) action(sweeps []*sweep) advised {
	s := sweeps[0]
	a := advised{Action: Action{Op: s.group.Op, Where: s.where(), Mode: result.BaseMode}, file: s.file()}
	breaks := func(side *result.Side) bool { return f.checks.breaksPromise(side, a.Op) }
	switch {
	case a.file.Parameters.NoData() != "":
		a.Reason = reasonImpossible
	case slices.ContainsFunc(rows.WaitingSides(a.file), breaks):
		a.Reason = reasonWrongData
	case !keepsOrder(a.file):
		a.Reason = reasonNoPromise
	default:
		a.advise(f, sweeps)
	}
	return a
}

// advise advises mode data up to the last point at which it is faster in one of the sweeps. It stops before the first
// point at which it is slower in another.
func (a *advised) advise(f *findings, sweeps []*sweep) {
	a.Reason = reasonNotCompared
	var best *sweep
	var last *rows.Point
	for _, s := range sweeps {
		curve := f.curve(s, option.ModeData)
		if curve == nil {
			continue
		}
		unclear := slices.ContainsFunc(curve.Points, func(p rows.CurvePoint) bool { return p.Relation == rows.Unclear })
		switch p, faster := curve.FasterUpTo(); {
		case faster && (last == nil || s.axisValue(p) > best.axisValue(last)):
			best, last = s, p
		case unclear:
			a.Reason = reasonUnclear
		case a.Reason != reasonUnclear:
			a.Reason = reasonNotFaster
		}
	}
	for _, s := range sweeps {
		if last = f.beforeSlower(s, best, last); last == nil {
			return
		}
	}
	a.Mode, a.Reason = option.ModeData, reasonFaster
	last = best.onlyDataKeeps(last)
	a.extent, a.above = best.extent(last), best.baseKeepsMoreThan(last)
	if end := best.points[len(best.points)-1]; best.group.Along == rows.NoAxis && (last != end || len(best.points) == 1) {
		a.UpTo = last.Size
	}
}

// onlyDataKeeps returns the last of the points after a given one whose rates data keeps and poll does not, or that point.
func (s *sweep) onlyDataKeeps(last *rows.Point) *rows.Point {
	for _, p := range s.points[slices.Index(s.points, last)+1:] {
		data, base := p.Row(option.ModeData), p.Row(result.BaseMode)
		if data.Row == nil || base.Row == nil || base.KeepsRate() || !data.KeepsRate() {
			break
		}
		last = p
	}
	return last
}

// baseKeepsMoreThan reports whether poll has a point after a given one, whose rate it keeps if it has one.
func (s *sweep) baseKeepsMoreThan(last *rows.Point) bool {
	return slices.ContainsFunc(s.points[slices.Index(s.points, last)+1:], func(p *rows.Point) bool {
		return p.Row(result.BaseMode).Row != nil && p.Row(result.BaseMode).KeepsRate()
	})
}

// beforeSlower returns the last point of a sweep, up to a given one, that lies before the first point of another sweep
// at which mode data is slower; nil if there is none.
func (f *findings) beforeSlower(other, s *sweep, last *rows.Point) *rows.Point {
	if last == nil || f.curve(other, option.ModeData) == nil {
		return last
	}
	for _, p := range f.curve(other, option.ModeData).Points {
		if p.Relation != rows.Slower || other.axisValue(p.Point) > s.axisValue(last) {
			continue
		}
		var before *rows.Point
		for _, own := range s.points {
			if s.axisValue(own) < other.axisValue(p.Point) {
				before = own
			}
		}
		return before
	}
	return last
}

// extent says for which messages mode data is faster.
func (s *sweep) extent(last *rows.Point) string {
	switch along := s.group.Along; {
	case along == rows.NoAxis && len(s.points) == 1:
		return " of " + sizeText(last.Size)
	case last == s.points[len(s.points)-1]:
		return map[rows.Axis]string{rows.NoAxis: " at all sizes", rows.AlongQPs: " with all numbers of QPs", rows.AlongGap: " with all pauses",
			rows.AlongRate: " at all rates"}[along]
	case along == rows.NoAxis:
		return " up to " + sizeText(last.Size)
	default:
		return map[rows.Axis]string{rows.AlongQPs: " with up to ", rows.AlongGap: " with ", rows.AlongRate: " up to "}[along] + s.pointText(last)
	}
}
