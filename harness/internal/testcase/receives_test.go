package testcase

import (
	"testing"

	"github.com/ibperf/ibperf/option"
)

// TestReceivesOfManyQPs: the receives of all QPs of a latency test fit into a completion queue of
// rdma_rxe, which holds 32,767, since all that are left complete at once at the end.
func TestReceivesOfManyQPs(t *testing.T) {
	const mostCQE = 32767
	for _, test := range []option.Test{{Op: option.OpWrite, Kind: option.KindLatency}, {Op: option.OpSend, Kind: option.KindLatency}} {
		for _, qps := range []int{1, 4, 16, 64, 256, 1024} {
			p := option.Defaults(test)
			p.QPs, p.Compare = qps, true
			p = p.Resolve()
			for _, c := range NewSet(p).Possible {
				if n := c.Recvs * qps; n > mostCQE {
					t.Errorf("%s over %d QPs: %d receives", test, qps, n)
				}
			}
		}
	}
	p := option.Defaults(option.Test{Op: option.OpSend, Kind: option.KindLatency})
	p = p.Resolve()
	if c := NewSet(p).Possible[0]; c.Recvs < p.RxDepth {
		t.Errorf("one QP has %d receives, and --rx-depth is %d", c.Recvs, p.RxDepth)
	}
}
