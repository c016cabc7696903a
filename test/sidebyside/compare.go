package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/ibperf/ibperf/reports"
)

// A comparer measures all benches with two programs in turns.
type comparer struct {
	subject, reference program
	benches            []bench
	pairs              int
	measure            func(context.Context, program, bench) (reading, []string, error)
	setup
	progress io.Writer
}

// run fills the programs, the lines and the warnings of c. What was measured
// before an error stays in it.
func (c *comparer) run(ctx context.Context, to *reports.Comparison) error {
	to.Started, to.Pairs = time.Now().UTC(), c.pairs
	defer func() { to.Finished = time.Now().UTC() }()
	to.Subject.Name, to.Reference.Name = c.subject.name(), c.reference.name()
	var err error
	if to.Subject.Release, err = c.subject.release(ctx); err != nil {
		return err
	}
	if to.Reference.Release, err = c.reference.release(ctx); err != nil {
		return err
	}
	for round := range c.pairs {
		for i, b := range c.benches {
			if round == 0 {
				to.Lines = append(to.Lines, c.line(b))
			}
			if err := c.pair(ctx, round, b, &to.Lines[i], to); err != nil {
				return err
			}
		}
	}
	return nil
}

// line is that of a bench, without numbers.
func (c *comparer) line(b bench) reports.Line {
	l := reports.Line{
		Test: b.test(), Size: b.size, Arrival: b.arrival, Metric: b.metric, Goal: goal,
		Parameters: b.parameters(c.setup),
		Subject:    reports.Values{Definition: c.subject.definition(b)},
		Reference:  reports.Values{Definition: c.reference.definition(b)},
	}
	if c.subject.name() != c.reference.name() {
		l.Note = c.reference.note(b)
	}
	return l
}

// pair measures a bench once with each program. The subject begins in even rounds.
func (c *comparer) pair(ctx context.Context, round int, b bench, l *reports.Line, to *reports.Comparison) error {
	sides := []struct {
		program
		values *reports.Values
		reading
	}{{program: c.subject, values: &l.Subject}, {program: c.reference, values: &l.Reference}}
	for turn := range sides {
		s := &sides[(turn+round)%2]
		var err error
		if s.reading, s.values.Command, err = c.insist(ctx, s.program, b); err != nil {
			return err
		}
		to.Warnings = merge(to.Warnings, s.warnings)
		l.Warnings = merge(l.Warnings, s.doubts)
	}
	l.Add(sides[0].value, sides[1].value)
	fmt.Fprintf(c.progress, "pair %d of %d: %s: ratio %.3f\n", round+1, c.pairs, b, sides[0].value/sides[1].value)
	return nil
}

// merge adds the warnings that are new.
func merge(all, more []reports.Warning) []reports.Warning {
	for _, w := range more {
		if !slices.Contains(all, w) {
			all = append(all, w)
		}
	}
	return all
}

// tries is how often a run may fail in a row.
const tries = 3

// insist measures again what failed, and tells so.
func (c *comparer) insist(ctx context.Context, p program, b bench) (r reading, command []string, err error) {
	var failures []reports.Warning
	for range tries {
		if r, command, err = c.measure(ctx, p, b); err == nil {
			r.doubts = append(r.doubts, failures...)
			return r, command, nil
		}
		if ctx.Err() != nil {
			break
		}
		failed := reports.Warning{ID: "repeated-run", Text: fmt.Sprintf("a run failed and was repeated: %v", err)}
		failures = append(failures, failed)
		fmt.Fprintf(c.progress, "%s: %s\n", b, failed.Text)
	}
	return r, command, err
}
