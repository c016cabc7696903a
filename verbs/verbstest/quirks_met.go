package verbstest

import (
	"fmt"
	"slices"
	"sync/atomic"
)

// quirk tells whether the device has the quirk and the statement meets it.
func (e *env) quirk(id string) bool {
	has := slices.ContainsFunc(e.target.Quirks, func(q Quirk) bool {
		return q.ID == id && slices.Contains(q.Statements, e.id)
	})
	if has {
		e.met[id] = true
	}
	return has
}

// allQuirksMet reports the quirks that are wrong, and skips a statement that failed as a
// quirk says.
func (e *env) allQuirksMet() {
	for _, text := range e.wrongQuirks() {
		e.T.Error(text)
	}
	if e.fails != nil && e.fails.seen.Load() {
		e.T.Skipf("it fails by quirk %s: %s", e.fails.id, e.fails.does)
	}
}

// wrongQuirks returns what is wrong with the quirks that name the statement: it knows no
// such quirk, or it has passed although it should fail.
func (e *env) wrongQuirks() (texts []string) {
	for _, q := range e.target.Quirks {
		if slices.Contains(q.Statements, e.id) && !e.met[q.ID] {
			texts = append(texts, fmt.Sprintf("quirk %s names %s, which does not depend on it: list it under fails if it fails", q.ID, e.id))
		}
	}
	if e.fails != nil && !e.fails.seen.Load() {
		texts = append(texts, fmt.Sprintf("%s passes: quirk %s no longer reproduces: remove it", e.id, e.fails.id))
	}
	return texts
}

// failing is a quirk by which a statement fails.
type failing struct {
	id, does string
	seen     atomic.Bool
}

// failingOf returns the quirk by which the statement fails, or nil.
func failingOf(quirks []Quirk, statement string) *failing {
	for _, q := range quirks {
		if slices.Contains(q.Fails, statement) {
			return &failing{id: q.ID, does: q.Does}
		}
	}
	return nil
}

// report records a failure, or with a quirk by which the statement fails that it did.
func (e *env) report(text string) {
	e.Helper()
	if e.fails == nil {
		e.T.Error(text)
		return
	}
	e.fails.seen.Store(true)
	e.T.Logf("by quirk %s: %s", e.fails.id, text)
}

// stop ends the test after a failure.
func (e *env) stop() {
	if e.fails == nil {
		e.T.FailNow()
	}
	e.T.SkipNow()
}

// Error and its kin are those of testing.T, with quirks.
func (e *env) Error(args ...any) {
	e.Helper()
	e.report(sentence(args))
}

func (e *env) Errorf(format string, args ...any) {
	e.Helper()
	e.report(fmt.Sprintf(format, args...))
}

func (e *env) Fatal(args ...any) {
	e.Helper()
	e.report(sentence(args))
	e.stop()
}

func (e *env) Fatalf(format string, args ...any) {
	e.Helper()
	e.report(fmt.Sprintf(format, args...))
	e.stop()
}
