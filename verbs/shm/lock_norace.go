//go:build !race

package shm

// raceLock does nothing without the race detector.
type raceLock struct{}

func (raceLock) Lock()   {}
func (raceLock) Unlock() {}
