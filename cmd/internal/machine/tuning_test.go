package machine

import (
	"encoding/json"
	"testing"

	"github.com/ibperf/ibperf/internal/testsysfs"
)

const oneCard = `
sys/class/infiniband/mlx5_0 -> ../../devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0/infiniband/mlx5_0
sys/devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0/local_cpulist: 0-1
sys/devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0/numa_node: 1
sys/devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0/current_link_speed: 5.0 GT/s PCIe
sys/devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0/current_link_width: 8
sys/devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0/msi_irqs/91: msix
sys/devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0/infiniband/mlx5_0/device -> ../..
sys/devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0/infiniband/mlx5_0/ports/2/gid_attrs/ndevs/0: ens1f1np1
sys/devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0/net/ens1f0np0/mtu: 1500
proc/cmdline: iommu=pt
proc/interrupts: CPU0 CPU1\n 91: 9 0 PCI-MSIX 1-edge mlx5_comp3@pci:0000:3b:00.0
proc/irq/91/smp_affinity_list: 0-1
proc/self/status: CapEff: 00\nCpus_allowed_list: 0-3
proc/self/limits: Max locked memory 65536 65536 bytes
proc/meminfo: HugePages_Total: 4\nHugePages_Free: 3\nHugepagesize: 2048 kB
sys/devices/system/cpu/cpufreq/boost: 1
sys/devices/system/cpu/cpu{0-1}/node0/cpulist: 0-1
sys/devices/system/cpu/cpu{2-3}/node1/cpulist: 2-3
sys/devices/system/cpu/cpu{0-3}/topology/core_cpus_list: {}
`

// What a file has about a host. Members are absent if their files are, or if a name could do harm in a command.
func TestTuningOf(t *testing.T) {
	for _, c := range []struct {
		what, files, device string
		port, vector        int
		want                string
	}{
		{"a port with a GID", oneCard, "mlx5_0", 2, 3, `{"pci":{"address":"0000:3b:00.0","link":{"speed_gt_per_s":5,"width":8,"rate_bytes_per_s":4000000000},"iommu_passthrough":true},` +
			`"interrupt":{"completion_vector":3,"irq":91,"cpus":"0-1","numa_nodes":[0]},"network_interface":"ens1f1np1","boost":{"on":true,"file":"/sys/devices/system/cpu/cpufreq/boost"},` +
			`"memlock_limit_bytes":65536,"huge_pages":{"size_bytes":2097152,"total":4,"free":3},"allowed_nodes":[0,1],"allowed_cores":4}`},
		{"an embedded device", oneCard, "shm_whole", 1, 0, `{"boost":{"on":true,"file":"/sys/devices/system/cpu/cpufreq/boost"},` +
			`"memlock_limit_bytes":65536,"huge_pages":{"size_bytes":2097152,"total":4,"free":3},"allowed_nodes":[0,1],"allowed_cores":4}`},
		{"a port without a GID", "sys/class/infiniband/rxe0/device/net/eth0/mtu: 1500", "rxe0", 1, 0, `{"network_interface":"eth0"}`},
		{"two interfaces", "sys/class/infiniband/rxe0/device/net/eth{0-1}/mtu: 1500", "rxe0", 1, 0, `{}`},
		{"a name that is a command", "sys/class/infiniband/rxe0/device/net/$(reboot)/mtu: 1500", "rxe0", 1, 0, `{}`},
		{"no files", "", "mlx5_0", 1, 0, `{}`},
	} {
		data, err := json.Marshal(TuningOf(testsysfs.Parse(t, c.files), c.device, c.port, c.vector))
		if err != nil || string(data) != c.want {
			t.Errorf("%s: %v\n%s, want\n%s", c.what, err, data, c.want)
		}
	}
}

// A host is inspected with the idle states of a CPU that the process may run on, and the node of the device.
func TestInspect(t *testing.T) {
	s := Inspect(testsysfs.Parse(t, oneCard+`
proc/self/status: Cpus_allowed_list: 2-3
sys/devices/system/node/node{0-1}/cpulist: 0
sys/devices/system/cpu/cpuidle/current_driver: intel_idle
sys/devices/system/cpu/cpu2/cpuidle/state0/name: C6
sys/devices/system/cpu/cpu2/cpuidle/state0/latency: 133
`), "mlx5_0", 1)
	if s.Tuning == nil || s.NUMA.Nodes != 2 || s.NUMA.Device == nil || *s.NUMA.Device != 1 || s.Idle.Deepest().Name != "C6" {
		t.Errorf("inspected: %+v, %+v, %+v", s.Tuning, s.NUMA, s.Idle)
	}
	if s = Inspect(testsysfs.Parse(t, ""), "", 1); s.Tuning == nil || s.NUMA.Device != nil || s.Tuning.PCI != nil {
		t.Errorf("inspected without files: %+v, %+v", s.Tuning, s.NUMA)
	}
}
