package oob

import (
	"strings"
	"testing"

	"github.com/ibperf/ibperf/result"
	"github.com/ibperf/ibperf/verbs"
)

// A promise with an answer that no device gives, or with too many or too long texts, is refused.
func TestPromiseCheck(t *testing.T) {
	for name, p := range map[string]Promise{
		"order = -9 ":         {Order: -9},
		"order = 99 ":         {Order: 99},
		"kept = -1 ":          {MaxScatterToCQE: -1},
		"unlike = 4 ":         {PathDifferences: []string{"a", "b", "c", "d"}},
		"numa.nodes = 1025 ":  {Side: result.Side{NUMA: &result.NUMA{Nodes: 1025}}},
		"numa.node = -1 ":     {Side: result.Side{NUMA: &result.NUMA{Device: new(-1)}}},
		"numa.node = 1024 ":   {Side: result.Side{NUMA: &result.NUMA{SetUp: []int{0, 1024}}}},
		"numa.memory = 1025 ": {Side: result.Side{NUMA: &result.NUMA{Memory: make([]result.NodeShare, 1025)}}},
		"numa.share = 1.5 ":   {Side: result.Side{NUMA: &result.NUMA{Memory: []result.NodeShare{{Node: 1, Share: 1.5}}}}},
		"max_mtu_bytes = -1 ": {Side: result.Side{Device: result.Device{MaxMTU: -1}}},
		"tuning.network_int":  tuned(result.Tuning{Interface: "eth0; reboot"}),
		"tuning.counter_grow": tuned(result.Tuning{Growth: map[string]uint64{"`reboot`": 1}}),
		"tuning.allowed_node": tuned(result.Tuning{Nodes: []int{-1}}),
		"tuning.boost.file i": tuned(result.Tuning{Boost: &result.Boost{File: "/sys/$(reboot)"}}),
		"tuning.pci.address ": tuned(result.Tuning{PCI: &result.PCI{Address: strings.Repeat("0", 101)}}),
		"tuning.pci.width = ": tuned(result.Tuning{PCI: &result.PCI{Above: &result.PCILink{Width: 33}}}),
		"tuning.interrupt.cp": tuned(result.Tuning{Interrupt: &result.Interrupt{CPUs: "0&"}}),
		"tuning.interrupt.ir": tuned(result.Tuning{Interrupt: &result.Interrupt{Number: -1}}),
		"tuning.huge_pages.f": tuned(result.Tuning{HugePages: &result.HugePages{Free: -1}}),
		"tuning.busiest_sibl": tuned(result.Tuning{Sibling: &result.Sibling{Busy: 1.1}}),
		"more_devices = 16 ":  {Side: result.Side{More: make([]result.MoreDevice, 16)}, MoreCPUs: make([][]int, 16)},
		"more_cpus = 1 out":   {MoreCPUs: [][]int{{0}}},
		"active_mtu_bytes = ": {Side: result.Side{More: []result.MoreDevice{{Device: result.Device{ActiveMTU: -1}}}}, MoreCPUs: make([][]int, 1)},
		"numa.nodes = 1026 ":  {Side: result.Side{More: []result.MoreDevice{{NUMA: &result.NUMA{Nodes: 1026}}}}, MoreCPUs: make([][]int, 1)},
		"tuning.huge_pages.t": {Side: result.Side{More: []result.MoreDevice{{Tuning: &result.Tuning{HugePages: &result.HugePages{Total: -1}}}}}, MoreCPUs: make([][]int, 1)},
		"unlike is 1001 b":    {PathDifferences: []string{strings.Repeat("x", 1001)}},
	} {
		if err := p.Check(); err == nil || !strings.HasPrefix(err.Error(), name) {
			t.Errorf("Check = %v, want %q", err, name)
		}
	}
	good := Promise{Order: verbs.OrderWhole, MaxScatterToCQE: 32, PathDifferences: []string{"the service level is 0, asked for was 3"}}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
	good.Side.NUMA = &result.NUMA{Nodes: 2, Device: new(1), SetUp: []int{1}, Memory: []result.NodeShare{{Node: 0, Share: 0.25}, {Node: 1, Share: 0.75}}}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
}

