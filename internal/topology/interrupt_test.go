package topology

import (
	"fmt"
	"testing"

	"github.com/ibperf/ibperf/internal/testsysfs"
)

const interrupts = `
sys/class/infiniband/mlx5 -> ../../devices/pci0000:00/0000:00:01.0/infiniband/mlx5
sys/class/infiniband/efa -> ../../devices/pci0000:00/0000:00:02.0/infiniband/efa
sys/class/infiniband/irdma -> ../../devices/pci0000:00/0000:00:03.0/infiniband/irdma
sys/class/infiniband/bnxt -> ../../devices/pci0000:00/0000:00:04.0/infiniband/bnxt
sys/devices/pci0000:00/0000:00:0{1-4}.0/local_cpulist: 0-3
sys/devices/pci0000:00/0000:00:01.0/msi_irqs/{40-43}: msix
sys/devices/pci0000:00/0000:00:02.0/msi_irqs/{50-51}: msix
sys/devices/pci0000:00/0000:00:03.0/msi_irqs/60: msix
sys/devices/pci0000:00/0000:00:04.0/msi_irqs/70: msix
proc/interrupts: CPU0 CPU1\n 39: 1 0 PCI-MSI-0000:00:05.0 1-edge mlx5_comp0@pci:0000:00:05.0\n 40: 1 0 PCI-MSI 0-edge mlx5_async0@pci:0000:00:01.0\n 41: 1 0 PCI-MSI 1-edge mlx5_comp0@pci:0000:00:01.0\n 42: 7 9 PCI-MSI 2-edge mlx5_comp1\n 43: 7 9 PCI-MSI 2-edge mlx5_comp10\n 51: 0 0 PCI-MSI 1-edge efa-comp0@pci:0000:00:02.0\n 60: 0 0 PCI-MSI 1-edge irdma-0000:00:03.0-CEQ-3\n 70: 0 0 PCI-MSI 1-edge bnxt_re-nq-0@pci:0000:00:04.0\nNMI: 0 0 Non-maskable interrupts
proc/irq/{40-70}/smp_affinity_list: 0-3,8
proc/irq/42/effective_affinity_list: 2
proc/irq/43/effective_affinity_list:
`

// The interrupt of a completion vector is found by its name among those of the device.
func TestInterruptOf(t *testing.T) {
	root := testsysfs.Parse(t, interrupts)
	for _, c := range []struct {
		device string
		vector int
		want   string
	}{
		{"mlx5", 0, "{41 0-3,8 [0 1 2 3 8]} true"},
		{"mlx5", 1, "{42 2 [2]} true"},
		{"mlx5", 10, "{43 0-3,8 [0 1 2 3 8]} true"},
		{"mlx5", 2, "{0  []} false"},
		{"efa", 0, "{51 0-3,8 [0 1 2 3 8]} true"},
		{"irdma", 3, "{60 0-3,8 [0 1 2 3 8]} true"},
		{"bnxt", 0, "{0  []} false"},
		{"shm_whole", 0, "{0  []} false"},
	} {
		if i, known := InterruptOf(root, c.device, c.vector); fmt.Sprint(i, " ", known) != c.want {
			t.Errorf("%s, vector %d: %v %v, want %s", c.device, c.vector, i, known, c.want)
		}
	}
}
