package machine

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/ibperf/ibperf/internal/host"
	"github.com/ibperf/ibperf/result"
	"github.com/ibperf/ibperf/verbs"
)

// Side describes this machine, with root as its file system. The engine adds the device.
func Side(root fs.FS) result.Side {
	name, err := os.Hostname()
	if err != nil {
		name = "unknown"
	}
	s := result.Side{
		Host: name, Kernel: cmp.Or(host.KernelRelease(), "unknown"), CPU: host.FirstCPU(root).Name, CPUs: runtime.NumCPU(),
		Governor: governor(root), Libraries: map[string]string{"go": runtime.Version()},
	}
	for _, b := range verbs.Backends() {
		s.Libraries[b.Name()] = b.Version()
	}
	return s
}

// governor returns the CPU frequency governors in use, joined by ","; empty if the kernel does not
// scale frequencies.
func governor(root fs.FS) string {
	paths, err := fs.Glob(root, "sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor")
	if err != nil {
		return ""
	}
	var names []string
	for _, p := range paths {
		text, err := fs.ReadFile(root, p)
		name := strings.TrimSpace(string(text))
		if err == nil && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return strings.Join(names, ",")
}

// FrequencyWarning returns the warning that clock frequencies may change during a run, unless the
// governor is performance.
func FrequencyWarning(side *result.Side) (result.Warning, bool) {
	if !side.VariesFrequency() {
		return result.Warning{}, false
	}
	return result.Warning{ID: result.WarnCPUFrequency, Text: fmt.Sprintf("CPU frequency governor is %s, not performance: "+
		"results depend on how fast the CPU raises its frequency; -F silences this", side.Governor)}, true
}

// Memory returns the size of main memory, in bytes.
func Memory() uint64 {
	text, _ := os.ReadFile("/proc/meminfo") // an unreadable file has no MemTotal
	var kib uint64
	_, total, _ := strings.Cut(string(text), "MemTotal:")
	if _, err := fmt.Sscan(total, &kib); err != nil {
		return 1 << 30
	}
	return kib << 10
}
