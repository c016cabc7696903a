package setup

import (
	"errors"
	"fmt"

	"github.com/ibperf/ibperf/harness/internal/affinity"
	"github.com/ibperf/ibperf/verbs"
)

// makeHandle makes the handle that the messages' memory is registered with, if this side has hints.
func (r *Resources) makeHandle() (err error) {
	init := r.cfg.Hints
	if init == nil {
		return nil
	}
	handler, ok := r.cfg.Context.(verbs.DMAHandler)
	if !ok {
		return errors.New("hints in PCIe requests (--ph): embedded devices have no PCIe: name an RDMA device with -d")
	}
	alloc := func() { r.handle, err = handler.AllocDMAH(init) }
	if init.Mask&verbs.DMAHCPU == 0 {
		alloc()
	} else if moved := affinity.On(int(init.CPU), alloc); moved != nil {
		// Linux makes handles only for CPUs that the calling thread may run on (uverbs_std_types_dmah.c in
		// drivers/infiniband/core), and this one is kept near the device.
		return fmt.Errorf("--cpu_id %d: this process cannot run on that CPU: %w", init.CPU, moved)
	}
	if err != nil {
		return fmt.Errorf("hints in PCIe requests (--ph): %w", err)
	}
	return nil
}

// newMessageRegion registers memory of messages, with the handle if there is one.
func (r *Resources) newMessageRegion(part []byte) (Region, error) {
	if r.handle == nil {
		return r.newRegion(part)
	}
	return r.newRegionBy(func(access verbs.Access) (verbs.MR, error) {
		return r.pd.(verbs.HintedRegistrar).RegMRHinted(part, access, r.handle)
	})
}
