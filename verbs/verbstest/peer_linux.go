package verbstest

import "syscall"

// endsWithUs is of a process that does not outlive this one.
func endsWithUs() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
