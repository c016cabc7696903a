package shm

import (
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// GetAsyncEvent waits for an event. The embedded devices raise none: what goes
// wrong is told by completions and by the state of QPs.
func (c *context) GetAsyncEvent(timeout time.Duration) (verbs.AsyncEvent, error) {
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case <-c.ended:
		return verbs.AsyncEvent{}, c.err("get_async_event", einval, "device is closed")
	case <-timer.C:
		return verbs.AsyncEvent{}, verbs.ErrTimeout
	}
}

func (c *context) AckAsyncEvent(verbs.AsyncEvent) {}
