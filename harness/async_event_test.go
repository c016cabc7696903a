package harness

import (
	"errors"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/verbs"
)

// eventful is a device with asynchronous events of its own.
type eventful struct {
	verbs.Context
	events chan verbs.AsyncEvent
	failed error
	acked  *atomic.Int64
}

func newEventful(c verbs.Context, events ...verbs.AsyncEvent) eventful {
	e := eventful{Context: c, events: make(chan verbs.AsyncEvent, len(events)), acked: new(atomic.Int64)}
	for _, event := range events {
		e.events <- event
	}
	return e
}

func (e eventful) GetAsyncEvent(timeout time.Duration) (verbs.AsyncEvent, error) {
	if e.failed != nil {
		return verbs.AsyncEvent{}, e.failed
	}
	select {
	case event := <-e.events:
		return event, nil
	case <-time.After(timeout):
		return verbs.AsyncEvent{}, verbs.ErrTimeout
	}
}

func (e eventful) AckAsyncEvent(verbs.AsyncEvent) { e.acked.Add(1) }

// A fatal asynchronous event ends both sides at once, and the peer's error has its text.
func TestEventsOfTheDeviceEndTheRun(t *testing.T) {
	for name, c := range map[string]struct {
		event verbs.AsyncEvent
		fail  error
		want  string
	}{
		"port":       {verbs.AsyncEvent{Type: verbs.EventPortErr, Port: 1}, nil, "port 1 of shm_whole went down (PORT_ERR)"},
		"device":     {verbs.AsyncEvent{Type: verbs.EventDeviceFatal}, nil, "device shm_whole failed (DEVICE_FATAL)"},
		"QP":         {verbs.AsyncEvent{Type: verbs.EventQPFatal, QP: numbered{}}, nil, "QP 0x11 of shm_whole failed (QP_FATAL)"},
		"request":    {verbs.AsyncEvent{Type: verbs.EventQPReqErr, QP: numbered{}}, nil, "QP 0x11 of shm_whole stopped (QP_REQ_ERR)"},
		"access":     {verbs.AsyncEvent{Type: verbs.EventQPAccessErr}, nil, "a QP of shm_whole stopped (QP_ACCESS_ERR)"},
		"CQ":         {verbs.AsyncEvent{Type: verbs.EventCQErr}, nil, "queue of shm_whole failed (CQ_ERR)"},
		"no answers": {fail: &verbs.OpError{Verb: "get_async_event", Object: "shm_whole", Errno: syscall.EIO}, want: "device shm_whole failed: get_async_event"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, kind := range allKinds {
				p := testPlan(option.OpWrite, kind, 8, 0)
				p.Duration = time.Hour
				begun := make(chan eventful, 1)
				wrap := func(side int, ctx verbs.Context) verbs.Context {
					e := newEventful(ctx, c.event)
					e.failed = c.fail
					if side == 0 {
						return ctx
					}
					begun <- e
					return e
				}
				_, errs := pair{device: "shm_whole", plan: p, wrap: wrap}.run(t)
				var device *DeviceError
				var lost *oob.PeerError
				if !errors.As(errs[1], &device) || !strings.Contains(errs[1].Error(), c.want) {
					t.Errorf("%s: the side with the device: %v", kind, errs[1])
				}
				if !errors.As(errs[0], &lost) || !strings.Contains(errs[0].Error(), c.want) {
					t.Errorf("%s: the peer: %v", kind, errs[0])
				}
				if e := <-begun; c.fail == nil && e.acked.Load() != 1 {
					t.Errorf("%s: %d events acknowledged", kind, e.acked.Load())
				}
			}
		})
	}
}

// numbered is the QP of an event.
type numbered struct{ verbs.QP }

func (numbered) QPNum() uint32 { return 0x11 }

func TestHarmlessEventsAreAcknowledged(t *testing.T) {
	harmless := []verbs.AsyncEvent{{Type: verbs.EventPortErr, Port: 2}}
	for _, e := range []verbs.EventType{
		verbs.EventCommEst, verbs.EventPortActive, verbs.EventLIDChange, verbs.EventPKeyChange, verbs.EventSMChange,
		verbs.EventClientReregist, verbs.EventGIDChange,
	} {
		harmless = append(harmless, verbs.AsyncEvent{Type: e, Port: 1})
	}
	var sides [2]eventful
	wrap := func(side int, c verbs.Context) verbs.Context {
		sides[side] = newEventful(c, harmless...)
		return sides[side]
	}
	p := testPlan(option.OpSend, option.KindLatency, 8, 0)
	p.Duration = 50 * time.Millisecond
	_, errs := pair{device: "shm_whole", plan: p, wrap: wrap}.run(t)
	for side, s := range sides {
		if errs[side] != nil || s.acked.Load() != int64(len(harmless)) {
			t.Errorf("side %d: %v, %d of %d events acknowledged", side, errs[side], s.acked.Load(), len(harmless))
		}
	}
}

// late is a device that fails a post and raises the event that explains it a little later.
type late struct{ eventful }

func (l late) AllocPD() (verbs.PD, error) { return faulty{l.Context}.AllocPD() }

// The event that explains a failed post is the error of the run, not the failed post.
func TestEventExplainsFailedWork(t *testing.T) {
	p := testPlan(option.OpWrite, option.KindLatency, 8, 100000)
	wrap := func(side int, c verbs.Context) verbs.Context {
		if side == 1 {
			return c
		}
		e := newEventful(c)
		e.events = make(chan verbs.AsyncEvent)
		time.AfterFunc(asyncEventTimeout/3, func() { e.events <- verbs.AsyncEvent{Type: verbs.EventPortErr, Port: 1} })
		return late{e}
	}
	_, errs := pair{device: "shm_whole", plan: p, wrap: wrap}.run(t)
	for side, err := range errs {
		if err == nil || !strings.Contains(err.Error(), "went down") {
			t.Errorf("side %d: %v", side, err)
		}
	}
}

// removed is the context of a device that was unplugged.
type removed struct{ verbs.Context }

func (r removed) Device() verbs.Device { return removedDevice{r.Context.Device()} }

type removedDevice struct{ verbs.Device }

func (removedDevice) Present() bool { return false }

func TestRemovedDeviceEndsTheRun(t *testing.T) {
	p := testPlan(option.OpWrite, option.KindBandwidth, 8, 0)
	p.Duration = time.Hour
	wrap := func(side int, c verbs.Context) verbs.Context {
		if side == 1 {
			return removed{c}
		}
		return c
	}
	_, errs := pair{device: "shm_whole", plan: p, wrap: wrap}.run(t)
	for side, err := range errs {
		if err == nil || !strings.Contains(err.Error(), "device shm_whole was removed") {
			t.Errorf("side %d: %v", side, err)
		}
	}
}
