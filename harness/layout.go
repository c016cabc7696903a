package harness

import (
	"github.com/ibperf/ibperf/internal/message"
	"github.com/ibperf/ibperf/reports"
	"github.com/ibperf/ibperf/verbs"
)

// Memory of a lane, one for each QP, the same on both sides so that each knows
// the other's:
//
//	| tx ring | rx ring | credits in, 128 bytes | credits out |
//
// The rings hold messages (see package message). For each size they are laid
// anew, with as many slots as the size allows. They begin at a page, but those of
// many lanes with small rings at a block: pages would be nearly empty.
type layout struct {
	ring  int // bytes of a ring
	lane  int // bytes of a lane
	lanes int
}

const (
	pageSize = 4096
	// ringBudget bounds the bytes that a ring's messages wander through, so that
	// several messages are on their way and caches still hold them.
	ringBudget = 1 << 20
	minSlots   = 3
	latSlots   = 65
)

// slots returns how many messages of the size a ring holds: odd, see package message.
func slots(p *Plan, size int) int {
	want := p.txDepth()
	if p.Kind == reports.KindLatency {
		want = latSlots
	}
	stride := message.RingBytes(size, p.Offset, 1)
	n := max(minSlots, min(want, ringBudget/(stride*p.QPs)))
	return n | 1
}

func newLayout(p *Plan) layout {
	l := layout{lanes: p.QPs}
	for _, size := range p.Sizes {
		l.ring = max(l.ring, message.RingBytes(size, p.Offset, slots(p, size)))
	}
	step := pageSize
	if l.lanes > 1 && l.ring < pageSize {
		step = verbs.BlockSize
	}
	l.ring = roundUp(l.ring, step)
	l.lane = 2*l.ring + roundUp(verbs.BlockSize+p.creditDepth()*16, step)
	return l
}

func roundUp(n, step int) int { return (n + step - 1) / step * step }

// queueEntry is about what a work request takes, in this process and in the device.
const queueEntry = 512

// Memory returns about how many bytes each side allocates for the plan.
func (p *Plan) Memory() int {
	entries := p.txDepth()
	if p.takesReceives() {
		entries += p.rxDepth()
	}
	return newLayout(p).bytes() + p.QPs*entries*queueEntry
}

func (l layout) bytes() int { return l.lane * l.lanes }

func (l layout) tx(lane int) int         { return lane * l.lane }
func (l layout) rx(lane int) int         { return lane*l.lane + l.ring }
func (l layout) creditsIn(lane int) int  { return lane*l.lane + 2*l.ring }
func (l layout) creditsOut(lane int) int { return l.creditsIn(lane) + verbs.BlockSize }
