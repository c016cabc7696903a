package cli

import "golang.org/x/sys/unix"

// leaveHugePagesOut: a kernel that cannot only costs memory.
func leaveHugePagesOut() { _ = unix.Prctl(unix.PR_SET_THP_DISABLE, 1, 0, 0, 0) }
