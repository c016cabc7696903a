//go:build !cgo || !linux

package ibv

import (
	"errors"
	"runtime"

	"github.com/ibperf/ibperf/verbs"
)

// backend has no devices: libibverbs needs cgo and Linux.
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

// Absence returns how to build a program with devices of libibverbs.
func (backend) Absence() error {
	if runtime.GOOS != "linux" {
		return errors.New("libibverbs needs Linux: this is a program for " + runtime.GOOS)
	}
	return errors.New("the program was built without cgo, through which libibverbs is called: build it with CGO_ENABLED=1 and a C compiler (gcc)")
}
