// Package host identifies the machine: its boot and its CPU.
package host

import (
	"os"
	"strings"
)

// BootID returns the kernel's boot_id, which is unique to this host and boot; "" if it cannot be read.
func BootID() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(id))
}
