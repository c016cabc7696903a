//go:build !linux

package cli

// leaveHugePagesOut does nothing: huge pages unasked are Linux's.
func leaveHugePagesOut() {}
