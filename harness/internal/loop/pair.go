package loop

import (
	"github.com/ibperf/ibperf/harness/internal/testcase"
	"github.com/ibperf/ibperf/verbs"
)

// A paired message is two requests, posted in one list: a WRITE of the data, and an empty WRITE with
// immediate data, which takes a receive. Switches may route packets of the first adaptively, and those
// of the second not. Modes that poll completions detect the second, whose completion at the responder
// covers the data: a responder of RC executes requests in their order, and completes none after a lost
// one. (Over UC it drops a message whose packets are lost, and completes the next one.) Mode data
// detects the first, and returns the receive of the second as the others do.

// linkImmediates puts an empty WRITE with immediate data behind the WRITE of each slot.
func (o *sender) linkImmediates(c *testcase.Case) {
	for i := range c.Slots {
		first, second := &o.sends[i], &o.seconds[i]
		*second = verbs.SendWR{Opcode: verbs.OpRDMAWriteWithImm, Next: first.Next}
		second.SetRDMA(first.RDMA())
		o.flow.conn.SetDestination(second)
		first.Next = second
	}
	o.ends = o.seconds
}
