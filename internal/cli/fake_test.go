package cli

import (
	"syscall"

	"github.com/ibperf/ibperf/verbs"
)

// fakeBackend offers devices that are not embedded: fakedown's port is down,
// fake0's is active, fakelocked may not be opened.
type fakeBackend struct{}

type fakeDevice struct {
	name  string
	state verbs.PortState
}

var fakeDevices = []verbs.Device{
	&fakeDevice{"fakelocked", verbs.PortNOP}, &fakeDevice{"fakedown", verbs.PortDown}, &fakeDevice{"fake0", verbs.PortActive},
}

func init() { verbs.Register(fakeBackend{}) }

func (fakeBackend) Name() string                     { return "fake" }
func (fakeBackend) Version() string                  { return "1" }
func (fakeBackend) Devices() ([]verbs.Device, error) { return fakeDevices, nil }

func (fakeBackend) Lookup(name string) (verbs.Device, error) {
	for _, d := range fakeDevices {
		if d.Name() == name {
			return d, nil
		}
	}
	return nil, nil
}

func (d *fakeDevice) Name() string     { return d.name }
func (d *fakeDevice) Backend() string  { return "fake" }
func (d *fakeDevice) Software() string { return "" }
func (d *fakeDevice) Present() bool    { return true }

func (d *fakeDevice) Open() (verbs.Context, error) {
	if d.state == verbs.PortNOP {
		return nil, &verbs.OpError{Verb: "open_device", Object: d.name, Errno: syscall.EACCES}
	}
	return &fakeContext{device: d}, nil
}

// fakeContext answers what choosing a device asks.
type fakeContext struct {
	verbs.Context
	device *fakeDevice
}

func (c *fakeContext) Device() verbs.Device { return c.device }
func (c *fakeContext) Close() error         { return nil }

func (c *fakeContext) QueryDevice() (verbs.DeviceAttr, error) {
	return verbs.DeviceAttr{PhysPortCount: 1}, nil
}

func (c *fakeContext) QueryPort(int) (verbs.PortAttr, error) {
	return verbs.PortAttr{State: c.device.state}, nil
}