// tuned returns a promise of a side whose host is set up so.
func tuned(t result.Tuning) Promise { return Promise{Side: result.Side{Tuning: &t}} }

// What a correct side tells about the setup of its host is accepted.
func TestTuningCheck(t *testing.T) {
	link := &result.PCILink{Speed: 16, Width: 16, Rate: 31.5e9}
	good := tuned(result.Tuning{
		PCI:       &result.PCI{Address: "0000:3b:00.0", Link: link, Largest: link, Slot: link, Above: link, AboveAt: "0000:3a:00.0", IOMMU: result.IOMMULazy, RelaxedOrdering: new(true)},
		Interrupt: &result.Interrupt{Vector: 3, Number: 143, CPUs: "0-15,32-47", Nodes: []int{0}},
		Interface: "enp59s0f0np0.100", Boost: &result.Boost{On: true, File: "/sys/devices/system/cpu/cpufreq/boost"},
		LockLimit: new(uint64(8 << 20)), HugePages: &result.HugePages{Bytes: 2 << 20, Total: 512, Free: 512}, Nodes: []int{0, 1}, Cores: 64,
		Sibling: &result.Sibling{CPU: 130, Of: 2, Busy: 0.99}, Growth: map[string]uint64{"np_cnp_sent": 5},
	})
	if err := good.Check(); err != nil {
		t.Error(err)
	}
}

// A round has the CPUs of all threads at most.
func TestCPUsOfARound(t *testing.T) {
	for name, cpus := range map[string][]int{"": {-1, 7}, "cpus = -2 ": {0, -2}, "cpus = 3 ": {0, 1, 2}} {
		err := (&Round{CPUs: cpus}).Check(Limits{Threads: 2})
		if (err == nil) != (name == "") || err != nil && !strings.HasPrefix(err.Error(), name) {
			t.Errorf("Check = %v, want %q", err, name)
		}
	}
}

// The nodes of measuring threads are those of a host.
func TestNodesOfARound(t *testing.T) {
	for name, nodes := range map[string][]int{
		"": {0, 1023}, "numa_nodes = -1 ": {0, -1}, "numa_nodes = 1024 ": {1024}, "numa_nodes = 4000 ": make([]int, 4000),
	} {
		err := (&Round{Nodes: nodes}).Check(Limits{})
		if (err == nil) != (name == "") || err != nil && !strings.HasPrefix(err.Error(), name) {
			t.Errorf("Check = %v, want %q", err, name)
		}
	}
}

// Of several devices a round and a row have a part for each, which is checked, and has no parts itself.
func TestPartsOfDevices(t *testing.T) {
	two, one := Limits{Devices: 2, Threads: 2, Kind: "bw", Size: 8}, Limits{Devices: 1, Threads: 2, Kind: "bw", Size: 8}
	bad := &result.Bandwidth{Seconds: -1}
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"two parts", (&Round{Devices: make([]Round, 2)}).Check(two), ""},
		{"no parts of one device", (&Round{}).Check(one), ""},
		{"one part of two", (&Round{Devices: make([]Round, 1)}).Check(two), "devices has 1 parts, want 2"},
		{"parts of one device", (&Round{Devices: make([]Round, 1)}).Check(one), "devices has 1 parts, want 0"},
		{"a part of a part", (&Round{Devices: []Round{{}, {Devices: make([]Round, 2)}}}).Check(two), "devices.devices has 2 parts, want 0"},
		{"an impossible part", (&Round{Devices: []Round{{}, {CPU: -2}}}).Check(two), "devices.cpu = -2"},
		{"two parts of a row", (&Row{Devices: make([]Row, 2)}).Check(two), ""},
		{"one part of a row", (&Row{Devices: make([]Row, 1)}).Check(two), "devices has 1 parts, want 2"},
		{"an impossible part of a row", (&Row{Devices: []Row{{}, {Bandwidth: bad}}}).Check(two), "devices.bandwidth.seconds = -1"},
	} {
		text := ""
		if c.err != nil {
			text = c.err.Error()
		}
		if !strings.HasPrefix(text, c.want) || c.want == "" && text != "" {
			t.Errorf("%s: %q, want %q", c.name, text, c.want)
		}
	}
}
