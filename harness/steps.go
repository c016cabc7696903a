package harness

import (
	"errors"
	"fmt"

	"github.com/ibperf/ibperf/harness/internal/loop"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
)

// runServer executes the steps that the client sends, until the last one.
func (s *session) runServer() error {
	for {
		step, err := s.peer.Step(oob.Step{})
		if err != nil {
			return err
		}
		if step.Kind == oob.StepEnd && len(step.Limit) <= maxText {
			s.cfg.File.Limits = step.Limit
			return nil
		}
		if err := s.executeStep(step); err != nil {
			return err
		}
	}
}

// direct sends a step to the server and executes it, as the server does.
func (s *session) direct(step oob.Step) error {
	if _, err := s.peer.Step(step); err != nil {
		return err
	}
	return s.executeStep(step)
}

// maxText is the largest length of a text in a step of the peer.
const maxText = 1000

// stepMessage is the name of a step's message, as errors quote it: on the wire, for compatibility, a
// step is a "turn".
const stepMessage = "turn"

// maxRounds returns the largest number of measured rounds of all runs.
func (s *session) maxRounds() int { return mostRounds(s.plan, len(s.plan.Sizes)*len(s.decision.modes)) }

// executeStep executes a step. It checks the step, because a peer may send any values.
func (s *session) executeStep(step oob.Step) error {
	if step.Size < 0 || step.Size >= len(s.plan.Sizes) || step.Mode < 0 || step.Mode >= len(s.decision.modes) {
		return protocolError(stepMessage, "step %q has size %d and mode %d, which the plan does not have", step.Kind, step.Size, step.Mode)
	}
	if s.halt.On() {
		return s.halt.Reason()
	}
	prepared := s.current >= 0
	switch {
	case step.Kind == oob.StepRun && !prepared:
		return s.newRun()
	case step.Kind == oob.StepSize && !prepared && len(step.NoRatio) <= maxText && s.sizes < s.maxRounds():
		return s.setSize(step)
	case step.Kind == oob.StepRound && prepared && (step.Warmup || s.plan.Endless || s.kept < s.maxRounds()) && step.Messages <= option.MaxIterations && step.Duration >= 0 && (step.Messages > 0) != (step.Duration > 0):
		return s.executeRound(step)
	case step.Kind == oob.StepDrain && prepared:
		return s.drain()
	case step.Kind == oob.StepRow && !prepared:
		return s.finishRows(step.Size)
	}
	return protocolError(stepMessage, "unexpected step %q", step.Kind)
}

// newRun begins another run with new memory, QPs and connections.
func (s *session) newRun() error {
	before := s.decision
	clear(s.warm)
	s.tearDown()
	if s.run++; s.run > option.MaxRuns {
		return fmt.Errorf("the peer requests more than %d runs", option.MaxRuns)
	}
	if err := s.setUp(); err != nil {
		return err
	}
	if len(before.modes) != len(s.decision.modes) || before.order != s.decision.order {
		return fmt.Errorf("run %d: the devices' answers about data order have changed since the first run", s.run)
	}
	return nil
}

// setSize prepares all modes for messages of a size.
func (s *session) setSize(step oob.Step) error {
	s.current = step.Size
	s.sizes++
	for i := range s.decision.modes {
		test := &s.cases[i][step.Size]
		key := rowKey{step.Size, i}
		if s.rows[key] == nil {
			s.rows[key] = newRowBuilder(s.cfg, test, step.NoRatio)
		}
		if s.plan.Endless {
			s.interval = newInterval(s.cfg, test)
		}
		if s.decision.sharesQPs(i) {
			continue
		}
		for _, w := range s.group(i).Workers {
			if err := w.SetCase(test); err != nil {
				return err
			}
		}
	}
	return nil
}

// group returns the workers of the i-th measured mode.
func (s *session) group(i int) *loop.Group { return s.workers.Groups[s.decision.modes[i].group] }

// executeRound runs a round and adds it to its row.
func (s *session) executeRound(step oob.Step) error {
	g, row := s.group(step.Mode), s.rows[rowKey{s.current, step.Mode}]
	before, err := s.cfg.readCounters()
	if err != nil {
		return err
	}
	mine, theirs, err := s.runRound(g, step)
	row.check(mine, theirs)
	if step.Warmup {
		return err
	}
	s.kept++
	after, failed := s.cfg.readCounters()
	if failed != nil {
		return failed
	}
	row.counted.add(before, after)
	if s.interval != nil {
		s.interval.row.counted.add(before, after)
	}
	if err != nil && s.halt.Reason() == nil {
		return err
	}
	m := s.measurement(row.test, g, mine, theirs)
	if err == nil {
		if err := s.checkFigures(row.test, &m); err != nil {
			return err
		}
	}
	if s.interval == nil {
		row.add(s.run, &m, s.alignment.within, err == nil)
		if s.cfg.Round != nil {
			s.cfg.Round()
		}
		return err
	}
	return errors.Join(err, s.addSlice(row, &m, err == nil))
}
