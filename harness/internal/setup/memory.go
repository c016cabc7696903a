package setup

import (
	"errors"
	"fmt"
	"os"

	"github.com/ibperf/ibperf/internal/gpu"
	"github.com/ibperf/ibperf/verbs"
)

// memory holds the registered memory of a side's messages and credits.
type memory struct {
	Buffer  *verbs.Buffer
	Common  Region   // all of the memory
	private []Region // one for each QP's rings, with --mr_per_qp; else nil

	// With --use_cuda or --use_rocm messages are in memory of a GPU. Its region has the addresses of Buffer in
	// requests, so that keys alone select the memory. Credits stay in Buffer, as the CPU writes and reads them.
	GPU *gpu.Memory

	handle   verbs.DMAH // with --ph, of the messages' regions; else nil
	messages Region     // with one of these options: of the messages alone
}

// Region is registered memory.
type Region struct {
	Plain   verbs.MR
	relaxed verbs.MR // the same memory with relaxed ordering; nil if no test case uses it
}

// regionFor returns the region of the messages of a QP.
func (m *memory) regionFor(conn int) Region {
	switch {
	case m.private != nil:
		return m.private[conn]
	case m.messages.Plain != nil:
		return m.messages
	}
	return m.Common
}

// Addr returns the address of an offset in requests of both sides.
func (m *memory) Addr(at int) uint64 { return m.Common.Plain.Addr() + uint64(at) }

// LKey returns the key of the region in requests of this side.
func (r Region) LKey(relaxed bool) uint32 {
	if relaxed {
		return r.relaxed.LKey()
	}
	return r.Plain.LKey()
}

// relaxedRKey returns the key of the region with relaxed ordering in the peer's requests, or 0.
func (r Region) relaxedRKey() uint32 {
	if r.relaxed == nil {
		return 0
	}
	return r.relaxed.RKey()
}

func (r Region) close() {
	for _, mr := range []verbs.MR{r.relaxed, r.Plain} {
		if mr != nil {
			mr.Close()
		}
	}
}

// allocate allocates the memory, with the pages and on the NUMA node of the options.
func (r *Resources) allocate() (err error) {
	n := r.Set.Layout.Bytes()
	if d := r.cfg.Context.Device(); r.Set.Plan.HugePages && d.Backend() == "shm" {
		return errors.New("memory in huge pages: embedded devices share ordinary pages only; leave --use_hugepages out")
	}
	if r.Set.Plan.HugePages {
		r.Buffer, err = verbs.NewHugeBuffer(n)
	} else {
		r.Buffer, err = verbs.NewBuffer(n)
	}
	if err == nil && r.cfg.NUMANode != nil {
		err = r.Buffer.BindNUMA(*r.cfg.NUMANode)
	}
	if err == nil {
		accessPages(r.Buffer.Bytes())
	}
	return err
}

// accessPages makes the kernel allocate all pages, near the CPU of this thread. Registration does so too,
// except that of embedded devices and with on-demand paging.
func accessPages(b []byte) {
	for at := 0; at < len(b); at += os.Getpagesize() {
		b[at] = 0
	}
}

// register allocates and registers the memory: as one region and, with --mr_per_qp, the rings of
// each QP as another. With --ph all rings, or those of each QP, are regions with hints.
func (r *Resources) register() (err error) {
	if err := r.allocate(); err != nil {
		return err
	}
	if r.Common, err = r.newRegion(r.Buffer.Bytes()); err != nil {
		return err
	}
	if r.cfg.GPU.Is() {
		return r.registerGPU()
	}
	if err := r.makeHandle(); err != nil {
		return err
	}
	if !r.Set.Plan.MRPerQP {
		if r.handle != nil {
			r.messages, err = r.newMessageRegion(r.Buffer.Bytes()[:r.Set.Layout.Tx(r.Set.Plan.QPs)])
		}
		return err
	}
	for i := range r.Set.Plan.QPs {
		own, err := r.newMessageRegion(r.Buffer.Bytes()[r.Set.Layout.Tx(i):r.Set.Layout.Tx(i+1)])
		if err != nil {
			return fmt.Errorf("the memory of QP %d of %d: %w", i+1, r.Set.Plan.QPs, err)
		}
		r.private = append(r.private, own)
	}
	return nil
}

// registerGPU allocates memory of the GPU and registers it for the messages.
func (r *Resources) registerGPU() (err error) {
	pd, ok := r.pd.(verbs.DMABufRegistrar)
	if !ok {
		return fmt.Errorf("memory of %s: embedded devices register main memory only: name an RDMA device with -d", r.cfg.GPU)
	}
	n := r.Set.Layout.Bytes()
	if r.GPU, err = gpu.Allocate(r.cfg.GPU, n); err != nil {
		return err
	}
	r.messages, err = r.newRegionBy(func(access verbs.Access) (verbs.MR, error) {
		return pd.RegDMABufMR(r.GPU.Offset, n, r.Common.Plain.Addr(), r.GPU.FD, access)
	})
	if err != nil {
		return fmt.Errorf("memory of %s, %s: %w", r.cfg.GPU, r.GPU.Name, err)
	}
	return nil
}

// newRegion registers a part of the memory.
func (r *Resources) newRegion(part []byte) (Region, error) {
	return r.newRegionBy(func(access verbs.Access) (verbs.MR, error) { return r.pd.RegMR(part, access) })
}

// newRegionBy registers memory, also with relaxed ordering if a test case uses it.
func (r *Resources) newRegionBy(register func(verbs.Access) (verbs.MR, error)) (g Region, err error) {
	access := r.Set.Access()
	if r.Set.Plan.ODP {
		access |= verbs.AccessOnDemand
	}
	if g.Plain, err = register(access); err != nil {
		if r.Set.Plan.ODP {
			err = fmt.Errorf("memory with on-demand paging: %w; leave --odp out if the device does not support it", err)
		}
		return Region{}, r.explainUnsupported(err)
	}
	if r.Set.Relaxed() {
		if g.relaxed, err = register(access | verbs.AccessRelaxedOrdering); err != nil {
			g.close()
			return Region{}, fmt.Errorf("memory with PCIe relaxed ordering: %w; use --disable_pcie_relaxed if the driver refuses it", err)
		}
	}
	return g, nil
}

// free closes regions and memory.
func (m *memory) free() {
	for _, g := range append(m.private, m.messages, m.Common) {
		g.close()
	}
	if m.handle != nil {
		m.handle.Close()
	}
	if m.GPU != nil {
		m.GPU.Close()
	}
	if m.Buffer != nil {
		m.Buffer.Close()
	}
}
