// Package host identifies the machine, its boot and its CPU, and reads how it is set up: boost, huge pages, the limit
// of locked memory, parameters of the boot, and the time that its CPUs were busy.
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
