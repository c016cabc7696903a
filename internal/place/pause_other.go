//go:build !amd64

package place

// PauseOnce does nothing but take the time of a call.
//
//go:noinline
func PauseOnce() {}
