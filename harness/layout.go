package harness

import (
	"github.com/ibperf/ibperf/internal/message"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/verbs"
)

// layout is the memory of a side, the same on both so that each knows the other's:
//
//	| QP 0: tx ring | rx ring | QP 1: tx ring | rx ring | ... | credits |
//
// The ways of a comparison use the same rings, one after another. Where a side only sends
// or only receives one ring is both. The rings hold messages (see package message). For
// each size they are laid anew, with as many slots as the size allows. They begin at a
// page, but those of many QPs with small rings at a block: pages would be nearly empty.
//
// Credits are each QP's own, of each way: 128 bytes where they come in, and the places
// that they are sent from.
type layout struct {
	ring   int // bytes of a ring
	rings  int // of a QP
	lanes  int // QPs of a way
	ways   int
	credit int // bytes of a QP's credits
}

func newLayout(p *option.Plan) layout {
	l := layout{lanes: p.QPs, rings: 1, ways: len(planned(p))}
	for _, s := range candidates(p) {
		l.ring = max(l.ring, message.RingBytes(s.size, s.offset, s.span))
		if s.in == bothSides || s.fetch && s.out == bothSides {
			l.rings = 2
		}
	}
	step := pageSize
	if l.lanes > 1 && l.ring < pageSize {
		step = verbs.BlockSize
	}
	l.ring = roundUp(l.ring, step)
	if depth := creditDepth(p); depth > 0 {
		l.credit = verbs.BlockSize + roundUp(depth*creditBytes, verbs.BlockSize)
	}
	return l
}

func roundUp(n, step int) int { return (n + step - 1) / step * step }

func (l layout) messages() int { return l.lanes * l.rings * l.ring }
func (l layout) bytes() int    { return l.messages() + l.ways*l.lanes*l.credit }

func (l layout) tx(lane int) int { return lane * l.rings * l.ring }
func (l layout) rx(lane int) int { return l.tx(lane) + (l.rings-1)*l.ring }

func (l layout) creditsIn(way, lane int) int  { return l.messages() + (way*l.lanes+lane)*l.credit }
func (l layout) creditsOut(way, lane int) int { return l.creditsIn(way, lane) + verbs.BlockSize }

// queueEntry is about what a work request takes, in this process and in the device.
const queueEntry = 512

// Need is what each side takes for a plan.
type Need struct {
	Memory int // bytes, about
	QPs    int
}

// NeedOf returns what a plan takes.
func NeedOf(plan option.Plan) Need {
	p := plan.Resolve()
	q, qps := newQueues(&p), len(planned(&p))*p.QPs
	return Need{newLayout(&p).bytes() + qps*(q.sends+q.recvs)*queueEntry, qps}
}

// queues is how many requests the queues of a QP hold.
type queues struct {
	slots   int // of the largest ring
	depth   int // messages on their way
	sends   int // requests of the send queue: messages, credits and the one that ends a round
	recvs   int
	credits int // on their way
}

func newQueues(p *option.Plan) queues {
	q := queues{recvs: 1, credits: creditDepth(p)}
	for _, s := range candidates(p) {
		q.slots = max(q.slots, s.slots)
		q.depth = max(q.depth, int(s.depth))
		if s.exchange {
			q.sends = max(q.sends, p.TxDepth) // which messages one by one do not need
		}
		q.recvs = max(q.recvs, s.recvs)
	}
	q.sends = max(q.sends, q.depth) + q.credits + 1
	return q
}

// anyReceives tells whether any message of the plan takes a posted receive.
func anyReceives(p *option.Plan) bool {
	for _, s := range candidates(p) {
		if s.receives {
			return true
		}
	}
	return false
}

// creditDepth is the number of a QP's credits that may be on their way. Each has a place
// of its own to be sent from; every quarter of them one is signaled. Of many QPs each
// needs fewer, and the less of its send queue.
func creditDepth(p *option.Plan) int {
	for _, s := range candidates(p) {
		if s.credits {
			return max(8, 32/p.QPs)
		}
	}
	return 0
}
