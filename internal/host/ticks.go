package host

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

// Ticks holds the time of a CPU since the boot, in ticks of the kernel.
type Ticks struct {
	Busy, Total uint64
}

// AllCPUs stands for all CPUs together in [TicksOf].
const AllCPUs = -1

// TicksOf returns the times of each online CPU, by its number, and of all together (proc_stat(5)).
func TicksOf(root fs.FS) (map[int]Ticks, error) {
	content, err := fs.ReadFile(root, "proc/stat")
	if err != nil {
		return nil, err
	}
	all := map[int]Ticks{}
	for line := range strings.Lines(string(content)) {
		fields := strings.Fields(line)
		if len(fields) == 0 || !strings.HasPrefix(fields[0], "cpu") {
			break // the CPUs come first
		}
		cpu := AllCPUs
		if number := fields[0][len("cpu"):]; number != "" {
			cpu, err = strconv.Atoi(number)
		}
		times, bad := ticks(fields[1:])
		if err = errors.Join(err, bad); err != nil {
			return nil, fmt.Errorf("/proc/stat: %w", err)
		}
		all[cpu] = times
	}
	if _, found := all[AllCPUs]; !found {
		return nil, errors.New("/proc/stat: the first line does not have the times of all CPUs")
	}
	return all, nil
}

// idleFields are the fields of idle CPUs: idle and iowait.
var idleFields = map[int]bool{3: true, 4: true}

// timeFields is the number of the fields user, nice, system, idle, iowait, irq, softirq and steal.
// The time of guests is in user.
const timeFields = 8

// ticks parses the fields of a CPU.
func ticks(fields []string) (t Ticks, err error) {
	if len(fields) < timeFields {
		return t, fmt.Errorf("%d times of a CPU, want %d or more", len(fields), timeFields)
	}
	for i, field := range fields[:timeFields] {
		n, err := strconv.ParseUint(field, 10, 64)
		if err != nil {
			return t, err
		}
		t.Total += n
		if !idleFields[i] {
			t.Busy += n
		}
	}
	return t, nil
}
