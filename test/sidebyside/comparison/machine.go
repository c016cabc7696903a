package comparison

import (
	"bufio"
	"io/fs"
	"os"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"
)

// ThisMachine describes this machine, with root as its file system, and the CPUs that
// programs are pinned to.
func ThisMachine(root fs.FS, pinned []int) Machine {
	m := Machine{Kernel: "unknown", CPU: cpuModel(root), CPUs: cpus(root), Pinned: pinned}
	m.Host, _ = os.Hostname() // without a name it is empty
	var u unix.Utsname
	if unix.Uname(&u) == nil {
		m.Kernel = unix.ByteSliceToString(u.Release[:])
	}
	return m
}

// cpus counts all CPUs, or those that this process may use where the kernel lists none.
func cpus(root fs.FS) int {
	if all, err := fs.Glob(root, "sys/devices/system/cpu/cpu[0-9]*"); err == nil && len(all) > 0 {
		return len(all)
	}
	return runtime.NumCPU()
}

// cpuModel is the name of the first CPU with its family and model, which hypervisors leave
// as they are when they shorten the name, or the architecture where there is no name.
func cpuModel(root fs.FS) string {
	f, err := root.Open("proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	defer f.Close()
	facts := map[string]string{}
	for lines := bufio.NewScanner(f); lines.Scan() && lines.Text() != ""; {
		key, value, _ := strings.Cut(lines.Text(), ":")
		facts[strings.TrimSpace(key)] = strings.TrimSpace(value)
	}
	name, family, model := facts["model name"], facts["cpu family"], facts["model"]
	switch {
	case name == "":
		return runtime.GOARCH
	case family == "" || model == "":
		return name
	}
	return name + " (family " + family + ", model " + model + ")"
}
