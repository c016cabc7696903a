package caps

import (
	"strings"

	"github.com/ibperf/ibperf/verbs"
)

// countedOps are the names of enum ibv_qp_attach_comp_cntr_op, without their common prefix, by their bits.
var countedOps = []string{"SEND", "RECV", "RDMA_READ", "REMOTE_RDMA_READ", "RDMA_WRITE", "REMOTE_RDMA_WRITE"}

// counters returns what the completion counters of a device can do; max_counters is 0, with the reason, if it has
// none. It returns nothing for a backend without counters.
func counters(c verbs.Context) Groups {
	creator, ok := c.(verbs.CompCounterCreator)
	if !ok {
		return nil
	}
	caps, err := creator.QueryCompCounterCaps()
	if err != nil {
		return Groups{{"completion counters", []Attribute{{"max_counters", 0, "(" + err.Error() + ")"}}}}
	}
	return Groups{{"completion counters", []Attribute{
		{"max_counters", caps.Max, ""},
		{"max_value", hex(caps.MaxValue), ""},
		{"supported_qp_attach_ops", hex(uint32(caps.Ops)), opsText(caps.Ops)},
	}}}
}

// opsText returns the names of counted operations.
func opsText(ops verbs.CountedOps) string {
	var names []string
	for bit, name := range countedOps {
		if ops>>bit&1 != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, "|")
}
