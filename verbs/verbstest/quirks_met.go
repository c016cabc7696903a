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

// allQuirksMet reports the quirks that are wrong, and skips a statement whose failure is
// excused.
func (e *env) allQuirksMet() {
	for _, text := range e.wrongQuirks() {
		e.T.Error(text)
	}
	if e.excuse != nil && e.excuse.used.Load() {
		e.T.Skipf("it fails %s: %s", e.excuse.by, e.excuse.does)
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
	if x := e.excuse; x != nil && x.quirk != "" && !x.used.Load() {
		texts = append(texts, fmt.Sprintf("%s passes: quirk %s no longer reproduces: remove it", e.id, x.quirk))
	}
	return texts
}

// excuse is why a failure of a statement is none of the device.
type excuse struct {
	by      string // in words
	quirk   string // its id; empty: hardware may do so
	does    string // what the device does instead
	outcome Outcome
	used    atomic.Bool
}

// excuseOf returns what excuses the failures of a statement on the target, or nil: a quirk by
// which it fails, or that the device is hardware, which may differ.
func excuseOf(target Target, id string) *excuse {
	for _, q := range target.Quirks {
		if slices.Contains(q.Fails, id) {
			return &excuse{by: "by quirk " + q.ID, quirk: q.ID, does: q.Does, outcome: Known}
		}
	}
	if l, ok := licences[id]; ok && target.Device != nil && target.Device.Software() == "" {
		return &excuse{by: "as hardware may", does: l.does, outcome: Allowed}
	}
	return nil
}

// report records a failure, or that there was one that is excused.
func (e *env) report(text string) {
	e.Helper()
	if e.excuse == nil {
		e.T.Error(text)
		return
	}
	e.excuse.used.Store(true)
	e.T.Logf("%s: %s", e.excuse.by, text)
}

// stop ends the test after a failure.
func (e *env) stop() {
	if e.excuse == nil {
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
