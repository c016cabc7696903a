package main

import (
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// On each machine 93 to 97 % of data's intervals hold the true ratio, and 93 to 97 % of a control's
// hold 1.
// Adaptive takes as long as poll, as the control does: its intervals are wider where the control fails.
// The table of docs/INTERVALS.md has these numbers.
func TestCoverage(t *testing.T) {
	page, err := os.ReadFile("../../docs/INTERVALS.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range machines {
		o := series.simulate(m, comparisons)
		for mode, most := range map[int]float64{data: 0.97, control: 0.97, adaptive: 0.98} {
			if c := o.covers[mode]; c < 0.93 || c > most {
				t.Errorf("%s: %.1f %% of the intervals of mode %d hold the true ratio", m.name, 100*c, mode)
			}
		}
		if o.different > 0.05 {
			t.Errorf("%s: %.1f %% of equal pairs are reported as different", m.name, 100*o.different)
		}
		if line := coverageLine(m.name, o); !strings.Contains(string(page), line+"\n") {
			t.Errorf("docs/INTERVALS.md does not have the line\n%s", line)
		}
	}
}

// The verdict on a simulated comparison recommends the faster mode, and seldom one of two equal ones.
func TestAdvice(t *testing.T) {
	for _, m := range machines {
		if a := series.advise(m, 100); a.right < 0.99 || a.wrong > 0.1 {
			t.Errorf("%s: %.0f %% of verdicts recommend data where it is faster, %.0f %% one of two equal modes", m.name, 100*a.right, 100*a.wrong)
		}
	}
}

// Other work now and then does not take a verdict away: the intervals allow for it.
func TestVerdictIsNotWithheld(t *testing.T) {
	for _, m := range machines {
		for _, p := range []plan{series, single} {
			if part := p.withheld(m, 1000); part > 0.02 {
				t.Errorf("%s: %.1f %% of comparisons of %d runs have no verdict", m.name, 100*part, p.runs)
			}
		}
	}
}

// Of 200 comparisons over all sizes, in which data takes 0.5 to 0.97 of poll's time up to a change point, 190 find it
// within one size, and at most 5 recommend a size beyond it. Of modes that are equal at all sizes, 2.5 % are recommended,
// and no more than chance adds. docs/INTERVALS.md has the numbers.
func TestChangePoints(t *testing.T) {
	page, err := os.ReadFile("../../docs/INTERVALS.md")
	if err != nil {
		t.Fatal(err)
	}
	found := trial()
	if found.within < 190 || found.wrong > 5 {
		t.Error(found)
	}
	if !strings.Contains(strings.Join(strings.Fields(string(page)), " "), found.String()) {
		t.Errorf("docs/INTERVALS.md does not say: %s", found)
	}
	for _, m := range machines {
		var equal counts
		if equal.add(series, m, shapes[3], 400, rand.New(rand.NewPCG(5, 5))); equal.wrong > 400*4/100 {
			t.Errorf("%s: %d of %d comparisons of equal modes recommend one", m.name, equal.wrong, equal.n)
		}
	}
}

// A comparison of one run does not show how runs differ.
func TestOneRunIsNotEnough(t *testing.T) {
	one := single
	one.runs, one.rounds = 1, 30
	for _, m := range machines {
		if c := one.simulate(m, 500).covers[data]; c > 0.92 {
			t.Errorf("%s: %.1f %% of the intervals of one run hold the long-run ratio", m.name, 100*c)
		}
	}
}
