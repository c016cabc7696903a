package verbstest

import (
	"fmt"
	"slices"
)

// hasQuirk reports whether the device has a quirk that lists the statement, and records that the
// statement has met it.
func (e *env) hasQuirk(id string) bool {
	has := slices.ContainsFunc(e.target.Quirks, func(q Quirk) bool {
		return q.ID == id && slices.Contains(q.Statements, e.id)
	})
	if has {
		e.quirksMet[id] = true
	}
	return has
}

// checkQuirks reports wrong quirks, and skips the statement if its expected failure occurred.
func (e *env) checkQuirks() {
	for _, text := range e.wrongQuirks() {
		e.T.Error(text)
	}
	if e.expected != nil && e.expected.occurred.Load() {
		e.T.Skipf("it fails %s: %s", e.expected.why, e.expected.does)
	}
}

// wrongQuirks returns an error text for each quirk that lists the statement wrongly: the statement
// does not depend on the quirk, or passed although the quirk says that it fails.
func (e *env) wrongQuirks() (texts []string) {
	for _, q := range e.target.Quirks {
		if _, met := e.quirksMet[q.ID]; !met && slices.Contains(q.Statements, e.id) {
			texts = append(texts, fmt.Sprintf("quirk %s names %s, which does not depend on it: list it under fails if it fails", q.ID, e.id))
		}
	}
	if x := e.expected; x != nil && x.quirk != "" && !x.occurred.Load() {
		texts = append(texts, fmt.Sprintf("%s passes: quirk %s no longer reproduces: remove it", e.id, x.quirk))
	}
	return texts
}
