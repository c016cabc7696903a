package harness

import (
	"github.com/ibperf/ibperf/internal/message"
	"github.com/ibperf/ibperf/option"
)

// The shape of a test: how large its ring is, how many requests and receives are on their way,
// and which of them are signaled.

const (
	pageSize = 4096
	// ringBudget bounds the bytes that a ring's messages wander through, so that
	// several messages are on their way and caches still hold them.
	ringBudget = 1 << 20
	minSlots   = 3
	// latSlots is what the ring of a latency test holds, and latSpan how many places they
	// have: a divisor. With 65 places a message takes 30 to 70 ns longer on a Zen 4, one way;
	// with 21 or fewer there is no difference.
	latSlots = 51
	latSpan  = 17
	// mostReceives is how many receives the QPs of a latency test have together, if that is
	// more than their rings: all that are left at the end are used up by empty messages, and complete at
	// once if a QP fails, while the completion queues of some devices (rdma_rxe) hold 32,767.
	mostReceives = 1 << 12
)

// shape decides on ring, depth and signals. Where nobody looks at messages they stay
// within one page, as perftest's do, or one slot: what is measured is the device and
// not the size of a cache.
func (s *scheme) shape(p *option.Plan) {
	stride := message.RingBytes(s.size, s.offset, 1)
	want := txDepth(p)
	switch {
	case s.exchange:
		want = latSlots
	case s.lossy && s.lands: // nothing but the receives keeps messages from being lost
		want = max(want, rxDepth(p))
	}
	s.list, s.refill = uint64(p.PostList), uint64(p.RecvPostList)
	// Lists fit in beside what the peer has not told of yet, which is half a ring at most.
	s.slots = max(minSlots, min(want, ringBudget/(stride*p.QPs)), 2*p.PostList, 4*p.RecvPostList) | 1
	s.span = s.slots
	s.depth = max(uint64(txDepth(p)), s.list)
	s.recvs = s.slots
	switch {
	case s.exchange:
		if s.slots%latSpan == 0 {
			s.span = latSpan
		}
		s.depth = uint64(s.slots)
		s.every = s.exchangeSignals(p)
		depth := min(rxDepth(p), mostReceives/p.QPs)
		s.recvs = roundUp(max(s.slots, depth), s.slots) // each message keeps its slot
	case s.seen && !s.fetch && !s.credits:
		s.depth = min(s.depth, uint64(s.slots))
		s.every = s.signals(p, s.depth)
	case s.seen:
		s.depth = min(s.depth, uint64(s.slots))
		s.every = s.signals(p, s.depth/2)
	default:
		s.span = min(s.slots, (max(1, pageSize/stride)-1)|1)
		s.every = s.signals(p, s.depth)
		s.recvs = max(s.slots, rxDepth(p))
	}
	if p.UseSRQ && !s.seen {
		s.recvs = max(1, rxDepth(p)/p.QPs)
	}
	if !s.receives {
		s.recvs = 0
	}
	if p.RateLimit > 0 {
		s.apart = 1e9 / messageRate(p, s.size)
		s.burst = burstOf(p, s.apart)
	}
}

// messageRate is the rate limit in messages a second.
func messageRate(p *option.Plan, size int) float64 {
	switch p.RateUnits {
	case option.RateMessages:
		return p.RateLimit
	case option.RateMiB:
		return p.RateLimit * (1 << 20) / float64(size)
	}
	return p.RateLimit * 1e9 / 8 / float64(size)
}

// exchangeSignals is the distance of signaled requests in a latency test. Where completions
// are waited for it is 1.
func (s *scheme) exchangeSignals(p *option.Plan) uint64 {
	half := max(1, s.slots/2)
	switch {
	case s.fetch && (p.Compare || !s.memory), s.grh > 0, s.anyOrder:
		return 1
	case p.CQMod > 0:
		half = min(half, p.CQMod)
	}
	return uint64(half)
}

// signals is the distance of signaled requests in a stream: at most so much that there is
// room for more before it. Lists hold a whole number of distances or a distance a whole
// number of lists, so that a list never waits for a signal that is in it.
func (s *scheme) signals(p *option.Plan, most uint64) uint64 {
	if s.anyOrder {
		return 1 // as each completion tells of its own request alone
	}
	every := max(1, min(moderation(p, s.size), most))
	if s.list > 1 && s.list%every != 0 {
		every = max(s.list, every/s.list*s.list)
	}
	return every
}

// txDepth is how many messages a QP may have on their way: no more than there are.
func txDepth(p *option.Plan) int {
	if p.Duration > 0 {
		return p.TxDepth
	}
	return int(min(uint64(p.TxDepth), p.Iterations))
}

// rxDepth is how many receives a QP has posted at least, in the same way.
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

// lossyDepth is how many receives a timed run has by default where what finds none is lost.
const lossyDepth = 4096

// moderation is the distance of signaled requests in a bandwidth test: what was
// asked for, else perftest's.
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
