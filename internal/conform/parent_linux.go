package conform

import "syscall"

// endWithParent has a process killed when this one ends.
func endWithParent(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGKILL }
