package harness

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/ibperf/ibperf/internal/confidence"
	"github.com/ibperf/ibperf/option"
)

// With --precision the client directs further runs until the confidence intervals of all ratios are
// narrow enough.

// widestInterval returns half the width of the widest interval of a size's ratios, and whether more
// rounds or more runs would narrow it.
func (s *session) widestInterval(size int) (float64, confidence.Level) {
	base, runs := s.rows[rowKey{size, s.baseline()}].figures()
	width, level := 0.0, confidence.Rounds
	for mode := range s.decision.modes {
		rb := s.rows[rowKey{size, mode}]
		if mode == s.baseline() || rb.noRatio != "" {
			continue
		}
		figures, _ := rb.figures()
		if w := confidence.OfRatio(figures, base, runs).HalfWidth(); w > width {
			width, level = w, confidence.Widest(figures, base, runs)
		}
	}
	return width, level
}

// baseline returns the index of the mode that the others are compared with: poll.
func (s *session) baseline() int {
	return max(0, slices.IndexFunc(s.decision.modes, func(g measuredMode) bool { return g.mode.Baseline() }))
}

// needsRun reports whether another run is necessary to narrow the intervals. If rounds vary most, that
// run has twice the number of rounds; if runs vary most, the same number. needsRun records in s.limit
// why intervals are wider than --precision.
func (s *session) needsRun(began time.Time, last time.Duration) bool {
	p := s.plan
	if p.Precision == 0 {
		return false
	}
	widest, width, level := 0, 0.0, confidence.Unknown
	for size := range p.Sizes {
		if w, l := s.widestInterval(size); w > width {
			widest, width, level = size, w, l
		}
	}
	s.limit = ""
	if width <= p.Precision && s.run >= minRuns {
		return false
	}
	switch {
	case math.IsInf(width, 0):
		s.limit = fmt.Sprintf("%d bytes: the runs are too few for an interval", p.Sizes[widest])
	case width > p.Precision:
		s.limit = fmt.Sprintf("%d bytes: the widest interval is ±%.1f %% after %v; most of the variation is between %s",
			p.Sizes[widest], width*100, time.Since(began).Round(time.Second), level)
	}
	if level == confidence.Rounds && p.Rounds*s.repeats < option.MaxRounds {
		s.repeats *= 2
		last *= 2
	}
	return s.run < option.MaxRuns && time.Since(began)+last < p.TimeLimit
}

// minRuns is the smallest number of runs that show how runs differ.
const minRuns = 3
