package verbstest

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

func manyWaiters(e *env) {
	e.sub("in the runtime's poller", func(e *env) { e.waitersShare(verbs.CompChannel.GetEvent) })
	e.sub("in raw system calls", func(e *env) { e.waitersShare(verbs.CompChannel.GetEventRaw) })
}

// waitersShare lets goroutines wait on one channel for short times, during garbage collections,
// and counts their events.
func (e *env) waitersShare(wait func(verbs.CompChannel, time.Duration) (verbs.CQ, error)) {
	const waiters, slice, messages = 4, 500 * time.Microsecond, 5
	a, b := e.channelPair()
	var got atomic.Int64
	var stop atomic.Bool
	var all sync.WaitGroup
	for range waiters {
		all.Go(func() {
			for !stop.Load() {
				began := time.Now()
				cq, err := wait(b.Channel, slice)
				switch took := time.Since(began); {
				case err == nil:
					got.Add(1)
					cq.AckEvents(1)
				case !errors.Is(err, verbs.ErrTimeout):
					e.Error(err)
					return
				case took > fixture.WaitTimeout:
					e.Errorf("a wait of %v took %v", slice, took)
				}
			}
		})
	}
	defer func() {
		stop.Store(true)
		all.Wait()
	}()
	for i := range int64(messages) { // fewer than the posted receives
		b.RecvCQ.Arm(false)
		a.sends(1, 0)
		runtime.GC()
		fixture.Eventually(e, "the event comes", func() bool { return got.Load() > i })
	}
	if n := got.Load(); n != messages {
		e.Errorf("%d events of %d", n, messages)
	}
}
