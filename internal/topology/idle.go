package topology

import (
	"encoding/binary"
	"io/fs"
	"path"
	"strconv"
	"time"
)

// Idle holds what the kernel does with a CPU that has no work.
type Idle struct {
	Driver   string // of cpuidle; empty if there is none: an idle CPU executes the architecture's wait instruction
	Governor string // chooses the state; empty without a driver
	States   []State
	Limit    time.Duration // the kernel enters no state with a longer exit latency; -1: not known
}

// State is an idle state that is not disabled.
type State struct {
	Name string
	Exit time.Duration // from the wake-up to the first instruction, as the driver declares it
}

// IdleOf returns what the kernel does with a CPU that has no work, with states from shallow to deep.
func IdleOf(root fs.FS, cpu int) Idle {
	const common = "sys/devices/system/cpu/cpuidle/"
	driver := text(root, common+"current_driver")
	if driver == "" || driver == "none" {
		return Idle{Limit: -1}
	}
	idle := Idle{Driver: driver, Governor: text(root, common+"current_governor_ro"), Limit: latencyLimit(root)}
	if g := text(root, common+"current_governor"); g != "" {
		idle.Governor = g
	}
	for i := 0; ; i++ {
		state := path.Join(folder(cpu), "cpuidle/state"+strconv.Itoa(i))
		us, err := strconv.Atoi(text(root, path.Join(state, "latency")))
		if err != nil {
			return idle
		}
		if disabled := text(root, path.Join(state, "disable")); disabled == "" || disabled == "0" {
			idle.States = append(idle.States, State{text(root, path.Join(state, "name")), time.Duration(us) * time.Microsecond})
		}
	}
}

// LatencyDevice is the file of the kernel's limit of exit latencies, below the root of the file system.
// A read returns the limit, a write sets it as long as the file stays open: a signed number of 32 bits
// in the host's byte order, in microseconds (cpu_latency_qos_read and cpu_latency_qos_write in Linux's
// kernel/power/qos.c). Debian lets only root open it.
const LatencyDevice = "dev/cpu_dma_latency"

// latencyLimit returns the limit of exit latencies, or -1 if it cannot be read.
func latencyLimit(root fs.FS) time.Duration {
	data, err := fs.ReadFile(root, LatencyDevice)
	if err != nil || len(data) != 4 {
		return -1
	}
	return time.Duration(int32(binary.NativeEndian.Uint32(data))) * time.Microsecond
}
