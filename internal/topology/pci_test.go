package topology

import (
	"fmt"
	"testing"

	"github.com/ibperf/ibperf/internal/testsysfs"
)

// pciTree has a card behind a switch, a virtual function of it, a card that is a function of a virtual machine, and
// a device with a platform bus.
const pciTree = `
sys/class/infiniband/mlx5_0 -> ../../devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0/0000:3c:04.0/0000:3d:00.0/infiniband/mlx5_0
sys/class/infiniband/mlx5_1 -> ../../devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0/0000:3c:04.0/0000:3d:00.2/infiniband/mlx5_1
sys/class/infiniband/rdmap0 -> ../../devices/pci0000:00/0000:00:01.0/infiniband/rdmap0
sys/class/infiniband/hns_0 -> ../../devices/platform/hns/infiniband/hns_0
sys/devices/platform/hns/local_cpulist: 0-3

sys/devices/pci0000:3a/0000:3a:00.0/current_link_speed: 16.0 GT/s PCIe
sys/devices/pci0000:3a/0000:3a:00.0/current_link_width: 4
sys/devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0/current_link_speed: 16.0 GT/s PCIe
sys/devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0/current_link_width: 4
sys/devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0/0000:3c:04.0/max_link_speed: 32.0 GT/s PCIe
sys/devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0/0000:3c:04.0/max_link_width: 8
sys/devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0/0000:3c:04.0/0000:3d:00.0/local_cpulist: 0-3
sys/devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0/0000:3c:04.0/0000:3d:00.0/current_link_speed: 8 GT/s
sys/devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0/0000:3c:04.0/0000:3d:00.0/current_link_width: 8
sys/devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0/0000:3c:04.0/0000:3d:00.0/max_link_speed: 16.0 GT/s PCIe
sys/devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0/0000:3c:04.0/0000:3d:00.0/max_link_width: 16
sys/devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0/0000:3c:04.0/0000:3d:00.0/config =256 06:10 34:40 40:0148 48:1060 60:10004200 68:3029
sys/devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0/0000:3c:04.0/0000:3d:00.0/iommu_group -> ../../../../../../kernel/iommu_groups/7
sys/devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0/0000:3c:04.0/0000:3d:00.2/local_cpulist: 0-3
sys/devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0/0000:3c:04.0/0000:3d:00.2/current_link_speed: Unknown
sys/devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0/0000:3c:04.0/0000:3d:00.2/current_link_width: 0
sys/devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0/0000:3c:04.0/0000:3d:00.2/physfn -> ../0000:3d:00.0
sys/kernel/iommu_groups/7/type: DMA-FQ

sys/devices/pci0000:00/0000:00:01.0/local_cpulist: 0-3
sys/devices/pci0000:00/0000:00:01.0/current_link_speed: Unknown
sys/devices/pci0000:00/0000:00:01.0/current_link_width: 63
sys/devices/pci0000:00/0000:00:01.0/config =64 06:10 34:40
`

func TestPCIOf(t *testing.T) {
	root := testsysfs.Parse(t, pciTree)
	for _, c := range []struct {
		name    string
		virtual bool
		want    string
		relaxed *bool
	}{
		{"mlx5_0", false, "{0000:3d:00.0 false 8 GT/s x8 16 GT/s x16 32 GT/s x8 16 GT/s x4 0000:3b:00.0 DMA-FQ}", new(false)},
		{"mlx5_1", false, "{0000:3d:00.2 true 8 GT/s x8 16 GT/s x16 32 GT/s x8 16 GT/s x4 0000:3b:00.0 }", new(false)},
		{"mlx5_0", true, "{0000:3d:00.0 false 8 GT/s x8 16 GT/s x16 0 GT/s x0 0 GT/s x0  DMA-FQ}", new(false)},
		{"rdmap0", true, "{0000:00:01.0 false 0 GT/s x0 0 GT/s x0 0 GT/s x0 0 GT/s x0  }", nil},
		{"hns_0", false, "{ false 0 GT/s x0 0 GT/s x0 0 GT/s x0 0 GT/s x0  }", nil},
		{"shm_whole", false, "{ false 0 GT/s x0 0 GT/s x0 0 GT/s x0 0 GT/s x0  }", nil},
	} {
		p := PCIOf(root, c.name, c.virtual)
		got := fmt.Sprint(struct {
			Address                    string
			Virtual                    bool
			Link, Largest, Slot, Above Link
			AboveAt, IOMMU             string
		}{p.Address, p.Virtual, p.Link, p.Largest, p.Slot, p.Above, p.AboveAt, p.IOMMU})
		if got != c.want || (p.RelaxedOrdering == nil) != (c.relaxed == nil) || c.relaxed != nil && *p.RelaxedOrdering != *c.relaxed {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// The rates of links are those that the kernel prints ("252.048 Gb/s available PCIe bandwidth").
func TestRatesOfLinks(t *testing.T) {
	for link, want := range map[Link]float64{
		{2.5, 1}: 2, {5, 8}: 32, {8, 8}: 63.015, {8, 16}: 126.031, {16, 16}: 252.062, {32, 16}: 504.123, {64, 16}: 1024, {}: 0,
	} {
		if got := link.Rate() * 8 / 1e9; got < want-0.001 || got > want+0.001 {
			t.Errorf("%v: %.3f Gb/s, want %.3f", link, got, want)
		}
	}
}

// The bit is found in the list of capabilities, or not at all.
func TestRelaxedOrdering(t *testing.T) {
	for config, want := range map[string]*bool{
		"256 06:10 34:40 40:0148 48:1060 50:3029 60:10": new(true),
		"256 06:10 34:43 40:10 48:1029":                 new(true),
		"256 06:10 34:40 40:10 48:0029":                 new(false),
		"256 06:00 34:40 40:10 48:1029":                 nil, // without capabilities
		"256 06:10 34:40 40:0140":                       nil, // a list without an end
		"256 06:10 34:40 40:0100":                       nil,
		"256 06:10 34:fc fc:10":                         nil, // beyond the end
		"64 06:10 34:40":                                nil, // which the kernel shows without root
		"32 06:10":                                      nil,
	} {
		root := testsysfs.Parse(t, "sys/config ="+config)
		got := relaxedOrdering(root, "sys")
		if (got == nil) != (want == nil) || got != nil && *got != *want {
			t.Errorf("%s: %v", config, got)
		}
	}
}
