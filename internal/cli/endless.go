package cli

import (
	"context"
	"errors"
	"time"
)

// stopGrace is how long an endless run may take to end by itself after a signal, before it is
// interrupted as others are.
const stopGrace = time.Second

// stoppable returns the context that a run is measured in, and what tells an endless run to
// end with its summary: a signal, which breaks other runs off. Restore gives back what was
// taken.
func (s *session) stoppable(ctx context.Context) (engine context.Context, stop <-chan struct{}, restore func()) {
	if !s.plan.Endless {
		return ctx, nil, func() {}
	}
	engine, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	told := make(chan struct{})
	release := context.AfterFunc(ctx, func() {
		if !errors.As(context.Cause(ctx), new(*interruptedError)) {
			cancel(context.Cause(ctx))
			return
		}
		close(told)
		time.AfterFunc(stopGrace, func() { cancel(context.Cause(ctx)) })
	})
	return engine, told, func() {
		release()
		cancel(nil)
	}
}
