package verbstest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/ibperf/ibperf/internal/host"
	"github.com/ibperf/ibperf/verbs"
)

// An Identity says what a device is, by which quirks match it. Its name is no part of it, as udev
// changes names.
type Identity struct {
	Driver       string // kernel driver, such as mlx5_core or rdma_rxe; shm for an embedded device
	VendorID     uint32
	VendorPartID uint32
	Board        string // board_id of sysfs, which few drivers have, such as MT_0000000359
	Firmware     string
	Library      string // rdma-core's version, such as 44; empty: unknown
	Kernel       string // release of uname(2)
}

// Part returns vendor_id and vendor_part_id as quirks name them: 0x02c9:4129.
func (id Identity) Part() string { return fmt.Sprintf("0x%04x:%d", id.VendorID, id.VendorPartID) }

// IdentityOf returns the identity of a device. A device that cannot be opened has no part and no
// firmware; [Target.Resolve] returns the reason.
func IdentityOf(device verbs.Device) Identity {
	id := Identity{Driver: driverOf(device), Library: libraryOf(device), Kernel: host.KernelRelease()}
	if path := SysfsOf(device); path != "" {
		board, _ := os.ReadFile(filepath.Join(path, "board_id"))
		id.Board = strings.TrimSpace(string(board))
	}
	ctx, err := device.Open()
	if err != nil {
		return id
	}
	defer ctx.Close()
	if attr, err := ctx.QueryDevice(); err == nil {
		id.VendorID, id.VendorPartID, id.Firmware = attr.VendorID, attr.VendorPartID, attr.FirmwareVersion
	}
	return id
}

// SysfsOf returns the folder of a device in sysfs, or "" for a device that has none.
func SysfsOf(device verbs.Device) string {
	if d, ok := device.(interface{ Sysfs() string }); ok {
		return d.Sysfs()
	}
	return ""
}

// driverOf returns the module of the device's kernel driver, or the name of its software.
func driverOf(device verbs.Device) string {
	path := SysfsOf(device)
	if path == "" {
		return device.Backend()
	}
	for _, link := range []string{"device/driver/module", "device/driver"} { // a driver that is built in may have no module
		if target, err := os.Readlink(filepath.Join(path, link)); err == nil {
			return filepath.Base(target)
		}
	}
	name, _, _ := strings.Cut(device.Software(), ",")
	return name
}

// libraryName is the file name of libibverbs, whose third number is the version of rdma-core.
var libraryName = regexp.MustCompile(`^libibverbs\.so\.\d+\.\d+\.(\d+)`)

func libraryOf(device verbs.Device) string {
	for _, b := range verbs.Backends() {
		if b.Name() != device.Backend() {
			continue
		}
		if m := libraryName.FindStringSubmatch(b.Version()); m != nil {
			return m[1]
		}
	}
	return ""
}
