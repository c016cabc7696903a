package cli

import (
	"net/netip"
	"os"
	"syscall"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/verbs"
)

// fakeBackend offers devices that are not embedded: fakedown's port is down,
// fakeiwarp's, fake0's and fake1's are active, fakelocked may not be opened. fake1's address is 10.0.0.7, and its link
// has 100 Gb/s; the links of the others are unknown.
type fakeBackend struct{}

type fakeDevice struct {
	name      string
	state     verbs.PortState
	transport verbs.TransportType
	gid       verbs.GID
	width     uint8  // of the link, by its code
	speed     uint32 // likewise
}

var fakeDevices = []verbs.Device{
	&fakeDevice{name: "fakelocked", state: verbs.PortNOP}, &fakeDevice{name: "fakedown", state: verbs.PortDown},
	&fakeDevice{name: "fakeiwarp", state: verbs.PortActive, transport: verbs.TransportIWARP},
	&fakeDevice{name: "fake0", state: verbs.PortActive},
	&fakeDevice{name: "fake1", state: verbs.PortActive, gid: verbs.GID(netip.MustParseAddr("::ffff:10.0.0.7").As16()), width: 2, speed: 32},
}

func init() {
	verbs.Register(fakeBackend{})
	os.Unsetenv(option.DeviceVariable)
}

func (fakeBackend) Name() string                     { return "fake" }
func (fakeBackend) Version() string                  { return "1" }
func (fakeBackend) Devices() ([]verbs.Device, error) { return fakeDevices, nil }
func (fakeBackend) Absence() error                   { return nil }

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

// fakeContext answers the calls of choosing a device.
type fakeContext struct {
	verbs.Context
	device *fakeDevice
}

func (c *fakeContext) Device() verbs.Device { return c.device }
func (c *fakeContext) Close() error         { return nil }

func (c *fakeContext) QueryDevice() (verbs.DeviceAttr, error) {
	return verbs.DeviceAttr{Transport: c.device.transport, PhysPortCount: 1}, nil
}

func (c *fakeContext) AllocPD() (verbs.PD, error) { return fakePD{}, nil }

func (c *fakeContext) CreateCQ(int, verbs.CompChannel, int) (verbs.CQ, error) { return fakeCQ{}, nil }

// fakePD creates no QPs, for which a fakeCQ is enough.
type (
	fakePD struct{ verbs.PD }
	fakeCQ struct{ verbs.CQ }
)

func (fakePD) Close() error { return nil }
func (fakeCQ) Close() error { return nil }

func (fakePD) CreateQP(*verbs.QPInitAttr) (verbs.QP, error) {
	return nil, &verbs.OpError{Verb: "create_qp", Errno: verbs.ErrNotSupported}
}

func (c *fakeContext) QueryPort(int) (verbs.PortAttr, error) {
	return verbs.PortAttr{State: c.device.state, GIDTableLen: 2, ActiveWidth: c.device.width, ActiveSpeed: c.device.speed}, nil
}

func (c *fakeContext) QueryGID(port, index int) (verbs.GIDEntry, error) {
	if index == 0 || c.device.gid == (verbs.GID{}) {
		return verbs.GIDEntry{}, syscall.ENODATA
	}
	return verbs.GIDEntry{GID: c.device.gid, Port: port, Index: index}, nil
}
