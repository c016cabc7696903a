package machine

import (
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/ibperf/ibperf/harness"
)

// PortCounters returns counters of a device's port, in sysfs below root. A name is counters/NAME,
// hw_counters/NAME, or NAME, which is in one of the two folders.
func PortCounters(root fs.FS, device string, port int, names []string) (all []harness.Counter, err error) {
	for _, name := range names {
		file, err := counterFile(root, portFolder(device, port), name)
		if err != nil {
			return nil, &harness.DeviceError{Err: err}
		}
		all = append(all, harness.Counter{Name: path.Base(name), Read: func() (uint64, error) { return readCounter(root, file) }})
	}
	return all, nil
}

// CounterNames returns the names of all counters of a device's port that can be read; none for a device without.
func CounterNames(root fs.FS, device string, port int) (names []string) {
	for _, folder := range []string{"counters", "hw_counters"} {
		at := path.Join(portFolder(device, port), folder)
		entries, err := fs.ReadDir(root, at)
		if err != nil {
			continue
		}
		for _, e := range entries {
			if _, err := readCounter(root, path.Join(at, e.Name())); err == nil {
				names = append(names, folder+"/"+e.Name())
			}
		}
	}
	return names
}

func portFolder(device string, port int) string {
	return fmt.Sprintf("sys/class/infiniband/%s/ports/%d", device, port)
}

func counterFile(root fs.FS, folder, name string) (string, error) {
	if _, err := fs.Stat(root, folder); err != nil {
		return "", fmt.Errorf("--report-counters: /%s does not exist: only RDMA devices of the kernel have counters", folder)
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
