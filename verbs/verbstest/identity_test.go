package verbstest

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/ibperf/ibperf/verbs"
)

// inSysfs is a device with a folder in sysfs, which cannot be opened.
type inSysfs struct {
	verbs.Device
	path, software string
}

func (d inSysfs) Name() string                 { return "x0" }
func (d inSysfs) Backend() string              { return "ibv" }
func (d inSysfs) Software() string             { return d.software }
func (d inSysfs) Sysfs() string                { return d.path }
func (d inSysfs) Open() (verbs.Context, error) { return nil, syscall.EACCES }

// A card's driver is the module behind its device, or the driver itself; software has the name it gives.
func TestDriver(t *testing.T) {
	root := t.TempDir()
	for link, target := range map[string]string{
		"card/device/driver/module":   "/sys/module/mlx5_core",
		"builtin/device/driver/other": "/sys/module/none",
	} {
		if err := os.MkdirAll(filepath.Join(root, filepath.Dir(link)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Rename(filepath.Join(root, "builtin/device/driver"), filepath.Join(root, "efa")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../../efa", filepath.Join(root, "builtin/device/driver")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		device verbs.Device
		want   string
	}{
		{inSysfs{path: filepath.Join(root, "card")}, "mlx5_core"},
		{inSysfs{path: filepath.Join(root, "builtin")}, "efa"},
		{inSysfs{path: filepath.Join(root, "rxe0"), software: "rdma_rxe, RoCE in software over eth0"}, "rdma_rxe"},
	} {
		if got := IdentityOf(c.device).Driver; got != c.want {
			t.Errorf("driver %q, want %q", got, c.want)
		}
	}
	rxe, _ := QuirksOf(IdentityOf(inSysfs{path: filepath.Join(root, "rxe0"), software: "rdma_rxe, RoCE in software over eth0"}))
	if len(rxe) == 0 || rxe[0].ID != "Q01" {
		t.Errorf("soft RoCE has %d quirks", len(rxe))
	}
}
