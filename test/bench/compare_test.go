package main

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/result"
	"github.com/ibperf/ibperf/test/bench/comparison"
)

// script measures without processes: values and failures by name of the program.
type script struct {
	order  []string           // of what was measured
	values map[string]float64 // by program
	fail   map[int]error      // by number of the measurement, from 0
	stop   func()             // called by each; may be nil
}

func (s *script) measure(_ context.Context, p program, b bench) (reading, []string, error) {
	s.order = append(s.order, p.label().name+" "+b.test())
	if s.stop != nil {
		s.stop()
	}
	if err := s.fail[len(s.order)-1]; err != nil {
		return reading{}, nil, err
	}
	return reading{value: s.values[p.label().name], seconds: 2 * s.values[p.label().name], programWarnings: []result.Warning{{ID: "w", Text: p.label().name + " warns"}}}, []string{p.label().name}, nil
}

func newComparer(s *script, pairs int, benches ...bench) *comparer {
	c := &comparer{pairs: pairs, measure: s.measure, progress: io.Discard}
	for _, b := range benches {
		c.matches = append(c.matches, match{bench: b, subject: &fake{"one", ""}, reference: &fake{"other", ""},
			goals: []goal{{b.metric, 1, nil}}})
	}
	return c
}

func TestPairsAreInterleavedAndAlternate(t *testing.T) {
	s := &script{values: map[string]float64{"one": 30, "other": 20}}
	to := comparison.New()
	if err := newComparer(s, 2, someBench, bandwidth("read", 65536, "poll", 500)).run(t.Context(), to); err != nil {
		t.Fatal(err)
	}
	want := []string{"one write_lat", "other write_lat", "one read_bw", "other read_bw",
		"other write_lat", "one write_lat", "other read_bw", "one read_bw"}
	if !slices.Equal(s.order, want) {
		t.Errorf("order is %q", s.order)
	}
	if len(to.Lines) != 2 || len(to.Warnings) != 2 || to.Pairs != 2 || to.Finished.Before(to.Started) {
		t.Fatalf("comparison is %+v", to)
	}
	l := to.Lines[0]
	if l.Ratio.Median != 1.5 || len(l.Subject.Rounds) != 2 || l.Subject.Rounds[1] != 30 || l.Reference.Rounds[1] != 20 {
		t.Errorf("line is %+v", l)
	}
	if l.Subject.Command[0] != "one" || l.Reference.Definition != "other counts write_lat" || l.Note != "other differs" {
		t.Errorf("line is %+v", l)
	}
}

func TestProgramAgainstItselfNeedsNoNote(t *testing.T) {
	c := newComparer(&script{}, 1, someBench)
	c.matches[0].reference = c.matches[0].subject
	if lines, err := c.lines(t.Context(), c.matches[0]); err != nil || lines[0].Note != "" {
		t.Errorf("lines are %+v, %v", lines, err)
	}
}

func TestEveryGoalIsALineOfTheSameRuns(t *testing.T) {
	s := &script{values: map[string]float64{"one": 30, "other": 20}}
	c := newComparer(s, 3, someBench)
	c.matches[0].goals = []goal{{comparison.MetricLatency, 1, nil}, {comparison.MetricWall, 0.5, nil}}
	to := comparison.New()
	if err := c.run(t.Context(), to); err != nil {
		t.Fatal(err)
	}
	if len(s.order) != 6 || len(to.Lines) != 2 {
		t.Fatalf("measured %q: %+v", s.order, to.Lines)
	}
	wall := to.Lines[1]
	if wall.Metric != comparison.MetricWall || wall.Goal != 0.5 || wall.Subject.Rounds[2] != 60 || wall.Subject.Definition == to.Lines[0].Subject.Definition {
		t.Errorf("line is %+v", wall)
	}
}

func TestPairsAreSortedByClassAndAlternate(t *testing.T) {
	s := &script{values: map[string]float64{"one": 150, "other": 100}}
	c := newComparer(s, 4, someBench)
	s.stop = func() {
		if len(s.order) > 4 { // from the third pair on
			s.values = map[string]float64{"one": 330, "other": 150}
		}
	}
	c.matches[0].goals = []goal{{comparison.MetricLatency, 1.2, near}, {comparison.MetricLatency, 1.05, far}}
	to := comparison.New()
	if err := c.run(t.Context(), to); err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{1.5, 2.2} {
		if l := to.Lines[i]; len(l.Subject.Rounds) != 2 || l.Ratio.Median != want {
			t.Errorf("line is %+v", l)
		}
	}
	if s.order[0] == s.order[2] || s.order[4] == s.order[6] || s.order[2] == s.order[4] {
		t.Errorf("order is %q", s.order)
	}
}

func TestSlowMatchesAreMeasuredInEveryOtherRoundAndAlternate(t *testing.T) {
	s := &script{values: map[string]float64{"one": 30, "other": 20}}
	c := newComparer(s, 4, someBench)
	c.matches[0].slow = true
	if err := c.run(t.Context(), comparison.New()); err != nil {
		t.Fatal(err)
	}
	if want := []string{"one write_lat", "other write_lat", "other write_lat", "one write_lat"}; !slices.Equal(s.order, want) {
		t.Errorf("order is %q", s.order)
	}
}

var errFlaky = errors.New("flaky")

func TestFailedRunIsRepeatedAndNamed(t *testing.T) {
	s := &script{values: map[string]float64{"one": 30, "other": 20}, fail: map[int]error{1: errFlaky, 2: errFlaky}}
	to := comparison.New()
	if err := newComparer(s, 1, someBench).run(t.Context(), to); err != nil {
		t.Fatal(err)
	}
	named := slices.ContainsFunc(to.Lines[0].Warnings, func(w result.Warning) bool {
		return w.ID == "repeated-run" && strings.Contains(w.Text, "flaky")
	})
	if len(s.order) != 4 || !named || len(to.Lines[0].Reference.Rounds) != 1 {
		t.Errorf("measured %q: %+v", s.order, to)
	}
}

func TestMatchThatKeepsFailingIsGivenUpAlone(t *testing.T) {
	s := &script{values: map[string]float64{"one": 30, "other": 20}, fail: map[int]error{}}
	for i := range maxTries {
		s.fail[5+i] = errFlaky // the second run of the first match's second pair
	}
	to := comparison.New()
	err := newComparer(s, 3, someBench, bandwidth("read", 65536, "poll", 500)).run(t.Context(), to)
	if !errors.Is(err, errFlaky) || len(s.order) != 5+maxTries+4 {
		t.Errorf("error is %v after %q", err, s.order)
	}
	if len(to.Lines) != 2 || len(to.Lines[0].Subject.Rounds) != 1 || len(to.Lines[1].Subject.Rounds) != 3 {
		t.Errorf("lines are %+v", to.Lines)
	}
}

func TestStoppedComparisonDoesNotTryAgain(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := &script{fail: map[int]error{0: errFlaky}, stop: cancel}
	err := newComparer(s, 2, someBench, someBench).run(ctx, comparison.New())
	if !errors.Is(err, context.Canceled) || len(s.order) != 1 {
		t.Errorf("error is %v after %q", err, s.order)
	}
}
