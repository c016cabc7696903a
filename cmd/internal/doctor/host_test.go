package doctor_test

import (
	"strings"
	"testing"

	"github.com/ibperf/ibperf/cmd/internal/doctor"
	"github.com/ibperf/ibperf/result"
)

// lines returns findings, each as a line with its id.
func lines(all []result.Finding) string {
	var b strings.Builder
	for _, f := range all {
		b.WriteString(f.ID + ": " + f.Line() + "\n")
	}
	return b.String()
}

// Each case changes one fact of a host without findings, and makes one finding of a host, or none.
func TestHostFindings(t *testing.T) {
	for _, c := range []struct {
		what, further string
		change        func(*result.Side)
		want          string
	}{
		{what: "tuned"},
		{what: "governor", further: "sys/devices/system/cpu/cpu2/cpufreq/scaling_governor: schedutil",
			want: "cpu-governor: The CPU frequency governor is performance,schedutil: a core raises its clock only some time after it has work. Fix: `cpupower frequency-set -g performance`\n"},
		{what: "boost off", further: "sys/devices/system/cpu/cpufreq/boost: 0",
			want: "cpu-boost: CPU boost is off: the core of a measuring thread keeps its base clock, also while all others are idle. Fix: `echo 1 > /sys/devices/system/cpu/cpufreq/boost`\n"},
		{what: "a deep idle state", further: "sys/devices/system/cpu/cpu0/cpuidle/state2/name: C2\nsys/devices/system/cpu/cpu0/cpuidle/state2/latency: 400",
			want: "idle-states: An idle CPU enters C2, which it needs 400 usec to leave: a thread that sleeps for a completion event wakes later by that time. Fix: --cpu-dma-latency 0 on both sides for a run, or `cpupower idle-set -D 3` for all programs\n"},
		{what: "a deep idle state that is disabled", further: "sys/devices/system/cpu/cpu0/cpuidle/state2/name: C2\nsys/devices/system/cpu/cpu0/cpuidle/state2/latency: 400\nsys/devices/system/cpu/cpu0/cpuidle/state2/disable: 1"},
		{what: "a deep idle state beyond the limit", further: "sys/devices/system/cpu/cpu0/cpuidle/state2/name: C2\nsys/devices/system/cpu/cpu0/cpuidle/state2/latency: 400\ndev/cpu_dma_latency =4"},
		{what: "locked memory", further: "proc/self/limits: Max locked memory 8388608 8388608 bytes",
			want: "memlock: A process may lock 8M bytes of memory: registering more fails with ENOMEM. Fix: `ulimit -l unlimited`, for all logins memlock in /etc/security/limits.conf, for a service LimitMEMLOCK=infinity\n"},
		{what: "locked memory of 1 GiB", further: "proc/self/limits: Max locked memory 1073741824 1073741824 bytes"},
		{what: "no huge pages", further: `proc/meminfo: HugePages_Total: 0\nHugePages_Free: 0\nHugepagesize: 2048 kB`,
			want: "huge-pages: No huge page is free (0 in all): the device looks up an address for every small page of long messages. Fix: `sysctl vm.nr_hugepages=513`, and --use_hugepages\n"},
		{what: "a file without facts", change: func(s *result.Side) { s.Tuning = nil }},
	} {
		side := inspect(t, "narrow-slot", c.further)
		if c.change != nil {
			c.change(&side)
		}
		if got := lines(doctor.OfHost(&side)); got != c.want {
			t.Errorf("%s:\n%swant\n%s", c.what, got, c.want)
		}
	}
}

const card = "sys/devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0/"

