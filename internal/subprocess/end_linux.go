package subprocess

import "syscall"

// endWithUs has the kernel kill the process when the thread ends that starts it.
func endWithUs(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGKILL }
