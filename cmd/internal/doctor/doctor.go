// Package doctor finds what probably costs performance: it judges facts about a host, a device and a run, and says in
// one sentence each what is wrong and with which command it is mended. The facts are members of a result file; package
// machine and the engine read them. A fact that could not be read is not judged.
package doctor

import (
	"slices"

	"github.com/ibperf/ibperf/result"
)

// A judgment returns a sentence about a side and what mends it; "" if there is nothing to mend.
type judgment func(*result.Side) (sentence, fix string)

// A rule judges a host or a device, whatever runs on it.
type rule struct {
	id    string
	judge judgment
	costs func(*run) bool // reports whether it probably costs a run something; nil: the run has a warning of its own
}

// hostRules are about a host, deviceRules about a device of it and one of the device's ports.
var (
	hostRules = []rule{
		{"cpu-governor", governor, nil},
		{"cpu-boost", boost, always},
		{"idle-states", idleStates, nil},
		{"memlock", lockLimit, never},
		{"huge-pages", hugePages, never}, // of a run, by its memory
	}
	deviceRules = []rule{
		{"pcie-link", pcieLink, (*run).fillsLink},
		{"pcie-above", pcieAbove, (*run).fillsLink},
		{"iommu", iommu, (*run).bandwidth},
		{"relaxed-ordering", relaxedOrdering, (*run).relaxed},
		{"mtu", mtu, (*run).fragments},
		{"cpu-node", allowedNodes, never}, // of a run, by its threads
		{"interrupt", interruptNode, never},
	}
)

// runRules judge facts that only runs have.
var runRules = []struct {
	id    string
	judge func(*run) (sentence, fix string)
}{
	{"cpu-node", threadNodes},
	{"interrupt", threadInterrupt},
	{"huge-pages", smallPages},
	{"smt-sibling", busySibling},
	{"link-errors", counted(linkErrors)},
	{"lost-packets", counted(lostPackets)},
	{"receiver-not-ready", counted(notReady)},
	{"congestion", counted(congestion)},
}

// pairRules judge both sides of a run together.
var pairRules = []struct {
	id    string
	judge func(*result.File) (sentence, fix string)
}{
	{"smt-sides", sidesOnOneCore},
	{"firmware", firmware},
}

// OfHost returns the findings about the host of a side.
func OfHost(side *result.Side) []result.Finding { return judge(hostRules, side) }

// OfDevice returns the findings about the device and the port of a side.
func OfDevice(side *result.Side) []result.Finding { return judge(deviceRules, side) }

func judge(rules []rule, side *result.Side) (all []result.Finding) {
	if side.Tuning == nil {
		return nil
	}
	for _, r := range rules {
		all = add(all, r.id, "", r.judge, side)
	}
	return all
}

// add appends the finding of a judgment, if there is one.
func add[T any](all []result.Finding, id, side string, judge func(T) (sentence, fix string), about T) []result.Finding {
	if sentence, fix := judge(about); sentence != "" {
		all = append(all, result.Finding{ID: id, Side: side, Sentence: sentence, Fix: fix})
	}
	return all
}

// OfRun returns the findings that probably cost the run of a file performance. It leaves out what warnings of the
// file say: the frequency governor, idle states that threads slept in, and memory on another NUMA node.
func OfRun(f *result.File) (all []result.Finding) {
	if len(f.Rows) == 0 {
		return nil
	}
	if devices := f.OfDevices(); devices != nil {
		return ofEach(devices)
	}
	for _, r := range []*run{
		{f, result.SideLocal, &f.Local, func(r *result.Row) *result.Cost { return &r.Local }},
		{f, result.SidePeer, &f.Peer, func(r *result.Row) *result.Cost { return &r.Peer }},
	} {
		if r.Tuning != nil {
			all = append(all, r.findings()...)
		}
	}
	for _, p := range pairRules {
		all = add(all, p.id, "", p.judge, f)
	}
	return all
}

// ofEach returns the findings of the devices of a run, those about a host once.
func ofEach(devices []*result.File) (all []result.Finding) {
	for _, f := range devices {
		for _, found := range OfRun(f) {
			if !slices.Contains(all, found) {
				all = append(all, found)
			}
		}
	}
	return all
}

// findings returns the findings about one side of a run.
func (r *run) findings() (all []result.Finding) {
	for _, rules := range [][]rule{deviceRules, hostRules} {
		for _, rule := range rules {
			if rule.costs != nil && rule.costs(r) {
				all = add(all, rule.id, r.member, rule.judge, r.Side)
			}
		}
	}
	for _, rule := range runRules {
		all = add(all, rule.id, r.member, rule.judge, r)
	}
	return all
}
