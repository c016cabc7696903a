package testcase

import (
	"github.com/ibperf/ibperf/harness/internal/message"
	"github.com/ibperf/ibperf/option"
)

// The shape of a test: the size of its ring, the numbers of outstanding requests and posted
// receives, and which requests are signaled.

const (
	pageSize = 4096
	// ringBudget is the largest size of the rings of all QPs together, unless rings of minSlots need
	// more. It allows several outstanding messages that caches still hold.
	ringBudget = 1 << 20
	minSlots   = 3
	// latSlots is the number of messages in the ring of a latency test, and latSpan the number of
	// their positions in memory, which divides it. With 65 positions at the receiver the one-way latency
	// on a Zen 4 is 30 to 70 ns longer than with 17, and with one 10 ns shorter.
	latSlots = 51
	latSpan  = 17
	// maxReceives is the largest number of receives that the QPs of a latency test have together, unless
	// their rings need more. All receives that remain at the end complete by empty messages, or at once if
	// a QP fails, and a completion queue of rdma_rxe holds 32,767.
	maxReceives = 1 << 12
)

// shape sets ring, depth and signals. Messages that the receiver does not consume stay within one page,
// as in perftest, or in one slot: the test measures the device and not the size of a cache.
func (c *Case) shape(p *option.Plan) {
	stride := message.RingBytes(c.Size, c.Offset, 1)
	want := txDepth(p)
	switch {
	case c.OpenLoop:
		want = txDepth(p)
	case c.PingPong:
		want = latSlots
	case c.Lossy && c.DataInRecv: // a message that finds no receive is lost
		want = max(want, rxDepth(p))
	}
	c.PostList, c.RecvPostList = uint64(max(0, p.PostList)), uint64(p.RecvPostList)
	// A list must fit into the ring together with the slots that the peer has not returned: up to
	// half a ring.
	c.Slots = max(minSlots, min(want, ringBudget/(stride*p.QPs)), 2*p.PostList, 4*p.RecvPostList) | 1
	c.Span = c.Slots
	c.Depth = max(uint64(txDepth(p)), c.PostList)
	c.Recvs = c.Slots
	reuses := c.PingPong && !c.OpenLoop && !c.Verify && !p.Compare // one address, as perftest does
	switch {
	case c.PingPong:
		switch {
		case c.OpenLoop: // messages under way are at different positions
		case reuses && c.Fetches && !c.PollsMemory:
			c.Span = 1
		case c.Slots%latSpan == 0:
			c.Span = latSpan
		}
		c.Depth = uint64(c.Slots)
		c.SignalEvery = c.pingPongSignals(p)
		depth := min(rxDepth(p), maxReceives/p.QPs)
		c.Recvs = roundUp(max(c.Slots, depth), c.Slots) // each message keeps its slot
	case c.Consumed && !c.Fetches && !c.UsesCredits:
		c.Depth = min(c.Depth, uint64(c.Slots))
		c.SignalEvery = c.signals(p, c.Depth)
	case c.Consumed:
		c.Depth = min(c.Depth, uint64(c.Slots))
		c.SignalEvery = c.signals(p, c.Depth/2)
	default:
		c.Span = min(c.Slots, (max(1, pageSize/stride)-1)|1)
		c.SignalEvery = c.signals(p, c.Depth)
		c.Recvs = max(c.Slots, rxDepth(p))
	}
	if p.UseSRQ && !c.Consumed {
		c.Recvs = max(1, rxDepth(p)/p.QPs)
	}
	if !c.UsesReceives {
		c.Recvs = 0
	}
	c.SpanIn = c.Span
	if reuses && !c.Fetches { // not the source: the next message is prepared while the last one is under way
		c.SpanIn = 1
	}
	if p.RxDepth != option.Defaults(p.Test).RxDepth {
		c.RecvsAsked = rxDepth(p)
	}
	if c.OpenLoop {
		c.Window = uint64(min(txDepth(p), c.Slots))
	}
	if p.RateLimit > 0 {
		c.Interval = 1e9 / p.MessageRate(c.Size)
		c.Burst = 1
		if !c.OpenLoop {
			c.Burst = burstLength(p, c.Interval)
		}
	}
}

// pingPongSignals returns the distance of signaled requests in a latency test: 1 if the loop waits for
// completions.
func (c *Case) pingPongSignals(p *option.Plan) uint64 {
	half := max(1, c.Slots/2)
	if c.OpenLoop {
		half = max(1, c.Slots/4) // some of the other requests are of messages under way
	}
	switch {
	case c.Fetches && (p.Compare || !c.PollsMemory), c.GRH > 0, c.Unordered:
		return 1
	case p.CQMod > 0:
		half = min(half, p.CQMod)
	}
	return uint64(half)
}

// signals returns the distance of signaled requests in a stream, at most maxDistance. A list has a whole
// number of distances, or a distance a whole number of lists, so that a list never waits for a signaled
// request of its own.
func (c *Case) signals(p *option.Plan, maxDistance uint64) uint64 {
	if c.Unordered {
		return 1 // a completion says nothing about earlier requests
	}
	every := max(1, min(moderation(p, c.Size), maxDistance))
	if c.PostList > 1 && c.PostList%every != 0 {
		every = max(c.PostList, every/c.PostList*c.PostList)
	}
	return every
}

// txDepth returns the number of messages that a QP may have outstanding, at most those of the round.
func txDepth(p *option.Plan) int {
	if p.Duration > 0 {
		return p.TxDepth
	}
	return int(min(uint64(p.TxDepth), p.Iterations))
}

// rxDepth returns the smallest number of receives that a QP has posted, at most the messages of the
// round.
func rxDepth(p *option.Plan) int {
	depth := p.RxDepth
	if p.Transport.Lossy() && depth == option.Defaults(p.Test).RxDepth {
		depth = option.MaxDepth // perftest's rule: as many as there are messages
	}
	if p.Duration > 0 {
		return min(depth, max(p.RxDepth, lossyDepth))
	}
	return int(min(uint64(depth), p.Iterations))
}

// lossyDepth is the default number of receives in timed runs over transports that lose messages
// without a receive.
const lossyDepth = 4096

// moderation returns the distance of signaled requests in a bandwidth test: that of --cq-mod, otherwise
// perftest's.
func moderation(p *option.Plan, size int) uint64 {
	switch {
	case p.CQMod > 0:
		return uint64(p.CQMod)
	case p.PostList > 1:
		return uint64(p.PostList)
	case size > 8192:
		return 1
	}
	return 100
}
