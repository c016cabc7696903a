package verbstest

import (
	"errors"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// asyncWithin waits for an asynchronous event of the type, acknowledges it and
// drops those of other types that come before.
func (s *side) asyncWithin(limit time.Duration, want verbs.EventType) (verbs.AsyncEvent, bool) {
	s.Helper()
	for end := time.Now().Add(limit); ; {
		ev, err := s.ctx.GetAsyncEvent(time.Until(end))
		if errors.Is(err, verbs.ErrTimeout) {
			return ev, false
		}
		s.ok(err)
		s.ctx.AckAsyncEvent(ev)
		if ev.Type == want {
			return ev, true
		}
	}
}

// asyncEvent waits for an asynchronous event of the type.
func (s *side) asyncEvent(want verbs.EventType) verbs.AsyncEvent {
	s.Helper()
	ev, ok := s.asyncWithin(patience, want)
	if !ok {
		s.Fatalf("no event %s", want)
	}
	return ev
}

// noAsyncEvent checks that no event of the type comes for a while.
func (s *side) noAsyncEvent(unwanted verbs.EventType) {
	s.Helper()
	if _, ok := s.asyncWithin(quiet, unwanted); ok {
		s.Errorf("event %s", unwanted)
	}
}
