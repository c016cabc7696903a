package doctor_test

import (
	"io/fs"
	"maps"
	"testing"
	"testing/fstest"

	"github.com/ibperf/ibperf/cmd/internal/machine"
	"github.com/ibperf/ibperf/internal/testsysfs"
	"github.com/ibperf/ibperf/result"
)

// The hosts of testdata, with what their devices say when they are opened.
var opened = map[string]result.Device{
	"two-sockets":      {Name: "mlx5_0", Backend: "ibv", Port: 1, LinkLayer: "Ethernet", LinkRate: 100e9 / 8, ActiveMTU: 1024, MaxMTU: 4096, Firmware: "22.31.1014"},
	"narrow-slot":      {Name: "mlx5_0", Backend: "ibv", Port: 1, LinkLayer: "InfiniBand", LinkRate: 200e9 / 8, ActiveMTU: 4096, MaxMTU: 4096, Firmware: "20.35.1012"},
	"efa-instance":     {Name: "rdmap82s0", Backend: "ibv", Port: 1, LinkLayer: "unspecified", LinkRate: 400e9 / 8, ActiveMTU: 4096, MaxMTU: 4096, Firmware: "0.0.0.0"},
	"virtual-function": {Name: "mlx5_0", Backend: "ibv", Port: 1, LinkLayer: "Ethernet", LinkRate: 400e9 / 8, ActiveMTU: 4096, MaxMTU: 4096, Firmware: "28.39.1002"},
}

// files returns the files of a host of testdata, with further ones or others in their place.
func files(t *testing.T, name, further string) fstest.MapFS {
	t.Helper()
	root := testsysfs.Read(t, "testdata/"+name+".txt")
	maps.Copy(root, testsysfs.Parse(t, further))
	return root
}

// inspect returns the facts about a host of testdata and its device.
func inspect(t *testing.T, name, further string) result.Side {
	t.Helper()
	return inspectFiles(files(t, name, further), opened[name])
}

func inspectFiles(root fs.FS, device result.Device) result.Side {
	side := machine.Inspect(root, device.Name, 1)
	side.Host, side.Kernel, side.Device = "node1", "6.8.0", device
	return side
}
