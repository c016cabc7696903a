package plots

import "testing"

// stopsOf are stops at 1, 2, 4, ... that are led as letters say: a, b, or neither.
func stopsOf(leads string) (stops []stop) {
	labels := []string{"1", "2", "4", "8", "16", "32", "64"}
	for i, c := range leads {
		stops = append(stops, stop{labels[i], map[rune]lead{'a': first, 'b': second}[c]})
	}
	return stops
}

func TestCrossoverText(t *testing.T) {
	for leads, want := range map[string]string{
		"aaa":     "a is ahead of b at every number of QPs",
		"bbb":     "b is ahead of a at every number of QPs",
		"---":     "a and b: no certain difference at any number of QPs",
		"aa-":     "a is ahead of b at 1, 2 QPs; no certain difference at 4",
		"--bbbb-": "b is ahead of a at 4-32 QPs; no certain difference at 1, 2, 64",
		"aaabbb":  "a and b cross between 4 and 8 QPs: a is ahead at 1-4, b at 8-32",
		"b--aa":   "a and b cross between 1 and 8 QPs: a is ahead at 8, 16, b at 1",
		"a-b-a":   "a and b cross between 1 and 4 and between 4 and 16 QPs: a is ahead at 1, 16, b at 4",
	} {
		if got := crossoverText("a", "b", stopsOf(leads)); got != want {
			t.Errorf("%s: %q, want %q", leads, got, want)
		}
	}
}
