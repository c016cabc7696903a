package verbstest

import (
	"fmt"

	"github.com/ibperf/ibperf/verbs"
)

// instead is what a quirk makes of a value.
type instead[T comparable] struct {
	quirk string
	value T
}

// agree checks that got is what was specified, or with the quirk what the quirk makes of it.
func agree[T comparable](e *env, quirk, what string, got, specified, quirky T) {
	e.Helper()
	agreeByAny(e, what, got, specified, instead[T]{quirk, quirky})
}

// agreeByAny checks that got is what was specified, or what the one quirk that the device
// has makes of it.
func agreeByAny[T comparable](e *env, what string, got, specified T, quirks ...instead[T]) {
	e.Helper()
	want, by := specified, ""
	for _, q := range quirks {
		if e.quirk(q.quirk) {
			want, by = q.value, q.quirk
		}
	}
	switch {
	case got == want:
	case by == "":
		e.Errorf("%s: %v, want %v", what, got, specified)
	case got == specified:
		e.Errorf("%s: %v: quirk %s no longer reproduces: remove it", what, got, by)
	default:
		e.Errorf("%s: %v, want %v by quirk %s", what, got, want, by)
	}
}

// lostStatus is what becomes of the status of a request that fails on its own side.
var lostStatus = instead[verbs.WCStatus]{"Q32", verbs.WCWRFlushErr}

// wrongKey is what becomes of the status of a request with a wrong local key.
var wrongKey = instead[verbs.WCStatus]{"Q04", verbs.WCLocQPOpErr}

// failsHere waits for the completion of a request that fails on its own side.
func (s *side) failsHere(id uint64, status verbs.WCStatus, quirks ...instead[verbs.WCStatus]) {
	s.Helper()
	agreeByAny(s.env, fmt.Sprintf("request %d", id), s.sendCQ.of(id).Status, status, append(quirks, lostStatus)...)
}
