package verbstest

import (
	"fmt"

	"github.com/ibperf/ibperf/verbs"
)

// deviation is the value that a device with a quirk has instead of the specified one.
type deviation[T comparable] struct {
	quirk string
	value T
}

// checkValue checks that got is the specified value or, on a device with the quirk, the quirk's value.
func checkValue[T comparable](e *env, quirk, what string, got, specified, quirky T) {
	e.Helper()
	checkValueQuirks(e, what, got, specified, deviation[T]{quirk, quirky})
}

// checkValueQuirks checks that got is the specified value or, on a device with one of the quirks,
// that quirk's value.
func checkValueQuirks[T comparable](e *env, what string, got, specified T, quirks ...deviation[T]) {
	e.Helper()
	want, by := specified, ""
	for _, q := range quirks {
		if e.hasQuirk(q.quirk) {
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

// checkEither checks that got is the specified value or, on a device with the quirk, that or the
// quirk's value: for quirks whose source does not say that every device has them.
func checkEither[T comparable](e *env, quirk, what string, got, specified, quirky T) {
	e.Helper()
	has := e.hasQuirk(quirk)
	if has {
		e.quirksMet[quirk] = got == quirky
	}
	if got != specified && (!has || got != quirky) {
		e.Errorf("%s: %v, want %v", what, got, specified)
	}
}

// quirkFlushErr: a request that fails at the requester has the status of a flushed one.
var quirkFlushErr = deviation[verbs.WCStatus]{"Q32", verbs.WCWRFlushErr}

// quirkLKeyStatus: a request with an invalid lkey has another status.
var quirkLKeyStatus = deviation[verbs.WCStatus]{"Q04", verbs.WCLocQPOpErr}

// failsLocally waits for the completion of a request that fails at the requester, and checks its status.
func (s *side) failsLocally(id uint64, status verbs.WCStatus, quirks ...deviation[verbs.WCStatus]) {
	s.Helper()
	checkValueQuirks(s.env, fmt.Sprintf("request %d", id), s.SendCQ.WaitFor(id).Status, status, append(quirks, quirkFlushErr)...)
}
