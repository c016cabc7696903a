package reports

import (
	"slices"

	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/reports/result"
)

// shortLine says up to which size data is faster than poll in all latency tests, and in all
// bandwidth tests, empty if that is so of no kind of which there are several.
func (f *findings) shortLine() string {
	line := ""
	for _, kind := range []string{result.KindLatency, result.KindBandwidth} {
		var names []string
		most := 0
		for _, s := range f.subjects {
			if s.group.Kind != kind || s.group.Along != NoAxis || !s.compares("data", result.BaseMode) {
				continue
			}
			size := s.fasterUpTo("data")
			if len(names) == 0 || size < most {
				most = size
			}
			names = append(names, s.name)
		}
		if len(names) < 2 || most == 0 {
			continue
		}
		if line == "" {
			line = "In short: data is faster than poll in "
		} else {
			line += ", in "
		}
		line += together(names) + " up to " + units.Size(most) + " bytes"
	}
	return line
}

// compares tells whether a pair of modes was compared at some point.
func (s *subject) compares(mode, base string) bool {
	return slices.ContainsFunc(s.clauses, func(c *clause) bool { return c.pair == pair{mode, base} && c.why == "" })
}

// fasterUpTo is the largest size up to which a mode is faster than poll at all sizes, 0 if there
// is none.
func (s *subject) fasterUpTo(mode string) (size int) {
	for _, l := range s.points {
		if !slices.ContainsFunc(s.clauses, func(c *clause) bool {
			return c.pair == pair{mode, result.BaseMode} && s.faster(c) && slices.Contains(c.points, l)
		}) {
			break
		}
		size = l.size
	}
	return size
}
