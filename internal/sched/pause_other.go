//go:build !amd64

package sched

// Pause takes the time of a call.
//
//go:noinline
func Pause() {}
