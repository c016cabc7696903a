//go:build race

package soak

// The race detector keeps memory beside all that was ever mapped: 10 MiB more in two minutes.
func init() { bounds.own = 128 << 20 }
