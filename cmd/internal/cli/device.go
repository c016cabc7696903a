package cli

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"strings"

	"github.com/ibperf/ibperf/harness"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/verbs"
	_ "github.com/ibperf/ibperf/verbs/ibv" // the devices of libibverbs
	_ "github.com/ibperf/ibperf/verbs/shm" // the embedded devices
)

// embeddedBackend is the backend of the embedded devices.
const embeddedBackend = "shm"

// choice is a device and the reason for choosing it, empty if -d names it.
type choice struct {
	device verbs.Device
	why    string
}

// tryEmbedded is the advice to a client without an RDMA device.
const tryEmbedded = "for the embedded device, which is shared memory and not RDMA hardware, give -d shm_whole, or set " +
	option.DeviceVariable + "=shm_whole in the environment"

// chooseClient returns the client's device: the one that -d names, else the one that the environment
// names, else the first usable RDMA device for the server at a host; an empty host is no server.
func chooseClient(own *option.Own, host string) (choice, error) {
	if c, err := chooseNamed(own.Device); err != nil || c.device != nil {
		return c, err
	}
	c, err := firstUsable(own.IBPort, func() netip.Addr { return sourceAddress(own.Source, host) })
	if err != nil {
		return c, &harness.DeviceError{Err: fmt.Errorf("%w; %s", err, tryEmbedded)}
	}
	return c, nil
}

// chooseServer returns the server's device for a client's: the one that -d names, else the embedded
// one that the client has, else the one that the environment names, else the first usable RDMA device
// for the address that the client has reached.
func chooseServer(own *option.Own, client oob.DeviceID, reached netip.Addr) (choice, error) {
	if own.Device == "" && isEmbedded(client) {
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
	if c, err = firstUsable(own.IBPort, func() netip.Addr { return reached }); err != nil {
		return c, &harness.DeviceError{Err: fmt.Errorf("the client has the RDMA device %s, and on the server %w", client.Name, err)}
	}
	return c, nil
}

// chooseNamed returns the device that -d names, else the one that the environment names; none if
// neither does.
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

// lookupEmbedded returns the embedded device that a client names. It refuses other devices: a client
// must not choose the server's RDMA device.
func lookupEmbedded(name string) (choice, error) {
	c, err := lookup(name, "the client's embedded device")
	if err == nil && !isEmbedded(identify(c.device)) {
		err = &peerFault{fmt.Errorf("the client calls %s an embedded device, and on the server it is not one", name)}
	}
	return c, err
}

// lookup returns the device of a name; none for an empty name.
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

// firstUsable returns the first RDMA device whose port is active. Of several it prefers the first that has
// this side's address of the control connection. Its error has the obstacle of each device.
func firstUsable(port int, address func() netip.Addr) (choice, error) {
	usable, obstacles := usableDevices(port)
	switch len(usable) {
	case 0:
		return choice{}, fmt.Errorf("no RDMA device is usable: %s", strings.Join(obstacles, "; "))
	case 1:
		return choice{usable[0], fmt.Sprintf("the first RDMA device with port %d active", port)}, nil
	}
	why := fmt.Sprintf("the first of %d RDMA devices with port %d active", len(usable), port)
	local := address().Unmap().WithZone("")
	if !local.IsValid() || local.IsLoopback() {
		return choice{usable[0], why}, nil
	}
	i := slices.IndexFunc(usable, func(d verbs.Device) bool { return hasAddress(d, port, local) })
	if i < 0 {
		return choice{usable[0], fmt.Sprintf("%s; none has the control connection's address, %s: name another with -d", why, local)}, nil
	}
	return choice{usable[i], fmt.Sprintf("%s that has the control connection's address, %s", why, local)}, nil
}

// usableDevices returns the RDMA devices that open and whose port is active, and the obstacles: why
// a backend has no devices, and why a device is not usable.
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

// probe returns an error unless a device opens and its port is active.
func probe(d verbs.Device, port int) error {
	c, err := openDevice(d, port)
	if err != nil {
		return err
	}
	return c.Close()
}

// openDevice opens a device, and returns an error unless its port is active.
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
		return iwarpError(os.DirFS("/"), name)
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

// cure returns what to do about a port that is not active.
func cure(p verbs.PortAttr) string {
	switch {
	case p.LinkLayer == verbs.LinkEthernet:
		return "check its cable, and set its network interface up (ip link, rdma link)"
	case p.State == verbs.PortInit || p.State == verbs.PortArmed:
		return "the subnet manager has not configured it yet, check that one runs (opensm)"
	}
	return "check cable and link"
}
