package option

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
)

// gpuOptions place the messages of a side in memory of a GPU.
var gpuOptions = []*Option{
	{
		Name: "use_cuda", Argument: "N", Group: groupDevice, Scope: PerSide, Only: notAtomic, Default: "main memory",
		Help:     "messages of this side are in memory of the NVIDIA GPU with this number, registered by its dma-buf; not with mode data",
		Perftest: "always by dma-buf; without mode data, whose promise is about data that the CPU reads",
		Excludes: []Exclusion{{Name: "use_cuda_bus_id", Why: oneGPU}, {Name: "use_rocm", Why: oneGPU}},
		value:    numberOr(func(s *Settings) *int { return &s.Own.CUDA }, -1, 0, 255),
	}, {
		Name: "use_cuda_bus_id", Argument: "ADDR", Group: groupDevice, Scope: PerSide, Only: notAtomic,
		Help:     "the same, with the GPU's PCI address, such as 3b:00.0 or 0000:3b:00.0",
		Perftest: "as --use_cuda",
		Excludes: []Exclusion{{Name: "use_rocm", Why: oneGPU}},
		value:    text(func(s *Settings) *string { return &s.Own.CUDABus }, legalPCI),
	}, {
		Name: "use_rocm", Argument: "N", Group: groupDevice, Scope: PerSide, Only: notAtomic, Default: "main memory",
		Help:     "messages of this side are in memory of the AMD GPU with this number, registered by its dma-buf; not with mode data",
		Perftest: "as --use_cuda",
		value:    numberOr(func(s *Settings) *int { return &s.Own.ROCm }, -1, 0, 255),
	},
}

const oneGPU = "each names the GPU that holds the messages"

func notAtomic(t Test) bool { return !t.Atomic() }

var pciAddress = regexp.MustCompile(`^([0-9a-fA-F]{4,8}:)?[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7]$`)

func legalPCI(address string) error {
	if !pciAddress.MatchString(address) {
		return errors.New("write a PCI address as lspci prints it: 3b:00.0 or 0000:3b:00.0")
	}
	return nil
}

// checkGPU refuses what the CPU would do with messages that are in memory of a GPU, and memory of other kinds.
func (s *Settings) checkGPU() error {
	i := slices.IndexFunc(gpuOptions, func(o *Option) bool { return o.isGiven(s) })
	if i < 0 {
		return nil
	}
	if s.Atomic() {
		return fmt.Errorf("%s: atomic operations are on main memory only", gpuOptions[i].Written(s))
	}
	for _, c := range []struct {
		given     bool
		name, why string
	}{
		{s.Completion == ModeData, "completion data", "a promise of data order is about data that the CPU reads: use poll, adaptive or event"},
		{s.ForceData, "force-data", "the CPU does not see when a message arrives in memory of a GPU"},
		{slices.Contains(s.Also, VariantLook) || slices.Contains(s.Also, VariantFlag), "also look and flag", "the CPU does not see when a message arrives in memory of a GPU"},
		{s.Verify, "verify", "the CPU cannot read the messages: check them with both sides in main memory"},
		{s.Touch == TouchRead || s.Touch == TouchWrite, "touch", "the CPU cannot access the messages: give none"},
		{s.Compare && s.Touch == TouchDefault, "compare", "it reads each message, which the CPU cannot: give --touch none"},
		{s.Own.Payload != "", "payload_file_path", "the CPU does not write the messages"},
		{s.Inline > 0, "inline_size", "the CPU copies inline data: leave it out"},
		{s.HugePages, "use_hugepages", "it is about main memory"},
		{s.ODP, "odp", "memory of a GPU is not registered for on-demand paging"},
		{s.Own.TPHHint >= 0, "ph", "hints are about caches of the host"},
		{s.MRPerQP, "mr_per_qp", "memory of a GPU is one region"},
	} {
		if c.given {
			return fmt.Errorf("--%s and %s exclude each other: %s", c.name, gpuOptions[i].Written(s), c.why)
		}
	}
	return nil
}
