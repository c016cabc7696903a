package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/ibperf/ibperf/reports/result"
	"github.com/ibperf/ibperf/test/sidebyside/comparison"
)

// A comparer measures all matches, the two programs of each in turns.
type comparer struct {
	matches  []match
	pairs    int
	measure  func(context.Context, program, bench) (reading, []string, error)
	progress io.Writer
	releases map[string]string // by name of the program
}

// run fills the lines and the warnings of a comparison. What was measured before an
// error stays in it. A match that fails is given up, the others go on.
func (c *comparer) run(ctx context.Context, to *comparison.Comparison) error {
	to.Started, to.Pairs = time.Now().UTC(), c.pairs
	defer func() { to.Finished = time.Now().UTC() }()
	lines, failed := make([][]comparison.Line, len(c.matches)), make([]error, len(c.matches))
	for i, m := range c.matches {
		lines[i], failed[i] = c.lines(ctx, m)
	}
	for round := range c.pairs {
		for i, m := range c.matches {
			if failed[i] == nil && (!m.slow || round%2 == 0) && ctx.Err() == nil {
				failed[i] = c.pair(ctx, m, lines[i], to)
			}
		}
	}
	to.Lines = append(to.Lines, slices.Concat(lines...)...)
	return errors.Join(append(failed, ctx.Err())...)
}

// lines are those of a match, without numbers.
func (c *comparer) lines(ctx context.Context, m match) ([]comparison.Line, error) {
	subject, err := c.values(ctx, m.subject)
	if err != nil {
		return nil, err
	}
	reference, err := c.values(ctx, m.reference)
	if err != nil {
		return nil, err
	}
	var lines []comparison.Line
	for _, g := range m.goals {
		l := comparison.Line{
			Test: m.title(), Size: m.size, Arrival: m.arrival, Metric: g.metric, Goal: g.ratio,
			Parameters: m.parameters(m.setup),
			Subject:    subject, Reference: reference,
		}
		l.Subject.Definition, l.Reference.Definition = define(m.subject, m.bench, g.metric), define(m.reference, m.bench, g.metric)
		if m.subject.label() != m.reference.label() {
			l.Note = m.reference.note(m.bench)
		}
		lines = append(lines, l)
	}
	return lines, nil
}

// define says what a metric of a program is.
func define(p program, b bench, metric string) string {
	if ofRun(metric) {
		return comparison.New().Definitions[metric]
	}
	return p.definition(b)
}

// values names a side, whose program is asked once for its release.
func (c *comparer) values(ctx context.Context, p program) (comparison.Values, error) {
	l := p.label()
	if c.releases == nil {
		c.releases = map[string]string{}
	}
	if c.releases[l.name] == "" {
		release, err := p.release(ctx)
		if err != nil {
			return comparison.Values{}, err
		}
		c.releases[l.name] = release
	}
	return comparison.Values{Program: comparison.Program{Name: l.name, Release: c.releases[l.name]}, Part: l.part, Device: l.device}, nil
}

// pair measures a match once with each program. The subject begins in every other.
func (c *comparer) pair(ctx context.Context, m match, lines []comparison.Line, to *comparison.Comparison) error {
	before := len(lines[0].Subject.Rounds)
	programs := [2]program{m.subject, m.reference}
	var readings [2]reading
	var commands [2][]string
	for turn := range programs {
		side := (turn + before) % 2
		var err error
		if readings[side], commands[side], err = c.insist(ctx, programs[side], m.bench); err != nil {
			return err
		}
		to.Warnings = merge(to.Warnings, readings[side].warnings)
	}
	for i := range lines {
		l := &lines[i]
		l.Subject.Command, l.Reference.Command = commands[0], commands[1]
		l.Warnings = merge(merge(l.Warnings, readings[0].doubts), readings[1].doubts)
		subject, reference := readings[0].of(l.Metric), readings[1].of(l.Metric)
		l.Add(subject, reference)
		fmt.Fprintf(c.progress, "pair %d: %s: %s: ratio %.3f\n", before+1, m, l.Metric, subject/reference)
	}
	return nil
}

// merge adds the warnings that are new.
func merge(all, more []result.Warning) []result.Warning {
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
	var failures []result.Warning
	for range tries {
		if r, command, err = c.measure(ctx, p, b); err == nil {
			r.doubts = append(r.doubts, failures...)
			return r, command, nil
		}
		if ctx.Err() != nil {
			break
		}
		failed := result.Warning{ID: "repeated-run", Text: fmt.Sprintf("a run failed and was repeated: %v", err)}
		failures = append(failures, failed)
		fmt.Fprintf(c.progress, "%s: %s\n", b, failed.Text)
	}
	return r, command, err
}
