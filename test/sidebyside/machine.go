package main

import (
	"bufio"
	"io/fs"
	"os"
	"runtime"
	"strings"

	"github.com/ibperf/ibperf/reports"
	"golang.org/x/sys/unix"
)

// machine describes this machine, with root as its file system.
func machine(root fs.FS, o *options) reports.Machine {
	m := reports.Machine{Kernel: "unknown", CPU: cpuModel(root), CPUs: runtime.NumCPU(), Pinned: o.cpus[:]}
	m.Host, _ = os.Hostname() // without a name it is empty
	var u unix.Utsname
	if unix.Uname(&u) == nil {
		m.Kernel = unix.ByteSliceToString(u.Release[:])
	}
	return m
}

// cpuModel is the name of the first CPU, or the architecture where there is none.
func cpuModel(root fs.FS) string {
	f, err := root.Open("proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if key, value, _ := strings.Cut(lines.Text(), ":"); strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}

// emulated warns of a CPU that QEMU interprets.
func emulated(m reports.Machine) []reports.Warning {
	if !strings.Contains(m.CPU, "TCG") {
		return nil
	}
	return []reports.Warning{{ID: "emulated-cpu",
		Text: "the CPU is emulated: only the ratios mean something, the values are of no real machine"}}
}
