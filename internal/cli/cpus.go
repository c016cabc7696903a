package cli

import (
	"fmt"
	"os"
	"strings"

	"github.com/ibperf/ibperf/internal/sched"
	"github.com/ibperf/ibperf/option"
)

// checkCPUs finds CPUs of --pin_cores that this process may not run on.
func checkCPUs(wanted []int) error {
	set, err := sched.Affinity(0)
	if err != nil {
		return fmt.Errorf("look up the CPUs of this process: sched_getaffinity: %w", err)
	}
	for _, cpu := range wanted {
		if !set.IsSet(cpu) {
			return usage(fmt.Sprintf("--pin_cores: this process may not run on CPU %d, see taskset -p %d", cpu, os.Getpid()))
		}
	}
	return nil
}

// nearCPUs are the CPUs beside a device; nil: any are as good.
func nearCPUs(device string) []int {
	if strings.Contains(device, "/") {
		return nil
	}
	text, err := os.ReadFile("/sys/class/infiniband/" + device + "/device/local_cpulist")
	if err != nil {
		return nil // a device that is on no bus, or embedded
	}
	cpus, err := option.ParseCPUs(strings.TrimSpace(string(text)))
	if err != nil {
		return nil
	}
	return cpus
}
