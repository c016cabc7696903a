package verbs

import (
	"errors"
	"fmt"
	"strings"
	"sync"
)

// Backend offers devices. A package that implements one registers it when it is
// imported, as database drivers do.
type Backend interface {
	Name() string
	// Devices returns the devices to list. No device is not an error.
	Devices() ([]Device, error)
	// Absence returns why Devices returns no device, and what to do about it; nil if it
	// returns one.
	Absence() error
	// Lookup returns the device with the name, listed or not, or nil.
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

// Lookup returns the device with the name. The error for an unknown name wraps
// [ErrNoDevice] and lists the devices, and each backend without devices with the reason.
// The error of one backend does not prevent the lookup in the others.
func Lookup(name string) (Device, error) {
	var failed error
	for _, b := range Backends() {
		d, err := b.Lookup(name)
		if err == nil && d != nil {
			return d, nil
		}
		failed = errors.Join(failed, err)
	}
	if failed != nil {
		return nil, failed
	}
	return nil, unknown(name)
}

// unknown returns the error for a name that no backend knows.
func unknown(name string) error {
	var names []string
	absent := ""
	for _, b := range Backends() {
		devices, err := b.Devices()
		if err != nil {
			return err
		}
		for _, d := range devices {
			names = append(names, d.Name())
		}
		if len(devices) > 0 {
			continue
		}
		if why := b.Absence(); why != nil {
			absent += fmt.Sprintf("; backend %s has none: %v", b.Name(), why)
		}
	}
	return fmt.Errorf("device %q: %w; there are: %s%s", name, ErrNoDevice, strings.Join(names, ", "), absent)
}
