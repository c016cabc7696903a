package verbstest

import (
	_ "embed"
	"os"

	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/ibperf/ibperf/verbs"
)

// Quirk is something that a family of devices does in its own way.
type Quirk struct {
	ID         string
	Devices    []string // patterns of filepath.Match, for a device's name or its driver
	From       Kernel   // the first kernel that has it, nil: all
	Below      Kernel   // the first kernel after From that has not, nil: none
	Statements []string // ids of those that assert what the device does instead
	Fails      []string // ids of those that fail, and nothing more is known of them
	Does       string   // instead of what the statements say
	Source     string   // where it can be read, or who has seen it
}

// Kernel is the version of a kernel, the major number first: {6, 12}.
type Kernel []int

//go:embed quirks.txt
var knownQuirks string

// QuirksOf returns the quirks that apply to the device on this machine's kernel: those
// that this package knows of, and those of more. A device without any is to do everything
// as the statements say.
func QuirksOf(device verbs.Device, more ...Quirk) []Quirk {
	known, err := ParseQuirks("quirks.txt", knownQuirks)
	if err != nil {
		panic(err) // which a test holds
	}
	names := []string{device.Name(), driverOf(device)}
	return applying(append(known, more...), names, runningKernel())
}

// applying returns the quirks of a device with these names on the kernel.
func applying(quirks []Quirk, names []string, kernel Kernel) []Quirk {
	return slices.DeleteFunc(quirks, func(q Quirk) bool {
		matches := func(pattern string) bool {
			return slices.ContainsFunc(names, func(name string) bool {
				ok, _ := filepath.Match(pattern, name)
				return ok
			})
		}
		return !slices.ContainsFunc(q.Devices, matches) ||
			slices.Compare(kernel, q.From) < 0 ||
			q.Below != nil && slices.Compare(kernel, q.Below) >= 0
	})
}

// driverOf returns the name of the kernel's driver, such as mlx5_core, of what stands in
// for hardware, such as rdma_rxe, or "".
func driverOf(device verbs.Device) string {
	if software := device.Software(); software != "" {
		name, _, _ := strings.Cut(software, ",")
		return name
	}
	link, err := os.Readlink(filepath.Join("/sys/class/infiniband", device.Name(), "device/driver"))
	if err != nil {
		return ""
	}
	return filepath.Base(link)
}

func runningKernel() Kernel {
	var name unix.Utsname
	if err := unix.Uname(&name); err != nil {
		return nil
	}
	return kernelOf(unix.ByteSliceToString(name.Release[:]))
}
