package result

import (
	"fmt"
	"strconv"
	"strings"
)

// MoreDevice is a device that a side measured with at the same time as with [Side.Device].
type MoreDevice struct {
	Device Device  `json:"device"`
	NUMA   *NUMA   `json:"numa,omitempty"`
	Tuning *Tuning `json:"tuning,omitempty"`
}

// DeviceRow holds what one of several devices of a run measured. Its members are those of [Row].
type DeviceRow struct {
	Latency    *Latency   `json:"latency,omitempty"`
	Load       *Load      `json:"load,omitempty"`
	Bandwidth  *Bandwidth `json:"bandwidth,omitempty"`
	FromClient *Direction `json:"from_client,omitempty"`
	FromServer *Direction `json:"from_server,omitempty"`
	Local      Cost       `json:"local"`
	Peer       Cost       `json:"peer"`
	Rounds     []Round    `json:"rounds"`
	Delivery   *Delivery  `json:"delivery,omitempty"`
	Verify     *Verify    `json:"verify,omitempty"`
}

// DeviceRowOf returns the row of one of several devices.
func DeviceRowOf(r *Row) DeviceRow {
	return DeviceRow{r.Latency, r.Load, r.Bandwidth, r.FromClient, r.FromServer, r.Local, r.Peer, r.Rounds, r.Delivery, r.Verify}
}

// OfDevice returns a row with the measurements of its i-th device, of which it has several.
func (r *Row) OfDevice(i int) Row {
	one, d := *r, &r.Devices[i]
	one.Devices, one.Samples, one.Distances, one.Warnings = nil, nil, nil, nil
	one.Latency, one.Load, one.Bandwidth, one.FromClient, one.FromServer = d.Latency, d.Load, d.Bandwidth, d.FromClient, d.FromServer
	one.Local, one.Peer, one.Rounds, one.Delivery, one.Verify = d.Local, d.Peer, d.Rounds, d.Delivery, d.Verify
	return one
}

// OfDevices returns the file of each of several devices, without what concerns all of them together; nil if the run had one.
func (f *File) OfDevices() (all []*File) {
	if !f.Local.Several() {
		return nil
	}
	for i := range f.Local.Devices() {
		one := *f
		one.Local, one.Peer, one.Parameters.Devices = f.Local.ofDevice(i), f.Peer.ofDevice(i), 1
		one.Rows, one.Findings, one.RowLimits = nil, nil, nil
		for r := range f.Rows {
			if i < len(f.Rows[r].Devices) {
				one.Rows = append(one.Rows, f.Rows[r].OfDevice(i))
			}
		}
		all = append(all, &one)
	}
	return all
}

// Several reports whether the side measured with several devices.
func (s *Side) Several() bool { return len(s.More) > 0 }

// Devices returns the devices of the side in their order.
func (s *Side) Devices() []Device {
	all := []Device{s.Device}
	for i := range s.More {
		all = append(all, s.More[i].Device)
	}
	return all
}

// ofDevice returns a side with its i-th device only, or without a description of it if the side has fewer.
func (s *Side) ofDevice(i int) Side {
	one := *s
	one.More = nil
	switch {
	case i == 0:
	case i <= len(s.More):
		m := &s.More[i-1]
		one.Device, one.NUMA, one.Tuning = m.Device, m.NUMA, m.Tuning
	default:
		one.Device, one.NUMA, one.Tuning = Device{}, nil, nil
	}
	return one
}

// DeviceNames returns the name of the device, or of several devices each name with the port: "mlx5_0:1,mlx5_1:1".
func (s *Side) DeviceNames() string {
	if !s.Several() {
		return s.Device.Name
	}
	var names []string
	for _, d := range s.Devices() {
		names = append(names, d.PortName())
	}
	return strings.Join(names, ",")
}

// PortName returns the name of the device and its port: "mlx5_0:1".
func (d *Device) PortName() string { return d.Name + ":" + strconv.Itoa(d.Port) }

// checkDevices checks the rows of several devices.
func (f *File) checkDevices() error {
	for i := range f.Rows {
		r := &f.Rows[i]
		if n, want := len(r.Devices), len(f.Local.Devices()); n > 0 && n != want {
			return fmt.Errorf("row %d has %d devices, and this side %d", i+1, n, want)
		}
		for d := range r.Devices {
			one := r.OfDevice(d)
			if err := one.check(f.Kind); err != nil {
				return fmt.Errorf("row %d, device %d: %w", i+1, d+1, err)
			}
		}
	}
	return nil
}
