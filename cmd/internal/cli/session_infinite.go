package cli

import (
	"context"
	"errors"
	"time"
)

// stopGrace is the time within which an endless run must end after a signal before it is interrupted
// like other runs.
const stopGrace = time.Second

// stopper ends an endless run with its summary.
type stopper struct {
	stop    func()          // ends the run
	stopped <-chan struct{} // closed by stop
	restore func()          // frees what the stopper holds
}

// stoppable returns the context of the engine, and what ends an endless run; for other runs, whose context a
// signal cancels at once, a stopper without effect. The first signal stops an endless run. The caller calls
// restore at the end.
func (s *peerSession) stoppable(ctx context.Context) (engine context.Context, end stopper) {
	if !s.plan.Plan().Endless {
		return ctx, stopper{func() {}, nil, func() {}}
	}
	engine, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stopped, stop := context.WithCancel(context.Background())
	release := context.AfterFunc(ctx, func() {
		if !errors.As(context.Cause(ctx), new(*interruptedError)) {
			cancel(context.Cause(ctx))
			return
		}
		stop()
		time.AfterFunc(stopGrace, func() { cancel(context.Cause(ctx)) })
	})
	return engine, stopper{stop, stopped.Done(), func() {
		release()
		stop()
		cancel(nil)
	}}
}
