package doctor_test

import (
	"strings"
	"testing"

	"github.com/ibperf/ibperf/cmd/internal/doctor"
	"github.com/ibperf/ibperf/internal/topology"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// tuned returns a bandwidth run between two tuned hosts, the cards of which are in slots that are too narrow. Its rate
// is far below that of the slots.
func tuned(t *testing.T) *result.File {
	t.Helper()
	f := &result.File{Kind: option.KindBandwidth, Op: option.OpWrite, Local: inspect(t, "narrow-slot", ""), Peer: inspect(t, "narrow-slot", "")}
	f.Parameters.QPs = 2
	cost := result.Cost{CPUs: []int{1}, NUMANodes: []int{0}}
	f.Rows = []result.Row{{Size: 65536, Span: 128, Bandwidth: &result.Bandwidth{Average: 1e9}, Local: cost, Peer: cost}}
	return f
}

func link(speed float64, width int) *result.PCILink {
	return &result.PCILink{Speed: speed, Width: width, Rate: topology.Link{Speed: speed, Width: width}.Rate()}
}

// Each case changes one thing of a run without findings, and makes one finding, or none.
func TestRunFindings(t *testing.T) {
	grow := func(name string, n uint64) func(*result.File) {
		return func(f *result.File) { f.Local.Tuning.Growth = map[string]uint64{name: n} }
	}
	ethernet := func(change func(*result.File)) func(*result.File) {
		return func(f *result.File) {
			f.Local.Device.LinkLayer, f.Local.Tuning.Interface = "Ethernet", "ens1"
			change(f)
		}
	}
	const begin = "During the run counters of port 1 of mlx5_0 grew, "
	for what, c := range map[string]struct {
		change func(*result.File)
		want   string
	}{
		"tuned": {func(*result.File) {}, ""},
		"a full link here": {func(f *result.File) { f.Rows[0].Bandwidth.Average = 6e9; f.Peer.Tuning.PCI = nil },
			"pcie-link: on this side: PCIe link of mlx5_0 is 8 GT/s x8 (63 Gb/s), and its port has 200 Gb/s. Fix: move the card from its slot of 8 GT/s x8 to one of 16 GT/s x16; `lspci -vv -s 0000:3b:00.0 | grep -E 'LnkCap|LnkSta'`\n"},
		"a full link in one direction": {func(f *result.File) {
			f.Rows[0].Bandwidth.Average, f.Rows[0].FromClient, f.Rows[0].FromServer = 9e9, &result.Direction{Average: 3e9}, &result.Direction{Average: 6e9}
			f.Local.Tuning.PCI = nil
		}, "pcie-link: on the peer: PCIe link of mlx5_0 is 8 GT/s x8 (63 Gb/s), and its port has 200 Gb/s. Fix: move the card from its slot of 8 GT/s x8 to one of 16 GT/s x16; `lspci -vv -s 0000:3b:00.0 | grep -E 'LnkCap|LnkSta'`\n"},
		"two directions, none of which fills the link": {func(f *result.File) {
			f.Rows[0].Bandwidth.Average, f.Rows[0].FromClient, f.Rows[0].FromServer = 9e9, &result.Direction{Average: 4e9}, &result.Direction{Average: 5e9}
		}, ""},
		"a full link above": {func(f *result.File) {
			f.Rows[0].Bandwidth.Average, f.Peer.Tuning.PCI = 6e9, nil
			p := f.Local.Tuning.PCI
			p.Link, p.Above, p.AboveAt = link(16, 16), link(16, 4), "0000:3a:00.0"
		}, "pcie-above: on this side: PCIe link of the bridge 0000:3a:00.0 above mlx5_0 is 16 GT/s x4 (63 Gb/s), and the port has 200 Gb/s. Fix: move the card to a slot with fewer bridges above it; `lspci -tv` shows them\n"},
		"latency": {func(f *result.File) {
			f.Kind, f.Rows[0].Bandwidth, f.Rows[0].Latency = option.KindLatency, nil, &result.Latency{}
			f.Local.Tuning.PCI.IOMMU = result.IOMMUStrict
		}, ""},
		"translation": {func(f *result.File) {
			f.Local.Tuning.PCI.IOMMU, f.Local.Tuning.PCI.Bypassed = result.IOMMUStrict, false
		},
			"iommu: on this side: The IOMMU translates each address that mlx5_0 accesses (group type DMA): if its cache lacks one, the access waits for page tables. Fix: boot with the parameter iommu=pt, on arm64 iommu.passthrough=1; then `cat /sys/bus/pci/devices/0000:3b:00.0/iommu_group/type` prints identity\n"},
		"relaxed ordering, which is off": {func(f *result.File) { f.Rows[0].Relaxed = true; f.Peer.Tuning.PCI.RelaxedOrdering = new(false) },
			"relaxed-ordering: on the peer: PCIe relaxed ordering is off in the Device Control register of mlx5_0: each write waits for all earlier ones, whatever the memory allows. Fix: `setpci -s 0000:3b:00.0 CAP_EXP+8.w=10:10`, unless `dmesg | grep -i 'relaxed ordering'` says that the kernel turned it off\n"},
		"no relaxed ordering, which is off": {func(f *result.File) { f.Peer.Tuning.PCI.RelaxedOrdering = new(false) }, ""},
		"MTU of the peer": {func(f *result.File) { f.Peer.Device.ActiveMTU = 2048 },
			"mtu: on the peer: Port 1 of mlx5_0 has an active MTU of 2048 bytes, and is capable of 4096: long messages take 2 times the number of packets. Fix: the line `Default=0x7fff, ipoib, mtu=5 : ALL=full;` in partitions.conf of opensm, or the MTU of the partition in another subnet manager\n"},
		"MTU, and messages of one packet": {func(f *result.File) { f.Peer.Device.ActiveMTU, f.Rows[0].Size = 2048, 2048 }, ""},
		"boost": {func(f *result.File) {
			f.Peer.Tuning.Boost = &result.Boost{File: "/sys/devices/system/cpu/cpufreq/boost"}
		},
			"cpu-boost: on the peer: CPU boost is off: the core of a measuring thread keeps its base clock, also while all others are idle. Fix: `echo 1 > /sys/devices/system/cpu/cpufreq/boost`\n"},
		"what warnings say": {func(f *result.File) {
			f.Local.Governor, f.Local.Idle = "powersave", &result.Idle{Driver: "intel_idle", States: []result.IdleState{{Name: "C6", ExitNs: 170e3}}}
			f.Local.Tuning.LockLimit, f.Local.Tuning.HugePages.Free = new(uint64(65536)), 0
		}, ""},
		"a thread on another node": {func(f *result.File) { f.Rows[0].Peer.NUMANodes = []int{0, 1} },
			"cpu-node: on the peer: The measuring thread ran on NUMA node 1, and mlx5_0 is on node 0: each access crosses the link between sockets. Fix: --numa_node 0\n"},
		"a thread on a node, and a device on none": {func(f *result.File) { f.Rows[0].Peer.NUMANodes, f.Peer.NUMA.Device = []int{1}, nil }, ""},
		"an interrupt from another node": {func(f *result.File) { f.Local.Tuning.Interrupt.Nodes, f.Rows[0].Local.Sleeps = []int{1}, 9 },
			"interrupt: on this side: Completion vector 0 of mlx5_0 (IRQ 91) interrupts CPU 0 of NUMA node 1, and wakes a thread on node 0. Fix: `echo 1 > /proc/irq/91/smp_affinity_list`, with irqbalance stopped\n"},
		"an interrupt that wakes no thread":   {func(f *result.File) { f.Local.Tuning.Interrupt.Nodes = []int{1} }, ""},
		"an interrupt from the thread's node": {func(f *result.File) { f.Rows[0].Local.Sleeps = 9 }, ""},
		"much memory": {func(f *result.File) { f.Rows[0].Span = 512; f.Peer.Tuning.HugePages = nil },
			"huge-pages: on this side: The messages of a row used 64M bytes of memory in small pages: the device looked up an address for every page. Fix: `sysctl vm.nr_hugepages=33`, and --use_hugepages on both sides\n"},
		"much memory in huge pages": {func(f *result.File) { f.Rows[0].Span, f.Parameters.HugePages = 512, true }, ""},
		"much memory of GPUs":       {func(f *result.File) { f.Rows[0].Span, f.Local.GPU, f.Peer.GPU = 512, "CUDA 0", "CUDA 0" }, ""},
		"much memory of a software device": {func(f *result.File) {
			f.Rows[0].Span, f.Local.Device.Software, f.Peer.Device.Software = 512, "soft-RoCE", "soft-RoCE"
		}, ""},
		"a busy sibling": {func(f *result.File) { f.Local.Tuning.Sibling = &result.Sibling{CPU: 33, Of: 1, Busy: 0.456} },
			"smt-sibling: on this side: CPU 33 was busy for 46 % of the run: it is a hardware thread of the core of the measuring thread on CPU 1. Fix: --pin_cores with a CPU of an idle core; `ps -eLo psr,pcpu,comm | awk '$1 == 33'` shows what runs there\n"},
		"an idle sibling":                 {func(f *result.File) { f.Local.Tuning.Sibling = &result.Sibling{CPU: 33, Of: 1, Busy: 0.1} }, ""},
		"a busy sibling on the only core": {func(f *result.File) { f.Local.Tuning.Sibling, f.Local.Tuning.Cores = &result.Sibling{Busy: 1}, 1 }, ""},
		"both sides on one core": {func(f *result.File) {
			f.Rows[0].Distances, f.Local.Tuning.Sibling = []string{topology.SameCore}, &result.Sibling{CPU: 33, Of: 1, Busy: 1}
		}, "smt-sides: The measuring threads of both sides ran on two hardware threads of one core: each had about half of it. Fix: --pin_cores on one side, with a CPU of another core; `lscpu -e` shows them\n"},
		"both sides on the only core": {func(f *result.File) { f.Rows[0].Distances, f.Local.Tuning.Cores = []string{topology.SameCore}, 1 }, ""},
		"both sides on two cores":     {func(f *result.File) { f.Rows[0].Distances = []string{"same L3"} }, ""},
		"different firmware": {func(f *result.File) { f.Peer.Device.Firmware = "20.28.1002" },
			"firmware: The cards have different firmware, 20.35.1012 here and 20.28.1002 at the peer: one lacks changes of the other. Fix: update the older one by the vendor's tool; `devlink dev info pci/0000:3b:00.0` shows the versions\n"},
		"firmware of different cards": {func(f *result.File) { f.Peer.Device.Firmware = "28.39.1002" }, ""},
		"unknown firmware":            {func(f *result.File) { f.Peer.Device.Firmware = "" }, ""},
		"damaged packets": {grow("symbol_error", 7),
			"link-errors: on this side: " + begin + "symbol_error by 7: packets were damaged, which are sent again. Fix: clean or replace cable and transceivers; `ibqueryerrors` shows the ports with errors\n"},
		"damaged packets on Ethernet": {ethernet(grow("rx_icrc_encapsulated", 7)),
			"link-errors: on this side: " + begin + "rx_icrc_encapsulated by 7: packets were damaged, which are sent again. Fix: clean or replace cable and transceivers; `ethtool -m ens1` shows their state\n"},
		"lost packets": {grow("port_xmit_discards", 12345),
			"lost-packets: on this side: " + begin + "port_xmit_discards by 12,345: packets were lost or overtook each other, and were sent again. Fix: `ibqueryerrors` shows the ports that discard packets\n"},
		"overtaken packets": {ethernet(grow("out_of_sequence", 3)),
			"lost-packets: on this side: " + begin + "out_of_sequence by 3: packets were lost or overtook each other, and were sent again. Fix: `rdma statistic show` and the switches' counters show where packets are discarded, and whether PFC or ECN is set up on the whole path; if switches route adaptively, QPs need out-of-order placement, which this run did not have\n"},
		"overtaken packets with out-of-order placement": {ethernet(func(f *result.File) {
			grow("out_of_sequence", 3)(f)
			f.Rows[0].Reorder = true
		}), "lost-packets: on this side: " + begin + "out_of_sequence by 3: packets were lost or overtook each other, and were sent again. Fix: `rdma statistic show` and the switches' counters show where packets are discarded, and whether PFC or ECN is set up on the whole path\n"},
		"no receives": {grow("rnr_nak_retry_err", 2),
			"receiver-not-ready: on this side: " + begin + "rnr_nak_retry_err by 2: messages found no posted receive, and were sent again after a pause. Fix: a larger --rx-depth\n"},
		"congestion": {ethernet(func(f *result.File) {
			f.Local.Tuning.Growth = map[string]uint64{"np_cnp_sent": 5, "np_ecn_marked_roce_packets": 900}
		}), "congestion: on this side: " + begin + "np_ecn_marked_roce_packets by 900 and np_cnp_sent by 5: switches marked packets as congested, and senders lowered their rates. Fix: look for other traffic to the port of the receiver; `ethtool -S ens1 | grep -iE 'ecn|pause|discard'`\n"},
		"congestion without an interface": {func(f *result.File) { grow("rp_cnp_handled", 1)(f); f.Local.Tuning.Interface = "" },
			"congestion: on this side: " + begin + "rp_cnp_handled by 1: switches marked packets as congested, and senders lowered their rates. Fix: look for other traffic to the port of the receiver; `rdma statistic show`\n"},
		"a counter that is not judged": {grow("port_xmit_data", 1), ""},
		"a run without rows":           {func(f *result.File) { f.Peer.Device.ActiveMTU, f.Rows = 2048, nil }, ""},
		"a peer without facts":         {func(f *result.File) { f.Peer.Device.ActiveMTU, f.Peer.Tuning = 2048, nil }, ""},
		"no facts":                     {func(f *result.File) { f.Local.Tuning, f.Rows[0].Distances = nil, []string{topology.SameCore} }, ""},
	} {
		f := tuned(t)
		c.change(f)
		if got := lines(doctor.OfRun(f)); got != c.want {
			t.Errorf("%s:\n%swant\n%s", what, got, c.want)
		}
	}
}

// Every counter that is judged has a finding, and none is in two groups.
// Each of several devices is judged by its own facts and rows, and the hosts once.
func TestFindingsOfSeveralDevices(t *testing.T) {
	f := tuned(t)
	second := tuned(t)
	second.Local.Device.Name, second.Peer.Device.Name = "mlx5_1", "mlx5_1"
	second.Local.Tuning.Growth = map[string]uint64{"out_of_sequence": 9}
	for _, side := range []*result.Side{&f.Local, &f.Peer} {
		from := &second.Local
		if side == &f.Peer {
			from = &second.Peer
		}
		side.More = []result.MoreDevice{{Device: from.Device, NUMA: from.NUMA, Tuning: from.Tuning}}
		side.Tuning.Boost = &result.Boost{File: "/sys/devices/system/cpu/cpufreq/boost"}
		side.More[0].Tuning.Boost = side.Tuning.Boost
	}
	one := result.DeviceRowOf(&f.Rows[0])
	f.Rows[0].Devices = []result.DeviceRow{one, one}
	boosts, grown := 0, 0
	for _, found := range doctor.OfRun(f) {
		switch {
		case found.ID == "cpu-boost":
			boosts++
		case strings.Contains(found.Sentence, "port 1 of mlx5_1 grew, out_of_sequence by 9"):
			grown++
		default:
			t.Errorf("found %+v", found)
		}
	}
	if boosts != 2 || grown != 1 {
		t.Errorf("found %d sides without boost and %d devices with counters that grew, want 2 and 1", boosts, grown)
	}
}

func TestCounters(t *testing.T) {
	seen := map[string]bool{}
	for _, name := range doctor.Counters() {
		f := tuned(t)
		f.Local.Tuning.Growth = map[string]uint64{name: 1}
		if found := doctor.OfRun(f); len(found) != 1 || seen[name] {
			t.Errorf("%s: %v, seen before: %v", name, found, seen[name])
		}
		seen[name] = true
	}
}
