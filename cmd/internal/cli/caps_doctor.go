package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/ibperf/ibperf/cmd/internal/caps"
	"github.com/ibperf/ibperf/cmd/internal/doctor"
	"github.com/ibperf/ibperf/cmd/internal/machine"
	"github.com/ibperf/ibperf/harness"
	"github.com/ibperf/ibperf/result"
	"github.com/ibperf/ibperf/verbs"
)

// diagnose prints the facts about this host and its devices, or the named one, and what is found by them. It goes on
// if a device cannot be opened, and returns an error then.
func diagnose(c *console, o *capsOptions, named choice) error {
	devices, absent, err := []verbs.Device{named.device}, "", error(nil)
	if named.device == nil {
		devices, absent, err = hardware()
	}
	root := os.DirFS("/")
	all := []doctor.Diagnosis{doctor.Host(machine.Inspect(root, "", 1))}
	for _, d := range devices {
		sides, failed := inspect(root, d)
		err = errors.Join(err, failed)
		for _, side := range sides {
			all = append(all, doctor.Device(side))
		}
	}
	if err != nil {
		err = &harness.DeviceError{Err: err}
	}
	_, failed := io.WriteString(c, absent)
	err = errors.Join(err, failed, doctor.WriteText(c, all))
	if o.json {
		report, failed := caps.Collect(devices, ownRelease)
		report.Doctor = all
		err = errors.Join(err, failed, writeJSON(o.jsonFile, report))
	}
	return err
}

// hardware returns the devices of all backends but the embedded one, and a line for each backend without devices.
func hardware() (devices []verbs.Device, absent string, err error) {
	for _, b := range verbs.Backends() {
		if b.Name() == embeddedBackend {
			continue
		}
		found, failed := b.Devices()
		err = errors.Join(err, failed)
		if failed == nil && len(found) == 0 {
			absent += fmt.Sprintf("backend %s: none: %s\n", b.Name(), strings.ReplaceAll(b.Absence().Error(), "\n", "; "))
		}
		devices = append(devices, found...)
	}
	return devices, absent, err
}

// inspect returns the facts about each active port of a device; about its first port, without what the port says, if
// none is active or if the device cannot be opened.
func inspect(root fs.FS, d verbs.Device) ([]result.Side, error) {
	side := machine.Inspect(root, d.Name(), 1)
	side.Device = result.Device{Name: d.Name(), Backend: d.Backend(), Software: d.Software(), Port: 1}
	c, err := d.Open()
	if err != nil {
		return []result.Side{side}, fmt.Errorf("device %s: open: %w", d.Name(), err)
	}
	defer c.Close()
	attr, err := c.QueryDevice()
	if err != nil {
		return []result.Side{side}, fmt.Errorf("device %s: query attributes: %w", d.Name(), err)
	}
	var ports []result.Side
	for n := 1; n <= attr.PhysPortCount; n++ {
		port, err := c.QueryPort(n)
		if err != nil || port.State != verbs.PortActive && port.State != verbs.PortActiveDefer {
			continue
		}
		of := machine.Inspect(root, d.Name(), n)
		of.Device = harness.DescribeDevice(c, n, &port)
		ports = append(ports, of)
	}
	if ports == nil {
		side.Device.Firmware = attr.FirmwareVersion
		ports = append(ports, side)
	}
	return ports, nil
}
