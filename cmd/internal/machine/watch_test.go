package machine

import (
	"fmt"
	"maps"
	"testing"

	"github.com/ibperf/ibperf/internal/testsysfs"
	"github.com/ibperf/ibperf/result"
)

const (
	port   = "sys/class/infiniband/mlx5_0/ports/1/"
	before = port + `counters/symbol_error: 7
` + port + `hw_counters/np_cnp_sent: 5
` + port + `hw_counters/out_of_sequence: 9
` + port + `hw_counters/out_of_buffer: 3
` + port + `hw_counters/packet_seq_err: N/A
proc/stat: cpu 0 0 0 0 0 0 0 0\ncpu0 9 0 0 1 0 0 0 0\ncpu1 1 0 0 9 0 0 0 0\ncpu2 1 0 0 9 0 0 0 0\ncpu3 1 0 0 9 0 0 0 0
sys/devices/system/cpu/cpu0/topology/core_cpus_list: 0,2
sys/devices/system/cpu/cpu2/topology/core_cpus_list: 0,2
sys/devices/system/cpu/cpu1/topology/core_cpus_list: 1,3
sys/devices/system/cpu/cpu3/topology/core_cpus_list: 1,3
`
	// CPU 0 measures, CPU 2 is busy for 40 % of the time, CPU 3 for 100 %.
	after = port + `counters/symbol_error: 7
` + port + `hw_counters/np_cnp_sent: 25
` + port + `hw_counters/out_of_sequence: 10
` + port + `hw_counters/out_of_buffer: 1
proc/stat: cpu 0 0 0 0 0 0 0 0\ncpu0 109 0 0 1 0 0 0 0\ncpu1 1 0 0 109 0 0 0 0\ncpu2 41 0 0 69 0 0 0 0\ncpu3 101 0 0 9 0 0 0 0
`
)

// A file has the growth of counters, and the busiest hardware thread beside a measuring one.
func TestWatch(t *testing.T) {
	for _, c := range []struct {
		what, after string
		cpus        []int
		want        string
	}{
		{"one thread", after, []int{0}, "map[np_cnp_sent:20 out_of_sequence:1] {2 0 0.4}"},
		{"two threads", after, []int{0, 1}, "map[np_cnp_sent:20 out_of_sequence:1] {3 1 1}"},
		{"two threads on one core", after, []int{0, 2}, "map[np_cnp_sent:20 out_of_sequence:1]"},
		{"unknown CPUs", after, nil, "map[np_cnp_sent:20 out_of_sequence:1]"},
		{"nothing has changed", "", []int{0}, "map[]"},
	} {
		root := testsysfs.Parse(t, before)
		w := NewWatch(root, "mlx5_0", 1, []string{"symbol_error", "np_cnp_sent", "out_of_sequence", "out_of_buffer", "packet_seq_err", "rx_drops"})
		maps.Copy(root, testsysfs.Parse(t, c.after))
		f := &result.File{Local: result.Side{Tuning: &result.Tuning{}}, Rows: []result.Row{{Local: result.Cost{CPUs: c.cpus}}}}
		w.AddTo(f, 0)
		got := fmt.Sprint(f.Local.Tuning.Growth)
		if s := f.Local.Tuning.Sibling; s != nil {
			got += fmt.Sprint(" ", *s)
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.what, got, c.want)
		}
	}
}

// Without files nothing is added, and nothing to a file without facts.
func TestWatchWithoutFiles(t *testing.T) {
	root := testsysfs.Parse(t, "")
	f := &result.File{Local: result.Side{Tuning: &result.Tuning{}}, Rows: []result.Row{{Local: result.Cost{CPUs: []int{0}}}}}
	NewWatch(root, "shm_whole", 1, []string{"symbol_error"}).AddTo(f, 0)
	if f.Local.Tuning.Growth != nil || f.Local.Tuning.Sibling != nil {
		t.Errorf("added %+v", f.Local.Tuning)
	}
	NewWatch(root, "shm_whole", 1, nil).AddTo(&result.File{}, 0)
}
