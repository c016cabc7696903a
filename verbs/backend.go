package verbs

import (
	"fmt"
	"strings"
	"sync"
)

// Backend offers devices. A package that implements one registers it when it is
// imported, as database drivers do.
type Backend interface {
	Name() string
	// Devices returns the devices to list; none is not an error.
	Devices() ([]Device, error)
	// Lookup returns the device of the name, listed or not, or nil.
	Lookup(name string) (Device, error)
	// Version describes the library behind the backend, for result files.
	Version() string
}

var registry struct {
	sync.Mutex
	backends []Backend
}

// Register adds a backend. Devices are listed in the order of registration.
func Register(b Backend) {
	registry.Lock()
	defer registry.Unlock()
	registry.backends = append(registry.backends, b)
}

// Backends returns the registered backends.
func Backends() []Backend {
	registry.Lock()
	defer registry.Unlock()
	return append([]Backend(nil), registry.backends...)
}

// Devices lists the devices of all backends.
//
//	struct ibv_device **ibv_get_device_list(int *num_devices)
func Devices() ([]Device, error) {
	var all []Device
	for _, b := range Backends() {
		d, err := b.Devices()
		if err != nil {
			return nil, err
		}
		all = append(all, d...)
	}
	return all, nil
}

// Lookup returns the device of the name. The error for an unknown name wraps
// [ErrNoDevice] and says which devices there are.
func Lookup(name string) (Device, error) {
	for _, b := range Backends() {
		d, err := b.Lookup(name)
		if err != nil {
			return nil, err
		}
		if d != nil {
			return d, nil
		}
	}
	all, err := Devices()
	if err != nil {
		return nil, err
	}
	names := make([]string, len(all))
	for i, d := range all {
		names[i] = d.Name()
	}
	return nil, fmt.Errorf("device %q: %w; there are: %s", name, ErrNoDevice, strings.Join(names, ", "))
}
