package oob

import (
	"cmp"
	"fmt"
	"math"

	"github.com/ibperf/ibperf/result"
)

// Bounds of what a peer tells about the setup of its host.
const (
	maxWidth  = 32      // of a PCIe link
	maxSpeed  = 1000    // GT/s
	maxMTU    = 1 << 16 // bytes
	maxIRQ    = 1 << 24
	maxPages  = math.MaxInt32
	maxGrown  = 64      // counters
	maxListed = 1 << 13 // CPUs of a list
)

// checkPlain returns an error for a text that could do harm in a command.
func checkPlain(name, text string) error {
	if !result.IsPlain(text) {
		return fmt.Errorf("%s is %.100q, want at most 100 letters, digits and %s", name, text, result.PlainMarks)
	}
	return nil
}

// checkTuning returns an error for the first impossible value of what a peer tells about its host.
func checkTuning(t *result.Tuning) error {
	err := cmp.Or(
		checkPlain("network_interface", t.Interface),
		check{"allowed_cores", float64(t.Cores), 0, maxCPU, nil}.err(),
		check{"counter_growth", float64(len(t.Growth)), 0, maxGrown, reason("counters")}.err(),
		checkNodes("allowed_nodes", t.Nodes),
	)
	if p := t.PCI; p != nil {
		err = cmp.Or(err, inMember("pci", checkPCI(p)))
	}
	if i := t.Interrupt; i != nil {
		err = cmp.Or(err, inMember("interrupt", checkInterrupt(i)))
	}
	if t.Boost != nil {
		err = cmp.Or(err, checkPlain("boost.file", t.Boost.File))
	}
	if h := t.HugePages; h != nil {
		err = cmp.Or(err, inMember("huge_pages", checkAll(
			checkRate("size_bytes", float64(h.Bytes)), check{"total", float64(h.Total), 0, maxPages, nil}, check{"free", float64(h.Free), 0, maxPages, nil})))
	}
	if s := t.Sibling; s != nil {
		err = cmp.Or(err, inMember("busiest_sibling", checkAll(
			check{"cpu", float64(s.CPU), 0, maxCPU, nil}, check{"of_cpu", float64(s.Of), 0, maxCPU, nil}, check{"busy", s.Busy, 0, 1, nil})))
	}
	for name := range t.Growth {
		err = cmp.Or(err, checkPlain("counter_growth", name))
	}
	return err
}

func checkPCI(p *result.PCI) error {
	err := cmp.Or(checkPlain("address", p.Address), checkPlain("link_above_at", p.AboveAt), checkPlain("iommu_group_type", p.IOMMU))
	for _, link := range []*result.PCILink{p.Link, p.Largest, p.Slot, p.Above} {
		if link != nil {
			err = cmp.Or(err, checkAll(
				check{"speed_gt_per_s", link.Speed, 0, maxSpeed, nil}, check{"width", float64(link.Width), 0, maxWidth, nil}, checkRate("rate_bytes_per_s", link.Rate)))
		}
	}
	return err
}

func checkInterrupt(i *result.Interrupt) error {
	return cmp.Or(
		check{"completion_vector", float64(i.Vector), 0, maxIRQ, nil}.err(),
		check{"irq", float64(i.Number), 0, maxIRQ, nil}.err(),
		checkPlain("cpus", i.CPUs),
		checkNodes("numa_nodes", i.Nodes),
	)
}
