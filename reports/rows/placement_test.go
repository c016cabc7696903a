package rows

import (
	"slices"
	"testing"

	"github.com/ibperf/ibperf/internal/testresult"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// onCPUs sets the CPUs of a row's threads and their distances.
func onCPUs(r *result.Row, here, peer []int, distances ...string) {
	r.Local.CPUs, r.Peer.CPUs, r.Distances = here, peer, distances
}

func TestPlacementOfARow(t *testing.T) {
	for _, c := range []struct {
		here, peer []int
		distances  []string
		want       string
	}{
		{[]int{1}, []int{0}, []string{"same L3"}, "same L3 (CPU 1 here, CPU 0 at the peer)"},
		{[]int{1}, []int{1}, []string{"same CPU"}, "same CPU (CPU 1)"},
		{[]int{0, 1}, []int{0, 1}, []string{"same CPU", "same L3"}, "same CPU or same L3 (CPUs 0, 1 here, CPUs 0, 1 at the peer)"},
		{[]int{1}, []int{1}, nil, "CPU 1 here, CPU 1 at the peer"},
		{[]int{1}, nil, nil, "CPU 1 here"},
		{nil, nil, nil, ""},
	} {
		var r result.Row
		onCPUs(&r, c.here, c.peer, c.distances...)
		if got := (Entry{Row: &r}).Placement(); got != c.want {
			t.Errorf("CPUs %v and %v, %q: %q, want %q", c.here, c.peer, c.distances, got, c.want)
		}
	}
}

func TestIdleStatesInWords(t *testing.T) {
	none, ten := 2e12, 10_000.0
	deep := []result.IdleState{{Name: "POLL"}, {Name: "C1E", ExitNs: 10_000}, {Name: "C6", ExitNs: 133_000}}
	for want, idle := range map[string]*result.Idle{
		"driver intel_idle, deepest state C6 (133 usec to leave)":                                             {Driver: "intel_idle", States: deep, LimitNs: &none},
		"driver intel_idle, deepest state C1E (10 usec to leave), limited to 10 usec by /dev/cpu_dma_latency": {Driver: "intel_idle", States: deep, LimitNs: &ten},
		"": nil,
		"none (the kernel has no cpuidle driver, as in many virtual machines)": {Driver: "none"},
		"driver intel_idle, governor menu, deepest state C1E (10 usec to leave)": {Driver: "intel_idle", Governor: "menu",
			States: []result.IdleState{{Name: "POLL"}, {Name: "C1E", ExitNs: 10_000}, {Name: "C1", ExitNs: 2000}}},
		"driver apple, deepest state WFI (0.5 usec to leave)": {Driver: "apple", States: []result.IdleState{{Name: "WFI", ExitNs: 500}}},
		"driver a\ufffdb, governor menu":                      {Driver: "a\x1bb", Governor: "menu"},
	} {
		if got := IdleText(idle); got != want {
			t.Errorf("%+v: %q, want %q", idle, got, want)
		}
	}
}

// Reports say where the threads that slept were, by mode, and name the idle states of both sides once
// if they are the same.
func TestPlacementOfThreadsThatSlept(t *testing.T) {
	f := testresult.File(t, "send", option.KindLatency, []int{8, 64, 512}, "poll", "adaptive", "event")
	if got := PlacementText(f); got != "" {
		t.Errorf("a file without CPUs: %q", got)
	}
	same := f.Rows[2]
	for i := range f.Rows {
		onCPUs(&f.Rows[i], []int{1}, []int{0}, "same L3")
		f.Rows[i].Local.Sleeps = uint64(i % 3) // poll does not sleep
	}
	same.Variant = option.VariantSameCPU
	onCPUs(&same, []int{1}, []int{1}, "same CPU")
	f.Rows = append(f.Rows, same)
	f.Local.Idle = &result.Idle{Driver: "none"}
	f.Peer.Idle = f.Local.Idle
	want := "Threads that slept: adaptive, event: same L3 (CPU 1 here, CPU 0 at the peer); event+same-cpu: same CPU (CPU 1)." +
		" Idle states: none (the kernel has no cpuidle driver, as in many virtual machines)."
	if got := PlacementText(f); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	f.Rows = slices.DeleteFunc(f.Rows, func(r result.Row) bool { return r.Name() != "event" })
	for i, here := range []int{0, 1, 2} {
		onCPUs(&f.Rows[i], []int{here}, []int{0}, map[bool]string{true: "same CPU", false: "same L3"}[here == 0])
	}
	f.Peer.Idle = &result.Idle{Driver: "acpi_idle"}
	want = "Threads that slept: event: same CPU or same L3. Idle states: none (the kernel has no cpuidle driver," +
		" as in many virtual machines) here; driver acpi_idle at the peer."
	if got := PlacementText(f); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Runs with the same placement share a sentence.
func TestRunsShareTheirPlacement(t *testing.T) {
	var files []*result.File
	for range 3 {
		f := testresult.File(t, "send", option.KindLatency, []int{8}, "event")
		onCPUs(&f.Rows[0], []int{1}, []int{0}, "same L3")
		files = append(files, f)
	}
	g := &Group{Kind: option.KindLatency, Runs: files, Numbers: []int{1, 2, 3}}
	same := "Threads that slept: event: same L3 (CPU 1 here, CPU 0 at the peer)."
	if got := g.Placements(); !slices.Equal(got, []string{same}) {
		t.Errorf("%q, want %q", got, same)
	}
	onCPUs(&files[1].Rows[0], []int{1}, []int{1}, "same CPU")
	want := []string{"[1], [3]: " + same, "[2]: Threads that slept: event: same CPU (CPU 1)."}
	if got := g.Placements(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Threads that share a CPU are compared although they sleep for fewer messages.
func TestThreadsOnOneCPUNeedNotSleep(t *testing.T) {
	f := testresult.File(t, "send", option.KindLatency, []int{8}, "event")
	r := f.Rows[0]
	r.Local.SleepsPerMessage, r.Peer.SleepsPerMessage = 0.6, 0.6
	if e := (Entry{File: f, Row: &r}); !e.HardlySlept() {
		t.Error("event that slept for 6 of 10 messages is compared")
	}
	r.Variant = option.VariantSameCPU
	if e := (Entry{File: f, Row: &r}); e.HardlySlept() {
		t.Error("event on one CPU that slept for 6 of 10 messages is not compared")
	}
}

// Nodes are shown where a host has several.
func TestNUMANodesInWords(t *testing.T) {
	whole := []result.NodeShare{{Node: 1, Share: 1}}
	for _, c := range []struct {
		numa *result.NUMA
		want string
	}{
		{nil, ""},
		{&result.NUMA{Nodes: 1, Device: new(0), Memory: []result.NodeShare{{Share: 1}}, SetUp: []int{0}}, ""},
		{&result.NUMA{Nodes: 2, Device: new(1), Memory: whole, SetUp: []int{1}}, "device 1; memory 1; set up on 1"},
		{&result.NUMA{Nodes: 2, Memory: []result.NodeShare{{Node: 0, Share: 0.02}, {Node: 1, Share: 0.98}}, SetUp: []int{0, 1}},
			"device unknown; memory 0 (2 %), 1 (98 %); set up on 0, 1"},
		{&result.NUMA{Nodes: 2}, "device unknown; memory unknown; set up on unknown"},
	} {
		if got := NUMAText(c.numa); got != c.want {
			t.Errorf("%+v: %q, want %q", c.numa, got, c.want)
		}
	}
}
