package main

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/reports"
)

// script measures without processes: values and failures by name of the program.
type script struct {
	order  []string           // of what was measured
	values map[string]float64 // by program
	fail   map[int]error      // by number of the measurement, from 0
}

func (s *script) measure(_ context.Context, p program, b bench) (reading, []string, error) {
	s.order = append(s.order, p.name()+" "+b.test())
	if err := s.fail[len(s.order)-1]; err != nil {
		return reading{}, nil, err
	}
	return reading{value: s.values[p.name()], warnings: []reports.Warning{{ID: "w", Text: p.name() + " warns"}}}, []string{p.name()}, nil
}

func newComparer(s *script, pairs int, benches ...bench) *comparer {
	return &comparer{subject: &fake{"one", ""}, reference: &fake{"other", ""}, benches: benches, pairs: pairs,
		measure: s.measure, progress: io.Discard}
}

func TestPairsAreInterleavedAndAlternate(t *testing.T) {
	s := &script{values: map[string]float64{"one": 30, "other": 20}}
	to := reports.NewComparison()
	if err := newComparer(s, 2, someBench, bandwidth("read", 65536)).run(t.Context(), to); err != nil {
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
	c.reference = c.subject
	if l := c.line(someBench); l.Note != "" {
		t.Errorf("note is %q", l.Note)
	}
}

var errFlaky = errors.New("flaky")

func TestFailedRunIsRepeatedAndNamed(t *testing.T) {
	s := &script{values: map[string]float64{"one": 30, "other": 20}, fail: map[int]error{1: errFlaky, 2: errFlaky}}
	to := reports.NewComparison()
	if err := newComparer(s, 1, someBench).run(t.Context(), to); err != nil {
		t.Fatal(err)
	}
	named := slices.ContainsFunc(to.Lines[0].Warnings, func(w reports.Warning) bool {
		return w.ID == "repeated-run" && strings.Contains(w.Text, "flaky")
	})
	if len(s.order) != 4 || !named || len(to.Lines[0].Reference.Rounds) != 1 {
		t.Errorf("measured %q: %+v", s.order, to)
	}
}

func TestRunThatKeepsFailingEndsTheComparison(t *testing.T) {
	s := &script{values: map[string]float64{"one": 30, "other": 20}, fail: map[int]error{}}
	for i := range tries {
		s.fail[3+i] = errFlaky
	}
	to := reports.NewComparison()
	err := newComparer(s, 3, someBench).run(t.Context(), to)
	if !errors.Is(err, errFlaky) || len(s.order) != 3+tries {
		t.Errorf("error is %v after %q", err, s.order)
	}
	if len(to.Lines) != 1 || len(to.Lines[0].Subject.Rounds) != 1 {
		t.Errorf("the pair measured before is lost: %+v", to.Lines)
	}
}

func TestStoppedComparisonDoesNotTryAgain(t *testing.T) {
	s := &script{fail: map[int]error{0: errFlaky}}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := newComparer(s, 1, someBench).run(ctx, reports.NewComparison()); err == nil || len(s.order) != 1 {
		t.Errorf("error is %v after %q", err, s.order)
	}
}
