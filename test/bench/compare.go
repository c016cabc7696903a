package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/ibperf/ibperf/result"
	"github.com/ibperf/ibperf/test/bench/comparison"
)

// A comparer measures all matches in interleaved runs of their two programs.
type comparer struct {
	matches  []match
	pairs    int
	measure  func(context.Context, program, bench) (reading, []string, error)
	progress io.Writer
	releases map[string]string // by name of the program
}

// run fills the lines and the warnings of a comparison. After an error it
// still holds the measured pairs. A match that fails is not measured again; the others are.
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
				failed[i] = c.measurePair(ctx, m, lines[i], to)
			}
		}
	}
	to.Lines = append(to.Lines, slices.Concat(lines...)...)
	return errors.Join(append(failed, ctx.Err())...)
}

// lines returns the lines of a match, without numbers.
func (c *comparer) lines(ctx context.Context, m match) ([]comparison.Line, error) {
	subject, err := c.describe(ctx, m.subject)
	if err != nil {
		return nil, err
	}
	reference, err := c.describe(ctx, m.reference)
	if err != nil {
		return nil, err
	}
	var lines []comparison.Line
	for _, g := range m.goals {
		l := comparison.Line{
			Test: m.title(), Size: m.size, Mode: string(m.mode), Metric: g.metric, Goal: g.ratio, Class: g.class,
			Parameters: m.parameters(m.setup),
			Subject:    subject, Reference: reference,
		}
		l.Subject.Definition, l.Reference.Definition = definitionOf(m.subject, m.bench, g.metric), definitionOf(m.reference, m.bench, g.metric)
		if m.subject.label() != m.reference.label() {
			l.Note = m.reference.note(m.bench)
		}
		lines = append(lines, l)
	}
	return lines, nil
}

// definitionOf returns the definition of a metric of a program.
func definitionOf(p program, b bench, metric string) string {
	if isOfWholeRun(metric) {
		return comparison.New().Definitions[metric]
	}
	return p.definition(b)
}

// describe returns a side with its program and no numbers. It asks each program for its release once.
func (c *comparer) describe(ctx context.Context, p program) (comparison.Values, error) {
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

// measurePair runs each program of a match once, and adds the values to the lines of their class. The subject runs first in every
// second pair.
func (c *comparer) measurePair(ctx context.Context, m match, lines []comparison.Line, to *comparison.Comparison) error {
	before := pairsOf(lines)
	programs := [2]program{m.subject, m.reference}
	var readings [2]reading
	var commands [2][]string
	for first := range programs {
		side := (first + before) % 2
		var err error
		if readings[side], commands[side], err = c.measureWithRetries(ctx, programs[side], m.bench); err != nil {
			return err
		}
		to.Warnings = addNewWarnings(to.Warnings, readings[side].programWarnings)
	}
	for i := range lines {
		l := &lines[i]
		l.Subject.Command, l.Reference.Command = commands[0], commands[1]
		l.Warnings = addNewWarnings(addNewWarnings(l.Warnings, readings[0].runWarnings), readings[1].runWarnings)
		subject, reference := readings[0].number(l.Metric), readings[1].number(l.Metric)
		if l.Class.Has(reference) {
			l.Add(subject, reference)
			fmt.Fprintf(c.progress, "pair %d: %s: %s: ratio %.3f\n", before+1, m, l.Metric, subject/reference)
		}
	}
	return nil
}

// pairsOf returns the number of measured pairs of a match, each of which is in all lines of its first metric with its class.
func pairsOf(lines []comparison.Line) (n int) {
	for i := range lines {
		if lines[i].Metric == lines[0].Metric {
			n += len(lines[i].Subject.Rounds)
		}
	}
	return n
}

// addNewWarnings appends the warnings that are not yet in the list.
func addNewWarnings(all, more []result.Warning) []result.Warning {
	for _, w := range more {
		if !slices.Contains(all, w) {
			all = append(all, w)
		}
	}
	return all
}

// maxTries is the number of successive failures after which a match is not measured again.
const maxTries = 3

// measureWithRetries measures a program. It repeats a run that fails and adds a warning.
func (c *comparer) measureWithRetries(ctx context.Context, p program, b bench) (r reading, command []string, err error) {
	var failures []result.Warning
	for range maxTries {
		if r, command, err = c.measure(ctx, p, b); err == nil {
			r.runWarnings = append(r.runWarnings, failures...)
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
