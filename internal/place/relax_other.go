//go:build !amd64

package place

// Relax does nothing but take the time of a call.
//
//go:noinline
func Relax() {}
