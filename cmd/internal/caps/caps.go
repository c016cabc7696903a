// Package caps queries the capabilities of RDMA devices: attributes, ports, GIDs, and for each
// operation what the device promises about the order of incoming data.
package caps

import (
	"errors"
	"fmt"
	"os"

	"github.com/ibperf/ibperf/cmd/internal/doctor"
	"github.com/ibperf/ibperf/result"
	"github.com/ibperf/ibperf/verbs"
)

// FormatName and FormatVersion identify the document that JSON writers make of
// a [Report].
const (
	FormatName    = "ibperf-caps"
	FormatVersion = 1
)

// Report holds the capabilities of all devices that were queried.
type Report struct {
	result.Header
	Release   string             `json:"release"` // ibperf's own version
	Host      string             `json:"host"`
	Libraries map[string]string  `json:"libraries"`          // backend name -> version
	Backends  []Backend          `json:"backends,omitempty"` // only in a report of all listed devices
	Devices   []Device           `json:"devices"`
	Doctor    []doctor.Diagnosis `json:"doctor,omitempty"` // of this host and its devices, if it was asked for
}

// Backend holds the devices of a backend.
type Backend struct {
	Name    string   `json:"name"`
	Devices []string `json:"devices"`        // by their names
	None    string   `json:"none,omitempty"` // why the backend has no devices

	software []string // names of software devices
}

// Device holds the capabilities of a device.
type Device struct {
	Name       string  `json:"name"`
	Backend    string  `json:"backend"`
	Software   string  `json:"software,omitempty"` // what emulates the hardware, "" for a real device
	Error      string  `json:"error,omitempty"`    // why the rest is incomplete
	Attributes Groups  `json:"attributes"`
	Ports      []Port  `json:"ports"`
	Order      []Order `json:"data_in_order"`
}

// Port is a port of a device with the GIDs that are set.
type Port struct {
	Number     int   `json:"port"`
	Attributes Group `json:"attributes"`
	GIDs       []GID `json:"gids"`

	attr verbs.PortAttr
	gids []verbs.GIDEntry
}

// GID is an entry of a port's GID table.
type GID struct {
	Index     int    `json:"index"`
	GID       string `json:"gid"`
	Type      string `json:"type"`
	Interface int    `json:"interface_index,omitempty"` // network interface; 0: none
}

// Order is the answer to ibv_query_qp_data_in_order for an operation.
type Order struct {
	Transport string `json:"transport"`
	Operation string `json:"operation"`
	Query     string `json:"query,omitempty"`  // the call as it was made
	Answer    string `json:"answer"`           // as [verbs.Order] prints it, or NotAsked
	Device    string `json:"device,omitempty"` // the device's answer without the CPU's part; empty on x86, where it is the same
	Error     string `json:"error,omitempty"`  // why it was not asked
}

// NotAsked is the answer if the device could not be asked.
const NotAsked = "not asked"

// CollectAll is [Collect] for all listed devices, with the backends. It goes on if a backend fails to list
// its devices.
func CollectAll(release string) (*Report, error) {
	var listed []verbs.Device
	var found []Backend
	var failed error
	for _, backend := range verbs.Backends() {
		devices, err := backend.Devices()
		failed = errors.Join(failed, err)
		if err == nil && len(devices) == 0 {
			err = backend.Absence()
		}
		listed = append(listed, devices...)
		found = append(found, describe(backend.Name(), devices, err))
	}
	r, err := Collect(listed, release)
	r.Backends = found
	return r, errors.Join(failed, err)
}

// describe returns a backend for the report; none is the reason if it has no devices.
func describe(name string, devices []verbs.Device, none error) Backend {
	b := Backend{Name: name, Devices: []string{}}
	if none != nil {
		b.None = none.Error()
	}
	for _, d := range devices {
		b.Devices = append(b.Devices, d.Name())
		if d.Software() != "" {
			b.software = append(b.software, d.Name())
		}
	}
	return b
}

// Collect queries the devices. The report has the error of a device that cannot be opened or queried,
// and the returned error wraps all of them.
func Collect(devices []verbs.Device, release string) (*Report, error) {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	r := &Report{
		Header: result.Header{Format: FormatName, Version: FormatVersion}, Release: release, Host: host,
		Libraries: map[string]string{}, Devices: []Device{},
	}
	for _, b := range verbs.Backends() {
		r.Libraries[b.Name()] = b.Version()
	}
	var errs []error
	for _, d := range devices {
		asked, err := ask(d)
		if err != nil {
			err = fmt.Errorf("device %s: %w", d.Name(), err)
			asked.Error = err.Error()
			errs = append(errs, err)
		}
		r.Devices = append(r.Devices, asked)
	}
	return r, errors.Join(errs...)
}

// ask opens a device and queries all capabilities.
func ask(d verbs.Device) (Device, error) {
	out := Device{
		Name: d.Name(), Backend: d.Backend(), Software: d.Software(),
		Attributes: Groups{}, Ports: []Port{}, Order: []Order{},
	}
	c, err := d.Open()
	if err != nil {
		return out, fmt.Errorf("open: %w", err)
	}
	err = askAll(c, &out)
	return out, errors.Join(err, c.Close())
}

func askAll(c verbs.Context, out *Device) error {
	attr, err := c.QueryDevice()
	if err != nil {
		return fmt.Errorf("query attributes: %w", err)
	}
	out.Attributes = append(deviceGroups(&attr), counters(c)...)
	for n := 1; n <= attr.PhysPortCount; n++ {
		p, err := askPort(c, n)
		if err != nil {
			return err
		}
		out.Ports = append(out.Ports, p)
	}
	out.Order = askOrders(c, out.Ports)
	return nil
}

func askPort(c verbs.Context, number int) (Port, error) {
	attr, err := c.QueryPort(number)
	if err != nil {
		return Port{}, fmt.Errorf("query port %d: %w", number, err)
	}
	p := Port{Number: number, Attributes: portGroup(&attr), GIDs: []GID{}, attr: attr}
	if q, ok := c.(verbs.PortSpeedQuerier); ok {
		if speed, err := q.QueryPortSpeed(number); err == nil {
			p.Attributes.Attributes = append(p.Attributes.Attributes, Attribute{"port_speed", speed, "x 100 Mb/s"})
		}
	}
	for i := range attr.GIDTableLen {
		e, err := c.QueryGID(number, i)
		if err != nil || e.GID == (verbs.GID{}) {
			continue // an empty entry of the table
		}
		e.Index = i
		p.gids = append(p.gids, e)
		p.GIDs = append(p.GIDs, GID{Index: i, GID: e.GID.String(), Type: e.Type.String(), Interface: e.IfIndex})
	}
	return p, nil
}
