package subprocess

import "syscall"

// killOnExit makes the kernel kill the process when the thread that starts it ends.
func killOnExit(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGKILL }
