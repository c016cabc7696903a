//go:build !cgo || !linux

package ibv

import (
	"errors"
	"runtime"

	"github.com/ibperf/ibperf/verbs"
)

// backend offers no devices: libibverbs can be called through cgo on Linux only.
type backend struct{}

func init() { verbs.Register(backend{}) }

func (backend) Name() string                        { return "ibv" }
func (backend) Devices() ([]verbs.Device, error)    { return nil, nil }
func (backend) Lookup(string) (verbs.Device, error) { return nil, nil }

func (backend) Version() string {
	if runtime.GOOS != "linux" {
		return "not available: not on Linux"
	}
	return "not available: built without cgo"
}

// Absence says how to build a program that has the devices.
func (backend) Absence() error {
	if runtime.GOOS != "linux" {
		return errors.New("libibverbs is called on Linux only: this is a program for " + runtime.GOOS)
	}
	return errors.New("the program was built without cgo, through which libibverbs is called: build it with CGO_ENABLED=1 and a C compiler (gcc)")
}
