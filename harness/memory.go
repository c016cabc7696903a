package harness

import (
	"errors"
	"fmt"
	"slices"

	"github.com/ibperf/ibperf/verbs"
)

// memory is what a side registers for its messages and credits.
type memory struct {
	buf     *verbs.Buffer
	common  region   // all of it
	private []region // of each QP's rings, nil if they use the common one
}

// region is memory that the device knows.
type region struct {
	plain   verbs.MR
	relaxed verbs.MR // the same with relaxed ordering, nil if no row may use it
}

// of is the region that messages of a QP are in.
func (m *memory) of(lane int) region {
	if m.private == nil {
		return m.common
	}
	return m.private[lane]
}

// addr names a place in the memory, in requests of both sides.
func (m *memory) addr(at int) uint64 { return m.common.plain.Addr() + uint64(at) }

// lkey names the region in requests of this side.
func (r region) lkey(relaxed bool) uint32 {
	if relaxed {
		return r.relaxed.LKey()
	}
	return r.plain.LKey()
}

// relaxedRKey names the region with relaxed ordering in the peer's requests, 0 if there is none.
func (r region) relaxedRKey() uint32 {
	if r.relaxed == nil {
		return 0
	}
	return r.relaxed.RKey()
}

func (r region) close() {
	for _, mr := range []verbs.MR{r.relaxed, r.plain} {
		if mr != nil {
			mr.Close()
		}
	}
}

// allocate makes the memory, of the pages and on the NUMA node that are asked for.
func (r *rig) allocate() (err error) {
	n := r.layout.bytes()
	if d := r.cfg.Context.Device(); r.plan.HugePages && d.Backend() == "shm" {
		return errors.New("memory in huge pages: embedded devices share ordinary pages only; leave --use_hugepages out")
	}
	if r.plan.HugePages {
		r.buf, err = verbs.NewHugeBuffer(n)
	} else {
		r.buf, err = verbs.NewBuffer(n)
	}
	if err == nil && r.cfg.NUMANode != nil {
		err = r.buf.BindNUMA(*r.cfg.NUMANode)
	}
	return err
}

// register makes the memory known to the device: all of it, and with --mr_per_qp the rings
// of each QP once more by themselves.
func (r *rig) register() (err error) {
	if err := r.allocate(); err != nil {
		return err
	}
	if r.common, err = r.newRegion(r.buf.Bytes()); err != nil || !r.plan.MRPerQP {
		return err
	}
	for i := range r.plan.QPs {
		own, err := r.newRegion(r.buf.Bytes()[r.layout.tx(i):r.layout.tx(i+1)])
		if err != nil {
			return fmt.Errorf("the memory of QP %d of %d: %w", i+1, r.plan.QPs, err)
		}
		r.private = append(r.private, own)
	}
	return nil
}

// newRegion registers a part of the memory.
func (r *rig) newRegion(part []byte) (g region, err error) {
	access := rights(r.plan)
	if r.plan.ODP {
		access |= verbs.AccessOnDemand
	}
	if g.plain, err = r.pd.RegMR(part, access); err != nil {
		if r.plan.ODP {
			err = fmt.Errorf("memory with on-demand paging: %w; leave --odp out where the device does not have it", err)
		}
		return region{}, r.lacking(err)
	}
	if slices.ContainsFunc(candidates(r.plan), func(s scheme) bool { return s.relaxed }) {
		if g.relaxed, err = r.pd.RegMR(part, access|verbs.AccessRelaxedOrdering); err != nil {
			g.close()
			return region{}, fmt.Errorf("memory with PCIe relaxed ordering: %w; a driver that refuses it is served by --disable_pcie_relaxed", err)
		}
	}
	return g, nil
}

// free closes regions and memory.
func (m *memory) free() {
	for _, g := range append(m.private, m.common) {
		g.close()
	}
	if m.buf != nil {
		m.buf.Close()
	}
}
