//go:build !linux

package conform

import "syscall"

// endWithParent does nothing: only Linux has it.
func endWithParent(*syscall.SysProcAttr) {}
