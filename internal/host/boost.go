package host

import (
	"io/fs"
	"strings"
)

// Boost is the setting that lets CPUs run above their base clock.
type Boost struct {
	On   bool
	File string // path of the setting
}

// boostFiles holds the files of the setting with the text that turns boost on: those of intel_pstate, and of
// acpi-cpufreq and others (Documentation/admin-guide/pm of Linux).
var boostFiles = []struct{ file, on string }{
	{"sys/devices/system/cpu/intel_pstate/no_turbo", "0"},
	{"sys/devices/system/cpu/cpufreq/boost", "1"},
}

// BoostOf returns the setting, or nil if the kernel has none.
func BoostOf(root fs.FS) *Boost {
	for _, b := range boostFiles {
		if text, err := fs.ReadFile(root, b.file); err == nil {
			return &Boost{On: strings.TrimSpace(string(text)) == b.on, File: "/" + b.file}
		}
	}
	return nil
}
