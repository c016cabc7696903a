package testcase

import (
	"slices"

	"github.com/ibperf/ibperf/option"
)

// QueueSizes holds the largest numbers of requests of a QP.
type QueueSizes struct {
	Slots   int // slots of the largest ring
	Seconds int // as Slots, if messages have a second request: of their flag, or with immediate data; else 0
	Depth   int // outstanding messages
	Sends   int // size of the send queue: messages, second requests and credits
	Recvs   int // size of the receive queue
	Credits int // outstanding credits
}

func newQueueSizes(p *option.Plan, cases []Case) QueueSizes {
	q := QueueSizes{Sends: minSends, Recvs: 1, Credits: creditDepth(p, cases)}
	for _, c := range cases {
		q.Slots = max(q.Slots, c.Slots)
		q.Depth = max(q.Depth, int(c.Depth))
		if c.ByFlag || c.Paired {
			q.Seconds = max(q.Seconds, c.Slots)
		}
		if c.PingPong {
			q.Sends = max(q.Sends, p.TxDepth) // the requested depth, although a ping-pong uses one
		}
		q.Recvs = max(q.Recvs, c.Recvs)
	}
	sends := q.Depth
	if q.Seconds > 0 {
		sends = 2 * q.Depth
	}
	if slices.ContainsFunc(cases, Case.endsEarly) {
		sends++ // the request that ends a round
	}
	q.Sends = max(q.Sends, sends) + q.Credits
	return q
}

// endsEarly reports whether a round may end before its requests are known to be complete. In other streams
// the request that ends a round takes the entry of a completed message, so that the send queue is no larger
// than perftest's: for one entry more mlx5 would take twice the memory.
func (c Case) endsEarly() bool { return c.PingPong || c.Fetches && c.PollsMemory }

// minSends is an empty message that takes a receive, and the request whose completion ends the batch of
// them.
const minSends = 2

// creditDepth returns the number of credits that a QP may have outstanding. Each is sent from a
// slot of its own, and one in every quarter of them is signaled. The more QPs there are, the fewer
// credits each needs.
func creditDepth(p *option.Plan, cases []Case) int {
	for _, c := range cases {
		if c.UsesCredits {
			return max(8, 32/p.QPs)
		}
	}
	return 0
}
