package doctor

import (
	"slices"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// run is one side of a run with rows.
type run struct {
	file   *result.File
	member string // of the file that has the side: result.SideLocal or result.SidePeer
	*result.Side
	cost func(*result.Row) *result.Cost // of the side
}

func always(*run) bool { return true }
func never(*run) bool  { return false }

func (r *run) bandwidth() bool { return r.file.Kind == option.KindBandwidth }

// fullLink is the part of a PCIe link's rate from which on the link probably limits a run: requests have headers, and
// completions and doorbells cross the link too.
const fullLink = 0.7

// fillsLink reports whether a row has most of what a PCIe link of the side carries in one direction.
func (r *run) fillsLink() bool {
	p := r.Tuning.PCI
	if p == nil || !r.bandwidth() {
		return false
	}
	least := 0.0
	for _, link := range []*result.PCILink{p.Link, p.Above} {
		if link != nil && (least == 0 || link.Rate < least) {
			least = link.Rate
		}
	}
	return least > 0 && r.fastest() >= fullLink*least
}

// fastest returns the largest rate of a row in one direction, in bytes/s.
func (r *run) fastest() (rate float64) {
	for i := range r.file.Rows {
		switch row := &r.file.Rows[i]; {
		case row.FromClient != nil && row.FromServer != nil:
			rate = max(rate, row.FromClient.Average, row.FromServer.Average)
		case row.Bandwidth != nil:
			rate = max(rate, row.Bandwidth.Average)
		}
	}
	return rate
}

// relaxed reports whether messages were in memory with relaxed ordering.
func (r *run) relaxed() bool {
	return slices.ContainsFunc(r.file.Rows, func(row result.Row) bool { return row.Relaxed })
}

// fragments reports whether messages were longer than a packet.
func (r *run) fragments() bool {
	return slices.ContainsFunc(r.file.Rows, func(row result.Row) bool { return row.Size > r.Device.ActiveMTU })
}

// slept reports whether a measuring thread of the side slept for completion events.
func (r *run) slept() bool {
	return slices.ContainsFunc(r.file.Rows, func(row result.Row) bool { return r.cost(&row).Sleeps > 0 })
}

// gather returns the numbers that a function returns of the rows' costs, each once, from small to large.
func (r *run) gather(of func(*result.Cost) []int) (all []int) {
	for i := range r.file.Rows {
		all = append(all, of(r.cost(&r.file.Rows[i]))...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// nodes returns the NUMA nodes of the CPUs that measuring threads of the side were on, and cpus the CPUs.
func (r *run) nodes() []int { return r.gather(func(c *result.Cost) []int { return c.NUMANodes }) }
func (r *run) cpus() []int  { return r.gather(func(c *result.Cost) []int { return c.CPUs }) }
