package plots

import (
	"testing"

	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/result"
)

func TestCrossoverText(t *testing.T) {
	for letters, want := range map[string]string{
		"aaa":     "a is ahead of b at every number of QPs",
		"bbb":     "b is ahead of a at every number of QPs",
		"---":     "a and b: no certain difference at any number of QPs",
		"aa-":     "a is ahead of b at 1, 2 QPs; no certain difference at 4",
		"--bbbb-": "b is ahead of a at 4-32 QPs; no certain difference at 1, 2, 64",
		"aaabbb":  "a and b cross between 4 and 8 QPs: a is ahead at 1-4, b at 8-32",
		"b--aa":   "a and b cross between 1 and 8 QPs: a is ahead at 8, 16, b at 1",
		"a-b-a":   "a and b cross between 1 and 4 and between 4 and 16 QPs: a is ahead at 1, 16, b at 4",
		"aa?":     "a is ahead of b at 1, 2 QPs; not compared at 4",
		"aa?aa-?": "a is ahead of b at 1, 2, 8, 16 QPs; no certain difference at 32; not compared at 4, 64",
		"-?-":     "a and b: no certain difference at 1, 4 QPs; not compared at 2",
		"a?b":     "a and b cross between 1 and 4 QPs: a is ahead at 1, b at 4; not compared at 2",
	} {
		g := &group{Group: &rows.Group{Along: rows.AlongQPs}}
		var leads []lead
		for i, c := range letters {
			f := &result.File{}
			f.Parameters.QPs = 1 << i
			g.Add(f, i+1)
			leads = append(leads, map[rune]lead{'a': first, 'b': second, '-': unsure}[c])
		}
		if got := g.crossoverText("a", "b", leads); got != want {
			t.Errorf("%s: %q, want %q", letters, got, want)
		}
	}
}
