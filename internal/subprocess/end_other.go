//go:build !linux

package subprocess

import "syscall"

// killOnExit does nothing: only Linux has PR_SET_PDEATHSIG.
func killOnExit(*syscall.SysProcAttr) {}
