package option

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// DevicePort names a port of a device.
type DevicePort struct {
	Device string
	Port   int // from 1
}

func (d DevicePort) String() string { return d.Device + ":" + strconv.Itoa(d.Port) }

// ParseDevices parses a list of devices, "mlx5_0,mlx5_1", each with its port, "mlx5_0:2", or else with the given one. It returns
// nil for an empty list.
func ParseDevices(list string, port int) (all []DevicePort, err error) {
	if list == "" {
		return nil, nil
	}
	for i, name := range strings.Split(list, ",") {
		d := DevicePort{name, port}
		if at := strings.LastIndexByte(name, ':'); at > 0 {
			if n, err := strconv.ParseUint(name[at+1:], 10, 8); err == nil && n > 0 {
				d = DevicePort{name[:at], int(n)}
			}
		}
		switch {
		case d.Device == "":
			return nil, fmt.Errorf("the name of device %d is missing", i+1)
		case slices.Contains(all, d):
			return nil, fmt.Errorf("%s is there twice", name)
		case len(all) == MaxDevices:
			return nil, fmt.Errorf("at most %d devices", MaxDevices)
		}
		all = append(all, d)
	}
	return all, nil
}

// legalDevices returns an error for a list that ParseDevices refuses.
func legalDevices(list string) error {
	_, err := ParseDevices(list, 1)
	return err
}
