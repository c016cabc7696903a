package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ibperf/ibperf/harness"
	"github.com/ibperf/ibperf/verbs"
	_ "github.com/ibperf/ibperf/verbs/ibv" // the devices of libibverbs
	_ "github.com/ibperf/ibperf/verbs/shm" // the embedded devices
)

// Embedded devices: their backend, and the one that is used without -d where
// no RDMA device is.
const (
	embeddedBackend = "shm"
	embeddedDefault = "shm_whole"
)

// choice is a device and why it was chosen, empty if it was named here.
type choice struct {
	device verbs.Device
	why    string
}

// chooseClient returns the client's device: the one named, else the first real
// one with an active port, else the embedded default.
func chooseClient(name string, port int) (choice, error) {
	if name != "" {
		return lookup(name, "")
	}
	device, found := firstActive(port)
	if device != nil {
		return choice{device, fmt.Sprintf("the first RDMA device whose port %d is active", port)}, nil
	}
	return lookup(embeddedDefault, found)
}

// chooseServer returns the server's device for a client's: the one named, else
// the embedded one that the client has, else the first real one.
func chooseServer(name string, port int, client deviceID) (choice, error) {
	if name != "" {
		c, err := lookup(name, "")
		if err != nil {
			return c, err
		}
		return c, checkDevices(client, identify(c.device))
	}
	if client.embedded() {
		c, err := lookupEmbedded(client.Name)
		if err != nil {
			return c, err
		}
		return c, checkDevices(client, identify(c.device))
	}
	device, found := firstActive(port)
	if device == nil {
		return choice{}, &harness.DeviceError{Err: fmt.Errorf("the client has the RDMA device %s, and on the server %s", client.Name, found)}
	}
	return choice{device, fmt.Sprintf("the first RDMA device whose port %d is active", port)}, nil
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

func lookup(name, why string) (choice, error) {
	d, err := verbs.Lookup(name)
	if err != nil {
		return choice{}, &harness.DeviceError{Err: err}
	}
	return choice{d, why}, nil
}

// firstActive returns the first device of a real backend whose port is active.
// If there is none it says what was found instead.
func firstActive(port int) (device verbs.Device, found string) {
	var obstacles []string
	for _, b := range verbs.Backends() {
		if b.Name() == embeddedBackend {
			continue
		}
		devices, err := b.Devices()
		if err != nil {
			obstacles = append(obstacles, fmt.Sprintf("%s: %v", b.Name(), err))
		}
		for _, d := range devices {
			err := probe(d, port)
			if err == nil {
				return d, ""
			}
			obstacles = append(obstacles, err.Error())
		}
	}
	if len(obstacles) == 0 {
		return nil, "no RDMA device is present"
	}
	return nil, "no RDMA device is usable: " + strings.Join(obstacles, "; ")
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
