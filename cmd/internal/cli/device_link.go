package cli

import (
	"errors"
	"fmt"

	"github.com/ibperf/ibperf/harness"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/verbs"
)

// openFor opens a device for runs with a side's options. It returns an error unless the port is active, and its link
// rate is known if --min-bw is a share of it.
func openFor(own *option.Own, d verbs.Device) (verbs.Context, error) {
	c, err := openDevice(d, own.IBPort)
	if err != nil || own.MinBW.Share == 0 {
		return c, err
	}
	port, err := c.QueryPort(own.IBPort)
	switch {
	case err != nil:
		err = &harness.DeviceError{Err: fmt.Errorf("query port %d of device %s: %w", own.IBPort, d.Name(), err)}
	case harness.LinkRate(c, own.IBPort, &port, d.Software()) == 0:
		err = conflict(fmt.Sprintf("--min-bw %s: the link rate of port %d of device %s is not known: write a rate, such as 350G",
			own.MinBW, own.IBPort, d.Name()))
	default:
		return c, nil
	}
	return nil, errors.Join(err, c.Close())
}
