//go:build !amd64

package place

// PrefetchWrite does nothing.
func PrefetchWrite(uintptr) {}
