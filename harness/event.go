package harness

import (
	"errors"
	"fmt"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

const (
	// asyncSlice is how long the wait for a device's event lasts at a time, and so
	// how long the end of a run may have to wait for it.
	asyncSlice = 50 * time.Millisecond
	// presenceSlices is the number of waits between two looks whether the device is there.
	presenceSlices = 20
)

// listen makes the device's events that end a run its reason to halt. It
// acknowledges each event at once, so that closing what it is about does not
// wait. It returns what ends it.
func (s *session) listen() (stop func()) {
	quit, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for n := 1; ; n++ {
			select {
			case <-quit:
				return
			default:
			}
			err := s.event()
			if err == nil && n%presenceSlices == 0 {
				err = s.presence()
			}
			if err != nil {
				s.halt.set(&DeviceError{err})
				return
			}
		}
	}()
	return func() {
		close(quit)
		<-ended
	}
}

// event waits for one event and returns what it says if that ends the run.
func (s *session) event() error {
	c := s.cfg.Context
	e, err := c.GetAsyncEvent(asyncSlice)
	switch {
	case errors.Is(err, verbs.ErrTimeout):
		return nil
	case err != nil:
		return fmt.Errorf("device %s failed: %w", c.Device().Name(), err)
	}
	trouble := s.trouble(e)
	c.AckAsyncEvent(e)
	return trouble
}

// trouble says what happened, or returns nil for events that do no harm.
func (s *session) trouble(e verbs.AsyncEvent) error {
	device := s.cfg.Context.Device().Name()
	switch e.Type {
	case verbs.EventPortErr:
		if e.Port == s.cfg.Port {
			return fmt.Errorf("port %d of %s went down (%s): check cable, link and network interface", e.Port, device, e.Type)
		}
	case verbs.EventDeviceFatal:
		return fmt.Errorf("device %s failed (%s): it was removed, or its firmware or driver stopped it, see the kernel's log", device, e.Type)
	case verbs.EventQPFatal:
		return fmt.Errorf("%s failed (%s): the device met an error in its work queue", qpName(device, e.QP), e.Type)
	case verbs.EventQPReqErr:
		return fmt.Errorf("%s stopped (%s): the peer sent a request that is not valid for it", qpName(device, e.QP), e.Type)
	case verbs.EventQPAccessErr:
		return fmt.Errorf("%s stopped (%s): the peer's request has a wrong key or range, or no right to what it asks for", qpName(device, e.QP), e.Type)
	case verbs.EventCQErr:
		return fmt.Errorf("a completion queue of %s failed (%s): it overflowed, or the device failed", device, e.Type)
	}
	return nil
}

func qpName(device string, qp verbs.QP) string {
	if qp == nil {
		return "a QP of " + device
	}
	return fmt.Sprintf("QP %#x of %s", qp.QPNum(), device)
}

// presence notices a device that is being removed without an event.
func (s *session) presence() error {
	device := s.cfg.Context.Device()
	if device.Present() {
		return nil
	}
	return fmt.Errorf("device %s was removed: the kernel does not offer it any more", device.Name())
}
