package cli

import (
	"bufio"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/ibperf/ibperf/reports/result"
	"github.com/ibperf/ibperf/verbs"
	"golang.org/x/sys/unix"
)

// environment describes this machine, with root as its file system. The device
// is left to the run.
func environment(root fs.FS) result.Side {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	s := result.Side{
		Host: host, Kernel: kernelRelease(), CPU: cpuModel(root), CPUs: runtime.NumCPU(),
		Governor: governor(root), Libraries: map[string]string{"go": runtime.Version()},
	}
	for _, b := range verbs.Backends() {
		s.Libraries[b.Name()] = b.Version()
	}
	return s
}

func kernelRelease() string {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return "unknown"
	}
	return unix.ByteSliceToString(u.Release[:])
}

// cpuModel returns the name of the first CPU: "model name" on x86, other names
// elsewhere, and the architecture where the kernel gives none.
func cpuModel(root fs.FS) string {
	f, err := root.Open("proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		key, value, _ := strings.Cut(lines.Text(), ":")
		if slices.Contains([]string{"model name", "cpu model", "Model", "cpu"}, strings.TrimSpace(key)) {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}

// governor returns the CPU frequency governors in use, joined by "," and empty
// if the kernel scales no frequencies.
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

// frequencyWarning says that clock frequencies may change during a run.
func frequencyWarning(governor string) (result.Warning, bool) {
	if governor == "" || governor == "performance" {
		return result.Warning{}, false
	}
	return result.Warning{ID: "cpu-frequency", Text: fmt.Sprintf("CPU frequency governor is %s, not performance: "+
		"numbers depend on how fast the CPU clocks up; -F silences this", governor)}, true
}

// machineMemory returns the bytes of main memory.
func machineMemory() uint64 {
	text, _ := os.ReadFile("/proc/meminfo") // without it nothing follows the name
	var kib uint64
	_, total, _ := strings.Cut(string(text), "MemTotal:")
	if _, err := fmt.Sscan(total, &kib); err != nil {
		return 1 << 30
	}
	return kib << 10
}
