// Package verdict draws conclusions from comparisons of completion modes: which mode to use, what it
// costs, whether the device's promise of data order was kept, and what was not measured.
package verdict

import (
	"slices"
	"strings"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/phrase"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/result"
)

// A Verdict is the answers to the questions for which modes are compared. It is made of findings,
// which are made of rows: a sentence says no more than its rows do.
type Verdict struct {
	Brief   *Brief
	Answers []Answer
	Cards   []Card
}

// An Answer is a question and the lines that answer it.
type Answer struct {
	Question string
	Lines    []string
	Bad      bool // data was corrupt: a promise was broken, or a completion preceded its data
}

// A Card is the summary of one test.
type Card struct {
	Op    option.Op
	Kind  option.Kind
	Title string // "Write latency"
	Lines []string
}

// findings holds the conclusions from runs, before they are put into words.
type findings struct {
	runs     []*result.File // of each run the file of one side
	compared []*result.File // of these, the runs that compare modes
	names    naming
	checks   checks
	sweeps   []*sweep
	curves   map[curveKey]*rows.Curve
	costs    []cost
	pauses   []pauseCost
	promises []promise
	missing  []missing
}

// Judge returns the verdict on runs, or nil if none of them compares modes.
func Judge(runs []*result.File) *Verdict {
	if !slices.ContainsFunc(runs, comparesModes) {
		return nil
	}
	f := find(runs)
	v := &Verdict{Brief: f.brief(), Cards: f.cards()}
	for _, a := range []Answer{
		{Question: "Which completion mode should an application use, and what does it gain?", Lines: f.modeLines()},
		{Question: "What does it cost?", Lines: f.costLines()},
		{Question: "May I rely on it?", Lines: f.promiseLines(), Bad: f.checks.bad()},
		{Question: "What was not measured?", Lines: f.missingLines()},
	} {
		if len(a.Lines) > 0 {
			v.Answers = append(v.Answers, a)
		}
	}
	return v
}

// find returns the findings of runs.
func find(runs []*result.File) *findings {
	groups := groupsOf(runs)
	runs = runsOf(groups)
	f := &findings{runs: runs, checks: checksOf(runs), curves: map[curveKey]*rows.Curve{}}
	var plain []*result.File
	for _, g := range groups {
		for _, run := range g.Runs {
			if comparesModes(run) {
				f.compared = append(f.compared, run)
				if !repeated(g, groups) {
					plain = append(plain, run)
				}
			}
		}
	}
	f.names = namingOf(plain)
	for _, g := range groups {
		if !repeated(g, groups) {
			f.sweeps = append(f.sweeps, f.sweepsOf(g)...)
		}
	}
	f.costs, f.pauses = costsOf(f.trusted()), pausesOf(f.trusted())
	f.promises = promisesOf(runs, &f.checks)
	f.missing = missingOf(groups, f.names)
	return f
}

// comparesModes reports whether a run measured several modes in interleaved rounds. It includes runs
// that were started to do so and ended before their modes were agreed on.
func comparesModes(f *result.File) bool {
	return f.Parameters.Compare && len(f.Parameters.Modes) != 1
}

// Text returns the answers as text on lines of a width.
func (v *Verdict) Text(width int) string {
	var b strings.Builder
	b.WriteString("DETAILS\n")
	for _, a := range v.Answers {
		phrase.WriteWrapped(&b, a.Question, 1, width)
		for _, line := range a.Lines {
			phrase.WriteWrapped(&b, line, 3, width)
		}
	}
	return b.String()
}
