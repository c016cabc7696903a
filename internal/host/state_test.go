package host

import (
	"fmt"
	"os"
	"testing"

	"github.com/ibperf/ibperf/internal/testsysfs"
)

func TestBoostOf(t *testing.T) {
	for description, want := range map[string]string{
		"sys/devices/system/cpu/cpufreq/boost: 1":         "&{true /sys/devices/system/cpu/cpufreq/boost}",
		"sys/devices/system/cpu/cpufreq/boost: 0":         "&{false /sys/devices/system/cpu/cpufreq/boost}",
		"sys/devices/system/cpu/intel_pstate/no_turbo: 0": "&{true /sys/devices/system/cpu/intel_pstate/no_turbo}",
		"sys/devices/system/cpu/intel_pstate/no_turbo: 1": "&{false /sys/devices/system/cpu/intel_pstate/no_turbo}",
		"": "<nil>",
	} {
		if got := fmt.Sprint(BoostOf(testsysfs.Parse(t, description))); got != want {
			t.Errorf("%q: %s, want %s", description, got, want)
		}
	}
}

func TestHugePagesOf(t *testing.T) {
	for description, want := range map[string]string{
		`proc/meminfo: MemTotal: 9 kB\nHugePages_Total:     512\nHugePages_Free:      8\nHugepagesize:       2048 kB`: "&{2097152 512 8}",
		`proc/meminfo: MemTotal: 9 kB`:          "<nil>",
		`proc/meminfo: Hugepagesize:   2048 kB`: "<nil>",
		"":                                      "<nil>",
	} {
		if got := fmt.Sprint(HugePagesOf(testsysfs.Parse(t, description))); got != want {
			t.Errorf("%q: %s, want %s", description, got, want)
		}
	}
}

// A process with CAP_IPC_LOCK has no limit, whatever the file of limits says.
func TestLockLimit(t *testing.T) {
	const limits = `proc/self/limits: Limit Soft Hard Units\nMax locked memory         65536                unlimited            bytes` + "\n"
	for description, want := range map[string]uint64{
		limits + "proc/self/status: CapEff: 0000000000000000": 65536,
		limits + "proc/self/status: CapEff: 0000000000004000": 0,
		limits + "proc/self/status: CapEff: 000001ffffffffff": 0,
		limits: 0,
		"proc/self/status: CapEff: 00\nproc/self/limits: Max locked memory   unlimited  unlimited   bytes": 0,
		"proc/self/status: CapEff: 00": 0,
	} {
		got := LockLimit(testsysfs.Parse(t, description))
		if (got == nil) != (want == 0) || got != nil && *got != want {
			t.Errorf("%q: %v, want %d", description, got, want)
		}
	}
}

func TestTicksOf(t *testing.T) {
	for description, want := range map[string]string{
		`proc/stat: cpu  1 2 4 8 16 32 64 128 9 9\ncpu0 1 0 0 1 0 0 0 0 0 0\ncpu17 0 0 0 5 1 1 0 0\nintr 5 cpu`: "map[-1:{231 255} 0:{1 2} 17:{1 7}] <nil>",
		`proc/stat: cpu  1 2 4`:                     "map[] /proc/stat: 3 times of a CPU, want 8 or more",
		`proc/stat: cpux 1 2 4 8 16 32 64 128`:      `map[] /proc/stat: strconv.Atoi: parsing "x": invalid syntax`,
		`proc/stat: cpu  1 2 4 8 16 32 64 -1`:       `map[] /proc/stat: strconv.ParseUint: parsing "-1": invalid syntax`,
		`proc/stat: cpu0  1 2 4 8 16 32 64 1\nintr`: "map[] /proc/stat: the first line does not have the times of all CPUs",
		`proc/uptime: 5`:                            "map[] open proc/stat: file does not exist",
	} {
		all, err := TicksOf(testsysfs.Parse(t, description))
		if got := fmt.Sprint(all, " ", err); got != want {
			t.Errorf("%q: %s, want %s", description, got, want)
		}
	}
	if all, err := TicksOf(os.DirFS("/")); err != nil || all[AllCPUs].Busy == 0 {
		t.Errorf("this host: %v, %v", all, err)
	}
}

func TestBootParameters(t *testing.T) {
	for line, want := range map[string]bool{
		"proc/cmdline: quiet iommu=pt intel_iommu=on": true, "proc/cmdline: iommu.passthrough=1": true,
		"proc/cmdline: quiet intel_iommu=on": false, "proc/cmdline: xiommu=pt iommu=ptx": false, "": false,
	} {
		if got := IOMMUPassthrough(testsysfs.Parse(t, line)); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
	for line, want := range map[string]bool{
		`proc/cpuinfo: processor : 0\nflags : fpu vme hypervisor lahf_lm`: true, `proc/cpuinfo: flags : fpu vme`: false, "": false,
	} {
		if got := IsVirtual(testsysfs.Parse(t, line)); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
}
