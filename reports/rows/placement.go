package rows

import (
	"strconv"
	"strings"

	"github.com/ibperf/ibperf/internal/printable"
	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/reports/phrase"
	"github.com/ibperf/ibperf/result"
)

// Placement returns the distance of the CPUs that the measuring threads of a row were on, and these
// CPUs: "same L3 (CPU 1 here, CPU 0 at the peer)", "same CPU (CPU 1)". Sides on two hosts have no
// distance. It returns "" if the row has no CPUs.
func (e Entry) Placement() string {
	distance, cpus := e.distance(), cpusText(e.Local.CPUs)
	if peer := cpusText(e.Peer.CPUs); peer != cpus || len(e.Peer.CPUs) != 1 || distance == "" {
		cpus = bothSides(cpus, peer, ", ")
	}
	if distance == "" || cpus == "" {
		return distance + cpus
	}
	return distance + " (" + cpus + ")"
}

// distance returns the distances of the row's CPUs: "same CPU or same L3".
func (e Entry) distance() string { return printable.Clean(strings.Join(e.Distances, " or ")) }

func cpusText(cpus []int) string {
	switch len(cpus) {
	case 0:
		return ""
	case 1:
		return "CPU " + CPUList(cpus)
	}
	return "CPUs " + CPUList(cpus)
}

// CPUList lists the numbers of CPUs: "3, 2".
func CPUList(cpus []int) string {
	var all []string
	for _, cpu := range cpus {
		all = append(all, strconv.Itoa(cpu))
	}
	return strings.Join(all, ", ")
}

// bothSides joins texts about the two sides: "CPU 1 here, CPU 0 at the peer". An empty one is left out.
func bothSides(here, peer, separator string) string {
	var all []string
	if here != "" {
		all = append(all, here+" here")
	}
	if peer != "" {
		all = append(all, peer+" at the peer")
	}
	return strings.Join(all, separator)
}

// maxPlacements is the largest number of placements of one mode that a sentence lists.
const maxPlacements = 2

// Placements returns the texts of [PlacementText], see ofRuns.
func (g *Group) Placements() []string { return g.ofRuns(PlacementText) }

// ofRuns returns a text of each run, each text once, with the runs that have it if those are not all.
func (g *Group) ofRuns(textOf func(*result.File) string) []string {
	var texts []string
	labelsOf := map[string][]string{}
	for i, f := range g.Runs {
		if text := textOf(f); text != "" {
			texts = phrase.AddNew(texts, text)
			labelsOf[text] = append(labelsOf[text], g.Label(i))
		}
	}
	for i, text := range texts {
		if len(labelsOf[text]) < len(g.Runs) {
			texts[i] = g.RunNames(labelsOf[text]) + ": " + text
		}
	}
	return texts
}

// PlacementText says where the threads that slept in a run were, and what the idle CPUs did, which both
// decide the cost of a wake-up. It returns "" if no thread slept or the file does not tell it.
func PlacementText(f *result.File) string {
	var placements []string
	modes := map[string][]string{}
	for _, name := range result.NameOrder {
		if text := placementOf(f, name); text != "" {
			placements = phrase.AddNew(placements, text)
			modes[text] = append(modes[text], name)
		}
	}
	if len(placements) == 0 {
		return ""
	}
	for i, text := range placements {
		placements[i] = strings.Join(modes[text], ", ") + ": " + text
	}
	text := "Threads that slept: " + strings.Join(placements, "; ") + "."
	if idle := idleText(f); idle != "" {
		text += " Idle states: " + idle + "."
	}
	return text
}

// idleText describes what the idle CPUs of both sides do, or returns "" if this is not known.
func idleText(f *result.File) string {
	here, peer := IdleText(f.Local.Idle), IdleText(f.Peer.Idle)
	if here == peer {
		return here
	}
	return bothSides(here, peer, "; ")
}

// placementOf returns the placements of the rows of a name in which threads slept: only the distances
// if there are many.
func placementOf(f *result.File, name string) string {
	var texts, distances []string
	for i := range f.Rows {
		e := Entry{File: f, Row: &f.Rows[i]}
		if e.Name() != name || e.Local.Sleeps+e.Peer.Sleeps == 0 {
			continue
		}
		if text := e.Placement(); text != "" {
			texts = phrase.AddNew(texts, text)
			for _, d := range e.Distances {
				distances = phrase.AddNew(distances, printable.Clean(d))
			}
		}
	}
	if len(texts) > maxPlacements && len(distances) > 0 {
		return strings.Join(distances, " or ")
	}
	return strings.Join(texts, " or ")
}

// noLatencyLimit is the limit of /dev/cpu_dma_latency without a request, in ns (Linux,
// PM_QOS_CPU_LATENCY_DEFAULT_VALUE).
const noLatencyLimit = 2e12

func usecText(ns float64) string { return strconv.FormatFloat(units.Usec(ns), 'f', -1, 64) }

// IdleText describes what an idle CPU does: "driver intel_idle, governor menu, deepest state C6 (133 usec
// to leave)". It returns "" if this is not known.
func IdleText(idle *result.Idle) string {
	switch {
	case idle == nil:
		return ""
	case idle.Driver == result.NoIdleDriver:
		return "none (the kernel has no cpuidle driver, as in many virtual machines)"
	}
	text := "driver " + idle.Driver
	if idle.Governor != "" {
		text += ", governor " + idle.Governor
	}
	if len(idle.States) > 0 {
		deepest := idle.Deepest()
		text += ", deepest state " + deepest.Name + " (" + usecText(deepest.ExitNs) + " usec to leave)"
	}
	if idle.LimitNs != nil && *idle.LimitNs < noLatencyLimit {
		text += ", limited to " + usecText(*idle.LimitNs) + " usec by /dev/cpu_dma_latency"
	}
	return printable.Clean(text)
}

// NUMAText says at which NUMA nodes device and memory of a side are: "device 1; memory 0 (2 %), 1 (98 %);
// set up on 1". It returns "" if this is not known, and on a host with one node.
func NUMAText(numa *result.NUMA) string {
	if numa == nil || numa.Nodes < 2 {
		return ""
	}
	device, memory, setUp := "device unknown", "memory unknown", "set up on unknown"
	if numa.Device != nil {
		device = "device " + strconv.Itoa(*numa.Device)
	}
	var parts []string
	for _, m := range numa.Memory {
		part := strconv.Itoa(m.Node)
		if m.Share < 1 {
			part += " (" + phrase.PercentNumber(m.Share) + " %)"
		}
		parts = append(parts, part)
	}
	if len(parts) > 0 {
		memory = "memory " + strings.Join(parts, ", ")
	}
	var nodes []string
	for _, node := range numa.SetUp {
		nodes = append(nodes, strconv.Itoa(node))
	}
	if len(nodes) > 0 {
		setUp = "set up on " + strings.Join(nodes, ", ")
	}
	return strings.Join([]string{device, memory, setUp}, "; ")
}
