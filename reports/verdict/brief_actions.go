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
	extent string // the messages that mode data is for: " up to 128 KiB"; empty: all that were measured
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
	if end := best.points[len(best.points)-1]; last != end || len(best.points) == 1 {
		a.extent = best.extent(last)
		if best.group.Along == rows.NoAxis {
			a.UpTo = last.Size
		}
	}
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
	switch {
	case s.group.Along != rows.NoAxis:
		return map[rows.Axis]string{rows.AlongQPs: " over up to ", rows.AlongGap: " with ", rows.AlongRate: " at up to "}[s.group.Along] + s.withUnit(s.pointsText([]*rows.Point{last}))
	case len(s.points) == 1:
		return " of " + sizeText(last.Size)
	}
	return " up to " + sizeText(last.Size)
}
