package machine

import (
	"strings"
	"testing"
	"testing/fstest"
)

func TestCPUsOfANode(t *testing.T) {
	root := fstest.MapFS{
		"sys/devices/system/node/node0/cpulist": {Data: []byte("0-1023\n")},
		"sys/devices/system/node/node1/cpulist": {Data: []byte("\n")},
	}
	if cpus := CPUsOfNode(root, 0); len(cpus) == 0 || len(cpus) > 1023 {
		t.Errorf("node 0 has %d of this process's CPUs", len(cpus))
	}
	if err := CheckNode(root, 0); err != nil {
		t.Error(err)
	}
	for _, node := range []int{1, 2} {
		if err := CheckNode(root, node); err == nil || !strings.Contains(err.Error(), "no CPU of such a node") {
			t.Errorf("node %d: %v", node, err)
		}
	}
}
