package host

import (
	"bufio"
	"io/fs"
	"runtime"
	"slices"
	"strings"
)

// CPU holds what /proc/cpuinfo has of the first CPU. Hypervisors that shorten the name leave family
// and model as they are.
type CPU struct {
	Name   string // the architecture if the kernel has no name
	Family string // empty except on x86
	Model  string // empty except on x86
}

// nameKeys are the keys of the CPU's name: the first one on x86, the others elsewhere.
var nameKeys = []string{"model name", "cpu model", "Model", "cpu"}

// FirstCPU reads /proc/cpuinfo of the file system root. The name may be in any block, as the kernel
// writes "Model" in a block of its own on ARM.
func FirstCPU(root fs.FS) CPU {
	c := CPU{Name: runtime.GOARCH}
	f, err := root.Open("proc/cpuinfo")
	if err != nil {
		return c
	}
	defer f.Close()
	named, block := false, 0
	for lines := bufio.NewScanner(f); lines.Scan(); {
		key, value, _ := strings.Cut(lines.Text(), ":")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		switch {
		case lines.Text() == "":
			block++
		case !named && slices.Contains(nameKeys, key):
			c.Name, named = value, true
		case block == 0 && key == "cpu family":
			c.Family = value
		case block == 0 && key == "model":
			c.Model = value
		}
	}
	return c
}

// String returns the name, with family and model if the kernel has both.
func (c CPU) String() string {
	if c.Family == "" || c.Model == "" {
		return c.Name
	}
	return c.Name + " (family " + c.Family + ", model " + c.Model + ")"
}
