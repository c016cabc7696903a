package topology

import (
	"fmt"
	"testing"

	"github.com/ibperf/ibperf/internal/testsysfs"
)

func TestParseList(t *testing.T) {
	for list, want := range map[string]string{
		"0-3,8": "[0 1 2 3 8]", "5": "[5]", "": "[]", "a-b,,1x,2": "[2]", "3-1": "[]",
	} {
		if got := fmt.Sprint(parseList(list)); got != want {
			t.Errorf("%q: %s, want %s", list, got, want)
		}
	}
}

// Cores are counted by the hardware threads that share one; old kernels have another name for the file.
func TestCores(t *testing.T) {
	root := testsysfs.Parse(t, `
sys/devices/system/cpu/cpu0/topology/core_cpus_list: 0,2
sys/devices/system/cpu/cpu2/topology/core_cpus_list: 0,2
sys/devices/system/cpu/cpu1/topology/thread_siblings_list: 1,3
sys/devices/system/cpu/cpu3/topology/thread_siblings_list: 1,3
sys/devices/system/cpu/cpu{0-3}/node0/cpulist: 0-3
proc/self/status: Name: x\nCpus_allowed: f\nCpus_allowed_list: 0,2-3
`)
	for _, c := range []struct{ got, want any }{
		{Siblings(root, 0), []int{2}},
		{Siblings(root, 3), []int{1}},
		{len(Siblings(root, 9)), 0},
		{Allowed(root), []int{0, 2, 3}},
		{Cores(root, []int{0, 2}), 1},
		{Cores(root, []int{0, 2, 3}), 2},
		{Cores(root, []int{0, 9}), 0},
		{NodesOf(root, []int{0, 3, 9}), []int{0}},
	} {
		if fmt.Sprint(c.got) != fmt.Sprint(c.want) {
			t.Errorf("%v, want %v", c.got, c.want)
		}
	}
}
