package machine

import "golang.org/x/sys/unix"

// disableHugePages turns transparent huge pages off for this process. A failure costs only memory.
func disableHugePages() { _ = unix.Prctl(unix.PR_SET_THP_DISABLE, 1, 0, 0, 0) }
