package host

import "golang.org/x/sys/unix"

// KernelRelease returns the release of the running kernel, as uname(2) has it; empty if it has none.
func KernelRelease() string {
	var name unix.Utsname
	if err := unix.Uname(&name); err != nil {
		return ""
	}
	return unix.ByteSliceToString(name.Release[:])
}
