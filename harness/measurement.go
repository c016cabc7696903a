package harness

import (
	"fmt"

	"github.com/ibperf/ibperf/harness/internal/affinity"
	"github.com/ibperf/ibperf/harness/internal/loop"
	"github.com/ibperf/ibperf/harness/internal/testcase"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/result"
)

// measurement holds the figures of both sides in a round. If the round was interrupted, theirs is empty.
type measurement struct {
	group        *loop.Group
	mine, theirs oob.Round
	figure       *result.Round // nil: no side has it
	devices      []measurement // of each of several devices; the measurement itself is of all of them
}

// measurement returns the measurement of a round.
func (s *session) measurement(tc *testcase.Case, g *loop.Group, mine, theirs oob.Round) measurement {
	m := measurement{group: g, mine: mine, theirs: theirs, figure: s.figure(tc, mine, theirs)}
	for i, d := range g.Devices {
		m.devices = append(m.devices, s.measurement(tc, d, part(mine, i), part(theirs, i)))
	}
	return m
}

// part returns what the i-th of several devices measured; an empty round if that is not known.
func part(r oob.Round, i int) oob.Round {
	if i < len(r.Devices) {
		return r.Devices[i]
	}
	return oob.Round{CPU: affinity.NoCPU}
}

// figure returns the figures of a round: those of the side whose clock counts, or in a bidirectional
// test those of both sides joined. It returns nil if the peer has sent none.
func (s *session) figure(tc *testcase.Case, mine, theirs oob.Round) *result.Round {
	switch {
	case tc.Bidirectional():
		return s.alignment.joinFigures(tc.Size, mine, theirs)
	case mine.Figure != nil:
		return mine.Figure
	}
	return theirs.Figure
}

// checkFigures returns an error if figures of a complete round are missing, or impossible.
func (s *session) checkFigures(tc *testcase.Case, m *measurement) error {
	if m.figure == nil && !tc.Exact {
		return missingResult("result", tc)
	}
	if m.figure != nil && tc.Bidirectional() { // the peer's begin and end are checked together with this side's
		limits := s.limits(tc)
		limits.Devices = 1 // a figure has no parts
		if bad := (&oob.Round{Figure: m.figure}).Check(limits); bad != nil {
			return &oob.MessageError{Exchange: "result", Err: fmt.Errorf("with this side's begin and end: %w", bad)}
		}
	}
	for i := range m.devices {
		if err := s.checkFigures(tc, &m.devices[i]); err != nil {
			return err
		}
	}
	return nil
}
