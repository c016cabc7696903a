package verbstest

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
)

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
	e.report(strings.TrimSpace(fmt.Sprintln(args...)))
}

func (e *env) Errorf(format string, args ...any) {
	e.Helper()
	e.report(fmt.Sprintf(format, args...))
}

func (e *env) Fatal(args ...any) {
	e.Helper()
	e.report(strings.TrimSpace(fmt.Sprintln(args...)))
	e.stop()
}

func (e *env) Fatalf(format string, args ...any) {
	e.Helper()
	e.report(fmt.Sprintf(format, args...))
	e.stop()
}
