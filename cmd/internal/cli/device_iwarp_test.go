package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// sysfsOf returns a sysfs with an RDMA device of a PCI driver.
func sysfsOf(t *testing.T, device, pci, driver string) fs.FS {
	t.Helper()
	root := t.TempDir()
	at := filepath.Join(root, "sys/devices/pci0000:00", pci)
	class := filepath.Join(root, "sys/class/infiniband", device)
	for _, folder := range []string{at, class} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for at, to := range map[string]string{
		filepath.Join(class, "device"): "../../../devices/pci0000:00/" + pci,
		filepath.Join(at, "driver"):    "../../../bus/pci/drivers/" + driver,
	} {
		if err := os.Symlink(to, at); err != nil {
			t.Fatal(err)
		}
	}
	return os.DirFS(root)
}

// The error about iWARP has the commands that switch an E810 to RoCE v2, with its PCI address. Other
// devices have no such switch.
func TestIWARPError(t *testing.T) {
	const common, first = "is iWARP, which is not supported, with or without --rdma_cm: ", "name enable_iwarp value false cmode runtime"
	for driver, switchable := range map[string]bool{"ice": true, "i40e": false, "cxgb4": false} {
		err := iwarpError(sysfsOf(t, "irdma0", "0000:3b:00.1", driver), "irdma0").Error()
		off, on := strings.Index(err, "devlink dev param set pci/0000:3b:00.1 "+first), strings.Index(err, "pci/0000:3b:00.1 name enable_roce value true cmode runtime")
		if !strings.Contains(err, "device irdma0 "+common) || (off >= 0) != switchable || (on > off) != switchable || !strings.HasSuffix(err, "RoCE device with -d") {
			t.Errorf("driver %s: %s", driver, err)
		}
	}
	if err := iwarpError(os.DirFS(t.TempDir()), "siw0").Error(); strings.Contains(err, "devlink") || !strings.Contains(err, "device siw0 "+common) {
		t.Errorf("without sysfs: %s", err)
	}
}
