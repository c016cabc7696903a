//go:build !linux

package verbstest

import "syscall"

// endsWithUs is of a process that ends when its input does.
func endsWithUs() *syscall.SysProcAttr { return nil }
