package harness

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

const (
	// asyncSlice is the longest wait for one event of the device, and so the time by which the end
	// of a run may be delayed.
	asyncSlice = 50 * time.Millisecond
	// presenceSlices is the number of waits between two checks of the device's presence.
	presenceSlices = 20
)

// watchDevices halts the run on fatal events of the devices. It acknowledges each event at once,
// because ibv_destroy_qp and ibv_destroy_cq wait for that. It returns a function that ends the
// watch.
func (s *session) watchDevices() (stop func()) {
	quit := make(chan struct{})
	var watches sync.WaitGroup
	for i := range s.cfg.Devices {
		watches.Go(func() { s.watchDevice(&s.cfg.Devices[i], quit) })
	}
	return func() {
		close(quit)
		watches.Wait()
	}
}

// watchDevice watches one device until quit is closed, or the device has failed.
func (s *session) watchDevice(d *DevicePort, quit <-chan struct{}) {
	for n := 1; ; n++ {
		select {
		case <-quit:
			return
		default:
		}
		err := d.event()
		if err == nil && n%presenceSlices == 0 {
			err = d.checkPresence()
		}
		if err != nil {
			s.halt.Set(&DeviceError{Err: err})
			return
		}
	}
}

// event waits for one event and returns its error if it is fatal.
func (d *DevicePort) event() error {
	c := d.Context
	e, err := c.GetAsyncEvent(asyncSlice)
	switch {
	case errors.Is(err, verbs.ErrTimeout):
		return nil
	case err != nil:
		return fmt.Errorf("device %s failed: %w", c.Device().Name(), err)
	}
	trouble := d.eventError(e)
	c.AckAsyncEvent(e)
	return trouble
}

// eventError returns the error of a fatal event, or nil.
func (d *DevicePort) eventError(e verbs.AsyncEvent) error {
	device := d.Context.Device().Name()
	switch e.Type {
	case verbs.EventPortErr:
		if e.Port == d.Port {
			return fmt.Errorf("port %d of %s went down (%s): check cable, link and network interface", e.Port, device, e.Type)
		}
	case verbs.EventDeviceFatal:
		return fmt.Errorf("device %s failed (%s): it was removed, or its firmware or driver stopped it, see the kernel's log", device, e.Type)
	case verbs.EventQPFatal:
		return fmt.Errorf("%s failed (%s): the device met an error in its work queue", qpName(device, e.QP), e.Type)
	case verbs.EventQPReqErr:
		return fmt.Errorf("%s stopped (%s): the peer sent a request that is not valid for it", qpName(device, e.QP), e.Type)
	case verbs.EventQPAccessErr:
		return fmt.Errorf("%s stopped (%s): the peer's request has a wrong key or range, or lacks the access right", qpName(device, e.QP), e.Type)
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

// checkPresence detects a device that was removed without an event.
func (d *DevicePort) checkPresence() error {
	device := d.Context.Device()
	if device.Present() {
		return nil
	}
	return fmt.Errorf("device %s was removed: the kernel does not offer it any more", device.Name())
}
