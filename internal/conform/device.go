package conform

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/ibperf/ibperf/verbs/verbstest"
)

// Device is the device under test.
type Device struct {
	Name       string `json:"name"`
	Backend    string `json:"backend"`
	Software   string `json:"software,omitempty"` // what emulates the hardware, "" for a real device
	Driver     string `json:"driver"`             // of the kernel, or the backend's name
	Part       string `json:"part"`               // vendor_id:vendor_part_id
	Board      string `json:"board,omitempty"`    // board_id
	Firmware   string `json:"firmware,omitempty"`
	PCIAddress string `json:"pci_address,omitempty"`
	Port       int    `json:"port"`
	LinkRate   string `json:"link_rate,omitempty"` // as sysfs has it: 100 Gb/sec (4X EDR)
	GIDIndex   int    `json:"gid_index"`
	GID        string `json:"gid"`
}

// describe returns the device of a resolved target.
func describe(target verbstest.Target) (Device, error) {
	d, id, path := target.Device, target.Identity, verbstest.SysfsOf(target.Device)
	device := Device{
		Name: d.Name(), Backend: d.Backend(), Software: d.Software(), Driver: id.Driver, Part: id.Part(), Board: id.Board, Firmware: id.Firmware,
		PCIAddress: pciAddress(path), Port: target.Port, LinkRate: linkRate(path, target.Port), GIDIndex: target.GIDIndex,
	}
	ctx, err := d.Open()
	if err != nil {
		return device, err
	}
	defer ctx.Close()
	entry, err := ctx.QueryGID(target.Port, target.GIDIndex)
	device.GID = entry.GID.String()
	return device, err
}

var pciPattern = regexp.MustCompile(`^[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$`)

// pciAddress returns the address of the PCI function of a device by its folder in sysfs, or "". A
// subfunction's device is below that of its PCI function.
func pciAddress(path string) string {
	at, err := filepath.EvalSymlinks(filepath.Join(path, "device"))
	if path == "" || err != nil {
		return ""
	}
	for ; at != filepath.Dir(at); at = filepath.Dir(at) {
		if name := filepath.Base(at); pciPattern.MatchString(name) {
			return name
		}
	}
	return ""
}

func linkRate(path string, port int) string {
	if path == "" {
		return ""
	}
	rate, _ := os.ReadFile(filepath.Join(path, fmt.Sprintf("ports/%d/rate", port)))
	return strings.TrimSpace(string(rate))
}
