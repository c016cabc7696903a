package harness

import (
	"time"

	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
)

// Each mode of a size runs for a while before its rounds are measured.
const (
	// warmUp is the time before the first rounds of a size in a run. After 2 ms the rate of small messages
	// was 12 % below that of later rounds, after 5 ms within 4 % of it.
	warmUp = 5 * time.Millisecond
	// rewarm is the time before later rounds, after other sizes have used the same memory.
	rewarm = 2 * time.Millisecond
)

// warmUp returns the time for which the modes of a size warm up, which --margin may extend.
func (s *session) warmUp(size int) time.Duration {
	if s.warm[size] {
		return rewarm
	}
	return max(warmUp, s.plan.Margin)
}

// runClient directs all runs until the plan is done and the intervals are as narrow as --precision
// requires.
func (s *session) runClient() (err error) {
	p, began := s.plan, time.Now()
	s.repeats = 1
	for first := true; ; first = false {
		start := time.Now()
		if !first {
			if err := s.direct(oob.Step{Kind: oob.StepRun}); err != nil {
				return err
			}
		}
		if c := &s.cases[0][0]; p.Compare && c.Fetches {
			if s.synchronous, err = s.workers.FetchesAreSynchronous(c); err != nil {
				return err
			}
		}
		if err := s.measureRun(); err != nil {
			return err
		}
		if s.run >= p.Runs && !s.needsRun(began, time.Since(start)) {
			break
		}
	}
	if s.rowsAtEnd() {
		for size := range p.Sizes {
			if err := s.direct(oob.Step{Kind: oob.StepRow, Size: size}); err != nil {
				return err
			}
		}
	}
	s.cfg.File.Limits = s.limit
	_, err = s.peer.Step(oob.Step{Kind: oob.StepEnd, Limit: s.limit})
	return err
}

// rowsAtEnd reports whether rows are finished only at the end of the last run, because each run and each
// round of a comparison adds to all of them.
func (s *session) rowsAtEnd() bool { return s.plan.Compare || s.plan.Runs > 1 }

// measureRun measures all sizes and modes in the rounds of one run. In a comparison each round visits all
// sizes; otherwise all rounds of a size come one after another, and sizes ascend as in perftest.
func (s *session) measureRun() error {
	rounds := s.plan.Rounds * s.repeats
	if !s.plan.Compare {
		for size := range s.plan.Sizes {
			if err := s.visit(size, rounds); err != nil {
				return err
			}
		}
		s.measured += rounds
		return nil
	}
	for range rounds {
		for _, size := range s.order().sizesOf(s.measured) {
			if err := s.visit(size, 1); err != nil {
				return err
			}
		}
		s.measured++
	}
	return nil
}

// order returns the order of the comparison.
func (s *session) order() order {
	return order{seed: uint64(s.plan.Seed), sizes: len(s.plan.Sizes), modes: len(s.decision.modes)}
}

// noRatio returns why rows cannot be compared, or an empty string: if the device executes READs in the
// post, the modes do not differ.
func (s *session) noRatio() string {
	switch {
	case !s.synchronous:
		return ""
	case s.cases[0][0].Atomic:
		return "atomic operations completed within the post, so no mode waits for anything"
	}
	return "READs completed within the post, so no mode waits for anything"
}

// visit prepares all modes for messages of a size, warms them up, measures the next rounds of the size, and
// drains the queues.
func (s *session) visit(size, rounds int) error {
	step := oob.Step{Kind: oob.StepSize, Size: size, NoRatio: s.noRatio()}
	if err := s.direct(step); err != nil {
		return err
	}
	modes := s.order().modesOf(s.measured, size)
	if err := s.warmUpModes(size, modes); err != nil {
		return err
	}
	if s.plan.Endless {
		if err := s.measureEndless(size); err != nil {
			return err
		}
	}
	for i := 0; i < rounds && !s.plan.Endless; i++ {
		for _, mode := range modes {
			step := oob.Step{Kind: oob.StepRound, Size: size, Mode: mode}
			step.Messages, step.Duration = roundLength(s.plan, s.measured+i)
			if err := s.direct(step); err != nil {
				return err
			}
		}
	}
	if err := s.direct(oob.Step{Kind: oob.StepDrain, Size: size}); err != nil || s.rowsAtEnd() {
		return err
	}
	return s.direct(oob.Step{Kind: oob.StepRow, Size: size})
}

// warmUpModes runs a round of each mode that is no part of its row. A peer that counts messages has none.
func (s *session) warmUpModes(size int, modes []int) error {
	if s.exact() {
		return nil
	}
	for _, mode := range modes {
		if err := s.direct(oob.Step{Kind: oob.StepRound, Size: size, Mode: mode, Warmup: true, Duration: s.warmUp(size)}); err != nil {
			return err
		}
	}
	s.warm[size] = true
	return nil
}

// roundLength returns the length of one round of a row: its share of the plan's messages or time. Rounds
// are counted over all runs.
func roundLength(p *option.Plan, round int) (messages uint64, duration time.Duration) {
	n := p.Rounds * p.Runs
	if p.Duration > 0 {
		return 0, max(p.Measured()/time.Duration(n), minRound)
	}
	i := uint64(round % n)
	return max(1, p.Iterations*(i+1)/uint64(n)-p.Iterations*i/uint64(n)), 0
}

// PlanTime returns how long the rounds of a timed plan's rows and their warm-ups take together, or 0 if the
// plan does not say.
func PlanTime(p *option.Plan, rows int) time.Duration {
	if p.Duration == 0 || p.Endless || p.Precision > 0 {
		return 0
	}
	_, round := roundLength(p, 0)
	run := max(warmUp, p.Margin) + time.Duration(p.Rounds)*round
	if p.Compare { // each round is a visit of its own
		run += time.Duration(p.Rounds-1) * rewarm
	}
	return time.Duration(rows*p.Runs) * run
}

// minRound is the shortest duration of a timed round.
const minRound = 100 * time.Microsecond
