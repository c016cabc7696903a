package cli

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"strings"

	"github.com/ibperf/ibperf/harness"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/verbs"
	_ "github.com/ibperf/ibperf/verbs/ibv" // the devices of libibverbs
	_ "github.com/ibperf/ibperf/verbs/shm" // the embedded devices
)

// embeddedBackend is the backend of the embedded devices.
const embeddedBackend = "shm"

// choice is a port of a device and the reason for choosing it, empty if -d names it.
type choice struct {
	device verbs.Device
	port   int // from 1
	why    string
}

// tryEmbedded is the advice to a client without an RDMA device.
const tryEmbedded = "for the embedded device, which is shared memory and not RDMA hardware, give -d shm_whole, or set " +
	option.DeviceVariable + "=shm_whole in the environment"

// chooseClient returns the client's devices: those that -d names, else the one that the environment
// names, else the first usable RDMA device for the server at a host; an empty host is no server.
func chooseClient(own *option.Own, host string) ([]choice, error) {
	if named, err := chooseNamed(own.Device, own.IBPort); err != nil || len(named) > 0 {
		return named, err
	}
	c, err := firstUsable(own.IBPort, func() netip.Addr { return sourceAddress(own.Source, host) })
	if err != nil {
		return nil, &harness.DeviceError{Err: fmt.Errorf("%w; %s", err, tryEmbedded)}
	}
	return []choice{c}, nil
}

// chooseOne returns the device of a program that runs on one at a time.
func chooseOne(own *option.Own, host string) (choice, error) {
	all, err := chooseClient(own, host)
	return onlyOne(all, err)
}

// onlyOne returns the only one of chosen devices; none if there is none.
func onlyOne(all []choice, err error) (choice, error) {
	switch {
	case err != nil || len(all) == 0:
		return choice{}, err
	case len(all) > 1:
		return choice{}, errSeveral
	}
	return all[0], nil
}

// errSeveral is the error of a program that runs on one device at a time.
var errSeveral = usage("--ib-dev: only the tests (ib_write_bw and the others) measure several devices at the same time: name one")

// checkOneDevice returns an error if -d names several devices.
func (o *options) checkOneDevice() error {
	if list, err := option.ParseDevices(o.Own.Device, o.Own.IBPort); err == nil && len(list) > 1 {
		return errSeveral
	}
	return nil
}

// chooseNamed returns the devices that -d names, else the one that the environment names; none if
// neither does.
func chooseNamed(list string, port int) (all []choice, err error) {
	variable, why := os.Getenv(option.DeviceVariable), ""
	if list == "" && variable != "" {
		list, why = variable, option.DeviceVariable+" names it"
	}
	named, err := option.ParseDevices(list, port)
	if err == nil && why != "" && len(named) > 1 {
		err = errors.New("names one device: name several with -d")
	}
	if err != nil {
		err = usage(err.Error())
	}
	for _, n := range named {
		var c choice
		if err == nil {
			c, err = lookup(n.Device, n.Port, why)
		}
		all = append(all, c)
	}
	if err != nil && why != "" {
		err = fmt.Errorf("%s: %w", option.DeviceVariable, err)
	}
	if err != nil {
		return nil, err
	}
	return all, nil
}

// lookup returns the device of a name.
func lookup(name string, port int, why string) (choice, error) {
	d, err := verbs.Lookup(name)
	if err != nil {
		return choice{}, &harness.DeviceError{Err: err}
	}
	return choice{d, port, why}, nil
}

// firstUsable returns the first RDMA device whose port is active. Of several it prefers the first that has
// this side's address of the control connection. Its error has the obstacle of each device.
func firstUsable(port int, address func() netip.Addr) (choice, error) {
	usable, obstacles := usableDevices(port)
	switch len(usable) {
	case 0:
		return choice{}, noneUsable(obstacles)
	case 1:
		return choice{usable[0], port, fmt.Sprintf("the first RDMA device with port %d active", port)}, nil
	}
	why := fmt.Sprintf("the first of %d RDMA devices with port %d active", len(usable), port)
	local := address().Unmap().WithZone("")
	if !local.IsValid() || local.IsLoopback() {
		return choice{usable[0], port, why}, nil
	}
	i := slices.IndexFunc(usable, func(d verbs.Device) bool { return hasAddress(d, port, local) })
	if i < 0 {
		return choice{usable[0], port, fmt.Sprintf("%s; none has the control connection's address, %s: name another with -d", why, local)}, nil
	}
	return choice{usable[i], port, fmt.Sprintf("%s that has the control connection's address, %s", why, local)}, nil
}

// noneUsable returns the error without a usable device.
func noneUsable(obstacles []string) error {
	return fmt.Errorf("no RDMA device is usable: %s", strings.Join(obstacles, "; "))
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
