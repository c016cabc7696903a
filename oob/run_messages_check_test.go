package oob

import (
	"strings"
	"testing"

	"github.com/ibperf/ibperf/result"
	"github.com/ibperf/ibperf/verbs"
)

// A promise with an answer that no device gives, or with too many or too long texts, is refused.
func TestPromiseCheck(t *testing.T) {
	for name, p := range map[string]Promise{
		"order = -9 ":         {Order: -9},
		"order = 99 ":         {Order: 99},
		"kept = -1 ":          {MaxScatterToCQE: -1},
		"unlike = 4 ":         {PathDifferences: []string{"a", "b", "c", "d"}},
		"numa.nodes = 1025 ":  {Side: result.Side{NUMA: &result.NUMA{Nodes: 1025}}},
		"numa.node = -1 ":     {Side: result.Side{NUMA: &result.NUMA{Device: new(-1)}}},
		"numa.node = 1024 ":   {Side: result.Side{NUMA: &result.NUMA{SetUp: []int{0, 1024}}}},
		"numa.memory = 1025 ": {Side: result.Side{NUMA: &result.NUMA{Memory: make([]result.NodeShare, 1025)}}},
		"numa.share = 1.5 ":   {Side: result.Side{NUMA: &result.NUMA{Memory: []result.NodeShare{{Node: 1, Share: 1.5}}}}},
		"unlike is 1001 b":    {PathDifferences: []string{strings.Repeat("x", 1001)}},
	} {
		if err := p.Check(); err == nil || !strings.HasPrefix(err.Error(), name) {
			t.Errorf("Check = %v, want %q", err, name)
		}
	}
	good := Promise{Order: verbs.OrderWhole, MaxScatterToCQE: 32, PathDifferences: []string{"the service level is 0, asked for was 3"}}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
	good.Side.NUMA = &result.NUMA{Nodes: 2, Device: new(1), SetUp: []int{1}, Memory: []result.NodeShare{{Node: 0, Share: 0.25}, {Node: 1, Share: 0.75}}}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
}

// The nodes of measuring threads are those of a host.
func TestNodesOfARound(t *testing.T) {
	for name, nodes := range map[string][]int{
		"": {0, 1023}, "numa_nodes = -1 ": {0, -1}, "numa_nodes = 1024 ": {1024}, "numa_nodes = 4000 ": make([]int, 4000),
	} {
		err := (&Round{Nodes: nodes}).Check(Limits{})
		if (err == nil) != (name == "") || err != nil && !strings.HasPrefix(err.Error(), name) {
			t.Errorf("Check = %v, want %q", err, name)
		}
	}
}
