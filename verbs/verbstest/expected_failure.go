package verbstest

import (
	"fmt"
	"slices"
	"sync/atomic"
)

// expectedFailure is the failure of a statement that does not fail the test.
type expectedFailure struct {
	why      string // "by quirk ID" or "as hardware may"
	quirk    string // id of the quirk; empty: the standard allows it to hardware
	does     string // what the device does instead
	outcome  Outcome
	occurred atomic.Bool
}

// expectedFailureOf returns the expected failure of a statement on the target: by a quirk that lists
// it under fails, or by an allowance for hardware; nil if the statement must hold.
func expectedFailureOf(target Target, id string) *expectedFailure {
	for _, q := range target.Quirks {
		if slices.Contains(q.Fails, id) {
			return &expectedFailure{why: "by quirk " + q.ID, quirk: q.ID, does: q.Does, outcome: Known}
		}
	}
	if l, ok := allowances[id]; ok && target.Device != nil && target.Device.Software() == "" {
		return &expectedFailure{why: "as hardware may", does: l.does, outcome: Allowed}
	}
	return nil
}

// report fails the test, or records that the expected failure occurred.
func (e *env) report(text string) {
	e.Helper()
	if e.expected == nil {
		e.T.Error(text)
		return
	}
	e.expected.occurred.Store(true)
	e.T.Logf("%s: %s", e.expected.why, text)
}

// stop ends the test after a failure, as skipped if the failure was expected.
func (e *env) stop() {
	if e.expected == nil {
		e.T.FailNow()
	}
	e.T.SkipNow()
}

// Error, Errorf, Fatal and Fatalf are those of testing.T, but an expected failure does not fail the
// test.
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
