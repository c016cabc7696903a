package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/ibperf/ibperf/harness"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/verbs"
	_ "github.com/ibperf/ibperf/verbs/ibv" // the devices of libibverbs
	_ "github.com/ibperf/ibperf/verbs/shm" // the embedded devices
)

// embeddedBackend is the backend of the embedded devices.
const embeddedBackend = "shm"

// choice is a device and why it was chosen, empty if -d names it.
type choice struct {
	device verbs.Device
	why    string
}

// tryEmbedded is what a client can do that has no RDMA device.
const tryEmbedded = "for the embedded device, which is shared memory and no RDMA hardware, give -d shm_whole, or set " +
	option.DeviceVariable + "=shm_whole in the environment"

// chooseClient returns the client's device: the one that -d or else the environment names, else the
// first usable RDMA device for the server at a host, which may be none.
func chooseClient(own *option.Own, host string) (choice, error) {
	if c, err := chooseNamed(own.Device); err != nil || c.device != nil {
		return c, err
	}
	c, err := firstUsable(own, host)
	if err != nil {
		return c, &harness.DeviceError{Err: fmt.Errorf("%w; %s", err, tryEmbedded)}
	}
	return c, nil
}

// chooseServer returns the server's device for a client's: the one that -d names, else the embedded
// one that the client has, else the one that the environment names, else the first usable RDMA device
// for the client's host.
func chooseServer(own *option.Own, client deviceID, host string) (choice, error) {
	if own.Device == "" && client.embedded() {
		c, err := lookupEmbedded(client.Name)
		if err != nil {
			return c, err
		}
		return c, checkDevices(client, identify(c.device))
	}
	c, err := chooseNamed(own.Device)
	if err != nil {
		return c, err
	}
	if c.device != nil {
		err := checkDevices(client, identify(c.device))
		if err != nil && own.Device == "" {
			err = fmt.Errorf("%w; %s names the server's", err, option.DeviceVariable)
		}
		return c, err
	}
	if c, err = firstUsable(own, host); err != nil {
		return c, &harness.DeviceError{Err: fmt.Errorf("the client has the RDMA device %s, and on the server %w", client.Name, err)}
	}
	return c, nil
}

// chooseNamed returns the device that -d or else the environment names, none if neither does.
func chooseNamed(name string) (choice, error) {
	variable := os.Getenv(option.DeviceVariable)
	if name != "" || variable == "" {
		return lookup(name, "")
	}
	c, err := lookup(variable, option.DeviceVariable+" names it")
	if err != nil {
		err = fmt.Errorf("%s: %w", option.DeviceVariable, err)
	}
	return c, err
}

// lookupEmbedded takes the name from a client, which must not reach anything
// but an embedded device by it.
func lookupEmbedded(name string) (choice, error) {
	c, err := lookup(name, "the embedded device that the client has")
	if err == nil && !identify(c.device).embedded() {
		err = &peerFault{fmt.Errorf("the client calls %s an embedded device, which it is not here", name)}
	}
	return c, err
}

// lookup returns the device of a name, none of an empty one.
func lookup(name, why string) (choice, error) {
	if name == "" {
		return choice{}, nil
	}
	d, err := verbs.Lookup(name)
	if err != nil {
		return choice{}, &harness.DeviceError{Err: err}
	}
	return choice{d, why}, nil
}

// firstUsable returns the first usable RDMA device, of several the first that has the address of
// the control connection with a host. If there is none the error says why.
func firstUsable(own *option.Own, host string) (choice, error) {
	usable, obstacles := usableDevices(own.IBPort)
	if len(usable) == 0 {
		return choice{}, fmt.Errorf("no RDMA device is usable: %s", strings.Join(obstacles, "; "))
	}
	if len(usable) > 1 {
		if d, address := nearest(usable, own.IBPort, own.Source, host); d != nil {
			return choice{d, fmt.Sprintf("of %d RDMA devices whose port %d is active the first with the control connection's address, %s", len(usable), own.IBPort, address)}, nil
		}
	}
	return choice{usable[0], fmt.Sprintf("the first RDMA device whose port %d is active", own.IBPort)}, nil
}

// usableDevices returns the RDMA devices that open and whose port is active, and says why each
// backend without devices has none, and what is wrong with each other device.
func usableDevices(port int) (usable []verbs.Device, obstacles []string) {
	for _, b := range verbs.Backends() {
		if b.Name() == embeddedBackend {
			continue
		}
		devices, err := b.Devices()
		if err == nil && len(devices) == 0 {
			err = b.Absence()
		}
		if err != nil {
			obstacles = append(obstacles, err.Error())
		}
		for _, d := range devices {
			if err := probe(d, port); err != nil {
				obstacles = append(obstacles, oneLine(err))
				continue
			}
			usable = append(usable, d)
		}
	}
	return usable, obstacles
}

// probe opens a device for a look at its port.
func probe(d verbs.Device, port int) error {
	c, err := openDevice(d, port)
	if err != nil {
		return err
	}
	return c.Close()
}

// openDevice opens a device whose port must be active.
func openDevice(d verbs.Device, port int) (verbs.Context, error) {
	c, err := d.Open()
	if err != nil {
		return nil, &harness.DeviceError{Err: fmt.Errorf("open device %s: %w", d.Name(), err)}
	}
	if err := checkPort(c, port); err != nil {
		return nil, &harness.DeviceError{Err: errors.Join(err, c.Close())}
	}
	return c, nil
}

func checkPort(c verbs.Context, port int) error {
	name := c.Device().Name()
	attr, err := c.QueryDevice()
	if err != nil {
		return fmt.Errorf("query device %s: %w", name, err)
	}
	if attr.Transport == verbs.TransportIWARP {
		return fmt.Errorf("device %s is iWARP, which the programs do not connect, with or without --rdma_cm: name an InfiniBand or RoCE device with -d", name)
	}
	if port > attr.PhysPortCount {
		return fmt.Errorf("device %s has no port %d: its last is %d", name, port, attr.PhysPortCount)
	}
	p, err := c.QueryPort(port)
	if err != nil {
		return fmt.Errorf("query port %d of device %s: %w", port, name, err)
	}
	if p.State != verbs.PortActive && p.State != verbs.PortActiveDefer {
		return fmt.Errorf("port %d of device %s is %s, not ACTIVE: %s, or name another with -d and -i", port, name, p.State, cure(p))
	}
	return nil
}

// cure says what makes a port active.
func cure(p verbs.PortAttr) string {
	switch {
	case p.LinkLayer == verbs.LinkEthernet:
		return "check its cable, and set its network interface up (ip link, rdma link)"
	case p.State == verbs.PortInit || p.State == verbs.PortArmed:
		return "its subnet manager has yet to configure it, check that one runs (opensm)"
	}
	return "check cable and link"
}
