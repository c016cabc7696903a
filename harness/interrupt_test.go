package harness

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ibperf/ibperf/internal/testclock"
	"github.com/ibperf/ibperf/internal/testdevice"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/verbs"
)

// countdown calls a function when the client has posted N messages of measured rounds.
type countdown struct {
	left   atomic.Int64
	counts atomic.Bool
	then   func()
}

func newCountdown(messages int64, then func()) *countdown {
	c := &countdown{then: then}
	c.left.Store(messages)
	return c
}

// countPosts makes the countdown count what the pair's client posts.
func (c *countdown) countPosts(p *pair) {
	posted := func(verbs.QP, *verbs.SendWR) {
		if c.counts.Load() && c.left.Add(-1) == 0 {
			c.then()
		}
	}
	p.wrap = func(side int, ctx verbs.Context) verbs.Context {
		if side == 0 {
			return testdevice.Context(ctx, testdevice.Options{OnPostSend: posted})
		}
		return ctx
	}
	p.peer = func(side int, peer oob.Peer) oob.Peer {
		if side == 1 {
			return peer
		}
		return watchedSteps{peer, c}
	}
}

// watchedSteps is the client's peer, which starts the countdown at the first measured round.
type watchedSteps struct {
	oob.Peer
	*countdown
}

func (w watchedSteps) Step(mine oob.Step) (oob.Step, error) {
	if mine.Kind == oob.StepRound && !mine.Warmup {
		w.counts.Store(true)
	}
	return w.Peer.Step(mine)
}

// An interrupted run ends at once and keeps what it measured.
func TestInterruptedRunKeepsItsFigures(t *testing.T) {
	eachTest(t, func(t *testing.T, op option.Op, kind option.Kind) {
		for _, mode := range modes() {
			p := testPlan(op, kind, 64, 0)
			p.Completion, p.Duration = mode, time.Hour
			ctx, cancel := context.WithCancel(context.Background())
			var start testclock.Watch
			begun := func() { start = testclock.Start(); cancel() }
			sides := pair{device: "shm_whole", plan: p, ctx: ctx}
			newCountdown(1000, begun).countPosts(&sides)
			files, errs := sides.run(t)
			if took := start.Took(); took > 5*time.Second {
				t.Errorf("%s: ended after %v", mode, took)
			}
			if !errors.Is(errs[0], ErrInterrupted) || !files[0].Interrupted {
				t.Errorf("%s: client: %v, marked %v", mode, errs[0], files[0].Interrupted)
			}
			var lost *oob.PeerError
			if !errors.As(errs[1], &lost) || !lost.Aborted {
				t.Errorf("%s: server: %v", mode, errs[1])
			}
			if (mode == option.ModePoll || kind == option.KindLatency) && len(files[0].Rows)+len(files[0].NotMeasured) != 1 {
				t.Errorf("%s: %d rows kept", mode, len(files[0].Rows))
			}
		}
	})
}
