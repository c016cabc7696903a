package cli

import (
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/ibperf/ibperf/harness"
)

// portCounters are the counters of a device's port that are named, in sysfs below root:
// counters/NAME or hw_counters/NAME, or NAME in whichever folder has it.
func portCounters(root fs.FS, device string, port int, names []string) (all []harness.Counter, err error) {
	for _, name := range names {
		file, err := counterFile(root, fmt.Sprintf("sys/class/infiniband/%s/ports/%d", device, port), name)
		if err != nil {
			return nil, &harness.DeviceError{Err: err}
		}
		all = append(all, harness.Counter{Name: path.Base(name), Read: func() (uint64, error) { return readCounter(root, file) }})
	}
	return all, nil
}

func counterFile(root fs.FS, folder, name string) (string, error) {
	if _, err := fs.Stat(root, folder); err != nil {
		return "", fmt.Errorf("--report-counters: there is no /%s: only RDMA devices of the kernel have counters", folder)
	}
	for _, file := range []string{name, "counters/" + name, "hw_counters/" + name} {
		file = path.Join(folder, file)
		if info, err := fs.Stat(root, file); err == nil && !info.IsDir() {
			return file, nil
		}
	}
	return "", fmt.Errorf("--report-counters: no counter %s in /%s/counters or hw_counters", name, folder)
}

func readCounter(root fs.FS, file string) (uint64, error) {
	text, err := fs.ReadFile(root, file)
	if err != nil {
		return 0, err
	}
	return strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
}