// Each case changes facts of a device without findings, and makes one finding, or none.
func TestDeviceFindings(t *testing.T) {
	const fast = card + "current_link_speed: 16.0 GT/s PCIe\n" + card + "current_link_width: 16\n" +
		"sys/devices/pci0000:3a/0000:3a:00.0/max_link_speed: 16.0 GT/s PCIe\nsys/devices/pci0000:3a/0000:3a:00.0/max_link_width: 16\n"
	const show = "; `lspci -vv -s 0000:3b:00.0 | grep -E 'LnkCap|LnkSta'`\n"
	for _, c := range []struct {
		what, further string
		change        func(*result.Side)
		want          string
	}{
		{what: "tuned"},
		{what: "trained below both ends", further: card + "current_link_width: 8",
			want: "pcie-link: PCIe link of mlx5_0 is 16 GT/s x8 (126 Gb/s), and its port has 200 Gb/s. Fix: card and slot can have 16 GT/s x16: seat the card again, and look up the slot's speed and bifurcation in the BIOS setup" + show},
		{what: "a slow slot", further: card + "current_link_speed: 8 GT/s\nsys/devices/pci0000:3a/0000:3a:00.0/max_link_speed: 8 GT/s",
			want: "pcie-link: PCIe link of mlx5_0 is 8 GT/s x16 (126 Gb/s), and its port has 200 Gb/s. Fix: move the card from its slot of 8 GT/s x16 to one of 16 GT/s x16" + show},
		{what: "a slow card", further: card + "current_link_width: 8\n" + card + "max_link_width: 8",
			want: "pcie-link: PCIe link of mlx5_0 is 16 GT/s x8 (126 Gb/s), and its port has 200 Gb/s. Fix: another card: this one has no faster link" + show},
		{what: "a slow link, and nothing known besides", further: card + "current_link_width: 8\n" + card + "max_link_width: 255",
			want: "pcie-link: PCIe link of mlx5_0 is 16 GT/s x8 (126 Gb/s), and its port has 200 Gb/s. Fix: compare the card's link with its slot" + show},
		{what: "a slow link that is fast enough", further: card + "current_link_width: 8", change: func(s *result.Side) { s.Device.LinkRate = 100e9 / 8 }},
		{what: "a port without a known rate", further: card + "current_link_width: 8", change: func(s *result.Side) { s.Device.LinkRate = 0 }},
		{what: "an unknown link", further: card + "current_link_width: 0"},
		{what: "a slow switch above", change: func(s *result.Side) {
			s.Tuning.PCI.Above, s.Tuning.PCI.AboveAt = &result.PCILink{Speed: 16, Width: 4, Rate: 7.88e9}, "0000:3a:00.0"
		}, want: "pcie-above: PCIe link of the bridge 0000:3a:00.0 above mlx5_0 is 16 GT/s x4 (63 Gb/s), and the port has 200 Gb/s. Fix: move the card to a slot with fewer bridges above it; `lspci -tv` shows them\n"},
		{what: "a fast switch above", change: func(s *result.Side) { s.Tuning.PCI.Above = &result.PCILink{Speed: 16, Width: 16, Rate: 31.5e9} }},
		{what: "strict translation", further: "sys/kernel/iommu_groups/12/type: DMA\nproc/cmdline: quiet",
			want: "iommu: The IOMMU translates each address that mlx5_0 accesses (group type DMA): if its cache lacks one, the access waits for page tables. Fix: boot with the parameter iommu=pt, on arm64 iommu.passthrough=1; then `cat /sys/bus/pci/devices/0000:3b:00.0/iommu_group/type` prints identity\n"},
		{what: "translation in spite of the boot parameter", further: "sys/kernel/iommu_groups/12/type: DMA-FQ",
			want: "iommu: The IOMMU translates each address that mlx5_0 accesses (group type DMA-FQ): if its cache lacks one, the access waits for page tables. Fix: the boot parameter for passthrough has no effect on this device: unbind its driver, and `echo identity > /sys/bus/pci/devices/0000:3b:00.0/iommu_group/type`\n"},
		{what: "a group of a virtual machine", further: "sys/kernel/iommu_groups/12/type: unmanaged"},
		{what: "no relaxed ordering", further: card + "config =256 06:10 34:60 60:1040 68:2029",
			want: "relaxed-ordering: PCIe relaxed ordering is off in the Device Control register of mlx5_0: each write waits for all earlier ones, whatever the memory allows. Fix: `setpci -s 0000:3b:00.0 CAP_EXP+8.w=10:10`, unless `dmesg | grep -i 'relaxed ordering'` says that the kernel turned it off\n"},
		{what: "no relaxed ordering of a virtual function", further: card + "config =256 06:10 34:60 60:1040 68:2029", change: func(s *result.Side) { s.Tuning.PCI.Virtual = true },
			want: "relaxed-ordering: PCIe relaxed ordering is off in the Device Control register of mlx5_0: each write waits for all earlier ones, whatever the memory allows. Fix: `setpci -s $(basename $(readlink /sys/bus/pci/devices/0000:3b:00.0/physfn)) CAP_EXP+8.w=10:10`, unless `dmesg | grep -i 'relaxed ordering'` says that the kernel turned it off\n"},
		{what: "a register that may not be read", further: card + "config =64 06:10 34:60"},
		{what: "MTU of InfiniBand", change: func(s *result.Side) { s.Device.ActiveMTU = 2048 },
			want: "mtu: Port 1 of mlx5_0 has an active MTU of 2048 bytes, and is capable of 4096: long messages take 2 times the number of packets. Fix: the line `Default=0x7fff, ipoib, mtu=5 : ALL=full;` in partitions.conf of opensm, or the MTU of the partition in another subnet manager\n"},
		{what: "MTU of RoCE", change: func(s *result.Side) { s.Device.ActiveMTU, s.Device.LinkLayer = 1024, "Ethernet" },
			want: "mtu: Port 1 of mlx5_0 has an active MTU of 1024 bytes, and is capable of 4096: long messages take 4 times the number of packets. Fix: `ip link set dev ib0 mtu 4200` on both sides, and at least as much on the switches between them\n"},
		{what: "MTU of RoCE without an interface", change: func(s *result.Side) {
			s.Device.ActiveMTU, s.Device.LinkLayer, s.Tuning.Interface = 1024, "Ethernet", ""
		},
			want: "mtu: Port 1 of mlx5_0 has an active MTU of 1024 bytes, and is capable of 4096: long messages take 4 times the number of packets. Fix: `ip link set dev INTERFACE mtu 4200` on both sides, and at least as much on the switches between them\n"},
		{what: "an unknown MTU", change: func(s *result.Side) { s.Device.ActiveMTU = 0 }},
		{what: "a process on the other node", further: "proc/self/status: CapEff: 00\\nCpus_allowed_list: 8\nsys/devices/system/cpu/cpu8/node1/cpulist: 8",
			want: "cpu-node: Processes started here may run on no CPU of NUMA node 0, where mlx5_0 is: each access crosses the link between sockets. Fix: `numactl --cpunodebind=0 --membind=0` before the command, unless a cpuset forbids it (`cat /proc/self/cgroup`)\n"},
		{what: "a device on no node", further: "proc/self/status: CapEff: 00\\nCpus_allowed_list: 8\nsys/devices/system/cpu/cpu8/node1/cpulist: 8\n" + card + "numa_node: -1"},
		{what: "an interrupt on the other node", further: "proc/irq/91/effective_affinity_list: 8\nsys/devices/system/cpu/cpu8/node1/cpulist: 8",
			want: "interrupt: Completion vector 0 of mlx5_0 (IRQ 91) interrupts CPU 8 of NUMA node 1, and the device is on node 0. Fix: `cat /sys/bus/pci/devices/0000:3b:00.0/local_cpulist > /proc/irq/91/smp_affinity_list`, with irqbalance stopped\n"},
		{what: "an interrupt on both nodes", further: "proc/irq/91/smp_affinity_list: 0-3,8\nsys/devices/system/cpu/cpu8/node1/cpulist: 8"},
		{what: "a file without facts", change: func(s *result.Side) { s.Tuning = nil }},
	} {
		side := inspect(t, "narrow-slot", fast+c.further)
		if c.change != nil {
			c.change(&side)
		}
		if got := lines(doctor.OfDevice(&side)); got != c.want {
			t.Errorf("%s:\n%swant\n%s", c.what, got, c.want)
		}
	}
}
