//go:build !linux

package subprocess

import "syscall"

// endWithUs does nothing: only Linux has it.
func endWithUs(*syscall.SysProcAttr) {}
