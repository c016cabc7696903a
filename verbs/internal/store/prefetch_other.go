//go:build !amd64

package store

// PrefetchWrite does nothing.
func PrefetchWrite(uintptr) {}
