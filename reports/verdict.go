package reports

import (
	"slices"
	"strings"

	"github.com/ibperf/ibperf/reports/result"
)

// A Verdict answers what modes are compared for. It is made of findings, which are made of
// rows: no sentence says more than they do.
type Verdict struct {
	Answers []Answer
	Cards   []Card
}

// An Answer is a question of an engineer and the lines that answer it.
type Answer struct {
	Question string
	Lines    []string
	Bad      bool // data was wrong: a promise was broken, or a completion came before its data
}

// A Card is what there is to say of one test, shorter.
type Card struct {
	Op, Kind string
	Title    string // "Write latency"
	Lines    []string
}

// findings are what runs tell, before it is put into words.
type findings struct {
	judged   []*result.File // the runs that compare modes
	names    naming
	checks   checks
	subjects []*subject
	costs    []cost
	pauses   []pauseCost
	promises []promise
	missing  []missing
}

// Judge concludes from runs. It returns nil where none of them compares modes.
func Judge(runs []*result.File) *Verdict {
	if !slices.ContainsFunc(runs, comparesModes) {
		return nil
	}
	f := find(runs)
	v := &Verdict{Cards: f.cards()}
	for _, a := range []Answer{
		{Question: "Which way should an application wait, and what does it gain?", Lines: f.orderLines()},
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

// find looks for all that a verdict speaks of.
func find(runs []*result.File) *findings {
	groups := groupsOf(runs)
	runs = runsOf(groups)
	f := &findings{checks: checksOf(runs)}
	var plain []*result.File
	for _, g := range groups {
		for _, run := range g.Runs {
			if comparesModes(run) {
				f.judged = append(f.judged, run)
				if !again(g, groups) {
					plain = append(plain, run)
				}
			}
		}
	}
	f.names = namingOf(plain)
	for _, g := range groups {
		if !again(g, groups) {
			f.subjects = append(f.subjects, f.subjectsOf(g)...)
		}
	}
	f.costs, f.pauses = costsOf(f.trusted()), pausesOf(f.trusted())
	f.promises = promisesOf(runs, &f.checks)
	f.missing = missingOf(groups, f.names)
	return f
}

// comparesModes tells whether a run measured several modes in turns, or was to and ended
// before it was known which.
func comparesModes(f *result.File) bool {
	return f.Parameters.Compare && len(f.Parameters.Modes) != 1
}

// Text is the verdict for a terminal, on lines of a width.
func (v *Verdict) Text(width int) string {
	var b strings.Builder
	b.WriteString("VERDICT\n")
	for _, a := range v.Answers {
		writeWrapped(&b, a.Question, 1, width)
		for _, line := range a.Lines {
			writeWrapped(&b, line, 3, width)
		}
	}
	return b.String()
}

// verdictText is what ends the text about runs, empty where there is no verdict.
func verdictText(runs []*result.File, width int) string {
	if v := Judge(runs); v != nil {
		return "\n" + v.Text(width)
	}
	return ""
}
