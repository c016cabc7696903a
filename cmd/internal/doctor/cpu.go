package doctor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ibperf/ibperf/internal/topology"
	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/reports/phrase"
	"github.com/ibperf/ibperf/result"
)

func governor(side *result.Side) (sentence, fix string) {
	if !side.VariesFrequency() {
		return "", ""
	}
	return fmt.Sprintf("The CPU frequency governor is %s: a core raises its clock only some time after it has work.", side.Governor),
		"`cpupower frequency-set -g performance`"
}

func boost(side *result.Side) (sentence, fix string) {
	b := side.Tuning.Boost
	if b == nil || b.On {
		return "", ""
	}
	on := 1
	if strings.HasSuffix(b.File, "no_turbo") {
		on = 0
	}
	return "CPU boost is off: the core of a measuring thread keeps its base clock, also while all others are idle.",
		fmt.Sprintf("`echo %d > %s`", on, b.File)
}

func idleStates(side *result.Side) (sentence, fix string) {
	if side.Idle == nil {
		return "", ""
	}
	deepest := side.Idle.Deepest()
	if deepest.ExitNs <= result.ShallowExitNs {
		return "", ""
	}
	return fmt.Sprintf("An idle CPU enters %s, which it needs %g usec to leave: a thread that sleeps for a completion event wakes later by that time.",
			deepest.Name, units.Usec(deepest.ExitNs)),
		fmt.Sprintf("--cpu-dma-latency 0 on both sides for a run, or `cpupower idle-set -D %d` for all programs", result.ShallowExitNs/1000+1)
}

// crossing says what a distant NUMA node costs.
const crossing = "each access crosses the link between sockets"

// allowedNodes judges where this process may run.
func allowedNodes(side *result.Side) (sentence, fix string) {
	node, known := deviceNode(side)
	if !known || len(side.Tuning.Nodes) == 0 || slices.Contains(side.Tuning.Nodes, node) {
		return "", ""
	}
	return fmt.Sprintf("Processes started here may run on no CPU of NUMA node %d, where %s is: %s.", node, side.Device.Name, crossing),
		fmt.Sprintf("`numactl --cpunodebind=%d --membind=%d` before the command, unless a cpuset forbids it (`cat /proc/self/cgroup`)", node, node)
}

// threadNodes judges where the measuring threads of a side ran.
func threadNodes(r *run) (sentence, fix string) {
	node, known := deviceNode(r.Side)
	others := slices.DeleteFunc(r.nodes(), func(n int) bool { return n == node })
	if !known || len(others) == 0 {
		return "", ""
	}
	return fmt.Sprintf("The measuring thread ran on NUMA node %s, and %s is on node %d: %s.", numbers(others), r.Device.Name, node, crossing),
		fmt.Sprintf("--numa_node %d", node)
}

// deviceNode returns the NUMA node of a side's device, and whether it is known.
func deviceNode(side *result.Side) (node int, known bool) {
	if side.NUMA == nil || side.NUMA.Device == nil {
		return 0, false
	}
	return *side.NUMA.Device, true
}

// interruptNode judges where the interrupts of the completion vector go.
func interruptNode(side *result.Side) (sentence, fix string) {
	node, known := deviceNode(side)
	i := side.Tuning.Interrupt
	if !known || i == nil || len(i.Nodes) == 0 || slices.Contains(i.Nodes, node) || side.Tuning.PCI == nil {
		return "", ""
	}
	return interruptText(side) + fmt.Sprintf(", and the device is on node %d.", node),
		fmt.Sprintf("`cat /sys/bus/pci/devices/%s/local_cpulist > /proc/irq/%d/smp_affinity_list`, with irqbalance stopped", side.Tuning.PCI.Address, i.Number)
}

// threadInterrupt judges where the interrupts go that wake a measuring thread.
func threadInterrupt(r *run) (sentence, fix string) {
	i, nodes, cpus := r.Tuning.Interrupt, r.nodes(), r.cpus()
	if i == nil || len(i.Nodes) == 0 || len(nodes) == 0 || len(cpus) == 0 || !r.slept() {
		return "", ""
	}
	if slices.ContainsFunc(nodes, func(n int) bool { return slices.Contains(i.Nodes, n) }) {
		return "", ""
	}
	return interruptText(r.Side) + fmt.Sprintf(", and wakes a thread on node %s.", numbers(nodes)),
		fmt.Sprintf("`echo %d > /proc/irq/%d/smp_affinity_list`, with irqbalance stopped", cpus[0], i.Number)
}

// interruptText says which CPUs the completion vector of a side interrupts.
func interruptText(side *result.Side) string {
	i := side.Tuning.Interrupt
	return fmt.Sprintf("Completion vector %d of %s (IRQ %d) interrupts CPU %s of NUMA node %s", i.Vector, side.Device.Name, i.Number, i.CPUs, numbers(i.Nodes))
}

// siblingBusy is the part of the time from which on a busy hardware thread takes a noticeable part of its core from
// a measuring thread.
const siblingBusy = 0.2

// busySibling judges what other work the cores of measuring threads had.
func busySibling(r *run) (sentence, fix string) {
	s := r.Tuning.Sibling
	if s == nil || s.Busy < siblingBusy || r.Tuning.Cores < 2 || onOneCore(r.file) {
		return "", ""
	}
	return fmt.Sprintf("CPU %d was busy for %.0f %% of the run: it is a hardware thread of the core of the measuring thread on CPU %d.", s.CPU, 100*s.Busy, s.Of),
		fmt.Sprintf("--pin_cores with a CPU of an idle core; `ps -eLo psr,pcpu,comm | awk '$1 == %d'` shows what runs there", s.CPU)
}

// sidesOnOneCore judges the CPUs of both sides' threads, if the sides are on one host.
func sidesOnOneCore(f *result.File) (sentence, fix string) {
	if !onOneCore(f) || f.Local.Tuning == nil || f.Local.Tuning.Cores < 2 {
		return "", ""
	}
	return "The measuring threads of both sides ran on two hardware threads of one core: each had about half of it.",
		"--pin_cores on one side, with a CPU of another core; `lscpu -e` shows them"
}

// onOneCore reports whether the threads of both sides were on one core in any row.
func onOneCore(f *result.File) bool {
	return slices.ContainsFunc(f.Rows, func(r result.Row) bool { return slices.Contains(r.Distances, topology.SameCore) })
}

// numbers lists numbers in words: "0 and 1".
func numbers(all []int) string {
	var texts []string
	for _, n := range all {
		texts = append(texts, fmt.Sprint(n))
	}
	return phrase.List(texts)
}
