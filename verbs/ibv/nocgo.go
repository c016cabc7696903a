//go:build !cgo || !linux

package ibv

import "github.com/ibperf/ibperf/verbs"

// backend offers no devices: libibverbs can be called through cgo on Linux only.
type backend struct{}

func init() { verbs.Register(backend{}) }

func (backend) Name() string                        { return "ibv" }
func (backend) Devices() ([]verbs.Device, error)    { return nil, nil }
func (backend) Lookup(string) (verbs.Device, error) { return nil, nil }
func (backend) Version() string                     { return "not available: built without cgo" }
