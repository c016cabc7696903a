package main

import (
	"io/fs"
	"os"
	"runtime"
	"strings"

	"github.com/ibperf/ibperf/internal/host"
	"github.com/ibperf/ibperf/result"
	"github.com/ibperf/ibperf/test/bench/comparison"
	"golang.org/x/sys/unix"
)

// thisMachine describes this machine, with root as its file system, and the CPUs that programs are
// pinned to.
func thisMachine(root fs.FS, pinned []int) comparison.Machine {
	m := comparison.Machine{Kernel: "unknown", CPU: host.FirstCPU(root).String(), CPUs: cpus(root), Pinned: pinned}
	m.Host, _ = os.Hostname() // without a name it is empty
	var u unix.Utsname
	if unix.Uname(&u) == nil {
		m.Kernel = unix.ByteSliceToString(u.Release[:])
	}
	return m
}

// cpus returns the number of CPUs, or of those that this process may use if the kernel lists none.
func cpus(root fs.FS) int {
	if all, err := fs.Glob(root, "sys/devices/system/cpu/cpu[0-9]*"); err == nil && len(all) > 0 {
		return len(all)
	}
	return runtime.NumCPU()
}

// emulated warns of a CPU that QEMU interprets.
func emulated(m comparison.Machine) []result.Warning {
	if !strings.Contains(m.CPU, "TCG") {
		return nil
	}
	return []result.Warning{{ID: "emulated-cpu",
		Text: "the CPU is emulated: only the ratios mean something, the values are of no real machine"}}
}
