package option

import (
	"fmt"
	"strings"
)

// TPHMemory is a kind of memory that the host's firmware knows steering tags for.
type TPHMemory string

// The kinds of memory.
const (
	TPHVolatile   TPHMemory = "vm"
	TPHPersistent TPHMemory = "pm"
)

// tphOptions put hints into a device's PCIe requests to the messages of a side.
var tphOptions = []*Option{
	{
		Name: "ph", Argument: "N", Group: groupDevice, Scope: PerSide, Default: "none",
		Help: "processing hint (TPH) in the device's PCIe requests to the messages of this side: 0 both sides use the data, 1 mostly the device, 2 mostly the host, 3 the host and soon; " +
			"needs rdma-core 59, Linux 6.17 and a card with TPH",
		Perftest: "on main memory only, and not with --odp, whose memory mlx5 registers without hints",
		Excludes: []Exclusion{{Name: "odp", Why: "mlx5 registers memory for on-demand paging without hints"}},
		value:    numberOr(func(s *Settings) *int { return &s.Own.TPHHint }, -1, 0, 3),
	}, {
		Name: "cpu_id", Argument: "N", Group: groupDevice, Scope: PerSide, Default: "none",
		Help:     "with --ph: these requests carry the steering tag of this CPU, whose caches the device's writes may go to; --pin_cores N measures there",
		Perftest: "also a CPU that --pin_cores or --numa_node leave out",
		value:    numberOr(func(s *Settings) *int { return &s.Own.TPHCPU }, -1, 0, 1023),
	}, {
		Name: "tph_mem", Argument: "MEMORY", Group: groupDevice, Scope: PerSide, Default: "none",
		Help:     "with --cpu_id: the steering tag is that for volatile memory (vm) or for persistent memory (pm)",
		Perftest: same,
		value:    tphMemory(),
	},
}

// tphMemory returns the value of --tph_mem, in both of perftest's spellings.
func tphMemory() value {
	v := oneOf(func(s *Settings) *TPHMemory { return &s.Own.TPHMemory }, TPHVolatile, TPHPersistent).(valueOf[TPHMemory])
	v.parse = func(text string) (TPHMemory, error) {
		switch text = strings.ToLower(text); text {
		case "volatile":
			return TPHVolatile, nil
		case "persistent":
			return TPHPersistent, nil
		}
		return TPHMemory(text), nil
	}
	return v
}

// checkTPH refuses hints that lack a part, as perftest does: a hint may be alone, and a steering tag takes all three.
func (s *Settings) checkTPH() error {
	for _, c := range []struct {
		without     bool
		given, lack string
	}{
		{s.Own.TPHMemory != "" && s.Own.TPHCPU < 0, "tph_mem", "cpu_id"},
		{s.Own.TPHCPU >= 0 && s.Own.TPHMemory == "", "cpu_id", "tph_mem"},
		{s.Own.TPHCPU >= 0 && s.Own.TPHHint < 0, "cpu_id", "ph"},
	} {
		if c.without {
			return fmt.Errorf("--%s needs --%s: a steering tag takes --ph, --cpu_id and --tph_mem together", c.given, c.lack)
		}
	}
	return nil
}
