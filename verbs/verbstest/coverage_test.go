package verbstest

import "testing"

// TestCoverage prints the list and checks that each statement of the topics is
// asserted or left out for a reason, and nothing else is named.
func TestCoverage(t *testing.T) {
	rows := Coverage()
	known, asserted := map[string]bool{}, 0
	for _, r := range rows {
		t.Log(r)
		known[r.ID] = true
		if r.LeftOut == "" {
			asserted++
		}
		if (r.Text == "") == (r.LeftOut == "") {
			t.Errorf("%s: says %q, left out %q: want one of them", r.ID, r.Text, r.LeftOut)
		}
		if r.Source == "" {
			t.Errorf("%s has no source: name it in sources.txt", r.ID)
		}
	}
	t.Logf("%d statements: %d asserted, %d left out", len(rows), asserted, len(rows)-asserted)
	seen := map[string]bool{}
	for _, s := range statements() {
		if !known[s.id] {
			t.Errorf("%s is beyond the number of statements of its topic: raise it in coverage.go", s.id)
		}
		if seen[s.id] {
			t.Errorf("%s is asserted twice", s.id)
		}
		seen[s.id] = true
	}
	for id := range sources() {
		if !known[id] {
			t.Errorf("sources.txt has %s, which is no statement", id)
		}
	}
	for id := range allowances {
		if !seen[id] {
			t.Errorf("%s has an allowance, and is not asserted", id)
		}
	}
	for id := range leftOut {
		if !known[id] || seen[id] {
			t.Errorf("%s is left out: known %v, asserted %v", id, known[id], seen[id])
		}
	}
}
