package cli

import (
	"cmp"
	"os"

	"github.com/ibperf/ibperf/cmd/internal/machine"
	"github.com/ibperf/ibperf/internal/gpu"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/verbs"
)

// checkPlacement returns an error unless this process may run where --pin_cores or --numa_node say.
func (o *options) checkPlacement() error {
	if err := cmp.Or(machine.CheckCPUs(o.Own.PinCores), machine.CheckNode(os.DirFS("/"), o.Own.NUMANode)); err != nil {
		return usage(err.Error())
	}
	return nil
}

// numaNode returns the node of --numa_node; nil: the option was not given.
func (o *options) numaNode() *int {
	if o.Own.NUMANode < 0 {
		return nil
	}
	return &o.Own.NUMANode
}

// gpu returns the GPU that holds the messages of this side.
func (o *options) gpu() gpu.Device {
	switch own := &o.Own; {
	case own.CUDABus != "":
		return gpu.Device{Kind: gpu.CUDA, Bus: own.CUDABus}
	case own.CUDA >= 0:
		return gpu.Device{Kind: gpu.CUDA, Number: own.CUDA}
	case own.ROCm >= 0:
		return gpu.Device{Kind: gpu.ROCm, Number: own.ROCm}
	}
	return gpu.Device{}
}

// hints returns the hints of PCIe requests to the messages of this side; nil: none.
func (o *options) hints() *verbs.DMAHInitAttr {
	own := &o.Own
	if own.TPHHint < 0 {
		return nil
	}
	h := &verbs.DMAHInitAttr{Mask: verbs.DMAHHint, Hint: uint8(own.TPHHint)}
	if own.TPHCPU >= 0 {
		h.Mask |= verbs.DMAHCPU | verbs.DMAHMemory
		h.CPU = uint32(own.TPHCPU)
		if own.TPHMemory == option.TPHPersistent {
			h.Memory = verbs.TPHPersistent
		}
	}
	return h
}
