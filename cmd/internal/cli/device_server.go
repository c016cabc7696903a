package cli

import (
	"fmt"
	"net/netip"
	"strings"

	"github.com/ibperf/ibperf/harness"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
)

// chooseServer returns the server's device for each of a client's: those that -d names, in their order, else the embedded
// one that the client has, else the one that the environment names, else the usable RDMA devices, for a client with one device
// the first one for the address that the client has reached.
func chooseServer(own *option.Own, client []oob.DeviceID, reached netip.Addr) (all []choice, err error) {
	named, err := chooseNamed(own.Device, own.IBPort)
	if err != nil && (own.Device != "" || !isEmbedded(client[0])) {
		return nil, err
	}
	var usable []choice
	for i, theirs := range client {
		var c choice
		switch {
		case own.Device == "" && isEmbedded(theirs):
			c, err = lookupEmbedded(theirs.Name, own.IBPort)
		case len(named) > 0:
			c, err = ithOf(named, i, client)
		default:
			if usable == nil {
				usable, err = usableFor(own.IBPort, client, reached)
			}
			if err == nil {
				c, err = ithOf(usable, i, client)
			}
		}
		if err != nil {
			return nil, err
		}
		if err := checkDevices(theirs, identify(c.device)); err != nil {
			if own.Device == "" && len(named) > 0 && !isEmbedded(theirs) {
				err = fmt.Errorf("%w; %s names the server's", err, option.DeviceVariable)
			}
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// ithOf returns the server's device for the i-th of the client's.
func ithOf(all []choice, i int, client []oob.DeviceID) (choice, error) {
	if i < len(all) {
		return all[i], nil
	}
	var names []string
	for _, d := range client {
		names = append(names, d.Name)
	}
	return choice{}, conflict(fmt.Sprintf("the client measures %d devices at the same time (%s), and the server has %d for them: name as many on both sides with -d",
		len(client), strings.Join(names, ", "), len(all)))
}

// usableFor returns the usable RDMA devices for a client's: all of them, or the first one for a client with one device.
func usableFor(port int, client []oob.DeviceID, reached netip.Addr) (all []choice, err error) {
	if len(client) == 1 {
		c, err := firstUsable(port, func() netip.Addr { return reached })
		if err != nil {
			return nil, &harness.DeviceError{Err: fmt.Errorf("the client has the RDMA device %s, and on the server %w", client[0].Name, err)}
		}
		return []choice{c}, nil
	}
	devices, obstacles := usableDevices(port)
	if len(devices) == 0 {
		return nil, &harness.DeviceError{Err: fmt.Errorf("the client has RDMA devices, and on the server %w", noneUsable(obstacles))}
	}
	for i, d := range devices {
		all = append(all, choice{d, port, fmt.Sprintf("number %d of the RDMA devices with port %d active, as the client measures %d devices", i+1, port, len(client))})
	}
	return all, nil
}

// lookupEmbedded returns the embedded device that a client names. It refuses other devices: a client
// must not choose the server's RDMA device.
func lookupEmbedded(name string, port int) (choice, error) {
	c, err := lookup(name, port, "the client's embedded device")
	if err == nil && !isEmbedded(identify(c.device)) {
		err = &peerFault{fmt.Errorf("the client calls %s an embedded device, and on the server it is not one", name)}
	}
	return c, err
}
