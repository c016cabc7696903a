package cli

import (
	"errors"
	"fmt"

	"github.com/ibperf/ibperf/harness"
	"github.com/ibperf/ibperf/option"
)

// openAll opens the chosen devices for runs with a side's options. It returns an error unless all ports are active, and their
// link rates are known if --min-bw is a share of them.
func openAll(own *option.Own, chosen []choice) (all []harness.DevicePort, err error) {
	for _, c := range chosen {
		d, err := openFor(own, c)
		if err != nil {
			return nil, errors.Join(err, closeAll(all))
		}
		all = append(all, d)
	}
	return all, nil
}

// openFor opens a device for runs with a side's options.
func openFor(own *option.Own, c choice) (harness.DevicePort, error) {
	d := harness.DevicePort{Port: c.port}
	var err error
	if d.Context, err = openDevice(c.device, c.port); err != nil || own.MinBW.Share == 0 {
		return d, err
	}
	port, err := d.Context.QueryPort(c.port)
	switch {
	case err != nil:
		err = &harness.DeviceError{Err: fmt.Errorf("query port %d of device %s: %w", c.port, c.device.Name(), err)}
	case harness.LinkRate(d.Context, c.port, &port, c.device.Software()) == 0:
		err = conflict(fmt.Sprintf("--min-bw %s: the link rate of port %d of device %s is not known: write a rate, such as 350G",
			own.MinBW, c.port, c.device.Name()))
	default:
		return d, nil
	}
	return d, errors.Join(err, d.Context.Close())
}

// closeAll closes devices.
func closeAll(all []harness.DevicePort) (err error) {
	for _, d := range all {
		err = errors.Join(err, d.Context.Close())
	}
	return err
}
