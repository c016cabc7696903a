// Package host tells one machine from another.
package host

import (
	"os"
	"strings"
)

// BootID names this host's kernel since it was started, "" if it is not known.
func BootID() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(id))
}
