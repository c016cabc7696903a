package harness

import (
	"github.com/ibperf/ibperf/internal/message"
	"github.com/ibperf/ibperf/reports/result"
	"github.com/ibperf/ibperf/verbs"
)

// Memory of a lane, one for each QP, the same on both sides so that each knows
// the other's:
//
//	| tx ring | rx ring | credits in, 128 bytes | credits out |
//
// Where nobody looks at messages there are no credits, and one ring is both: each
// side only sends or only receives. The rings hold messages (see package message).
// For each size they are laid anew, with as many slots as the size allows. They begin
// at a page, but those of many lanes with small rings at a block: pages would be
// nearly empty.
type layout struct {
	ring  int // bytes of a ring
	rings int // of a lane
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
	if p.Kind == result.KindLatency {
		want = latSlots
	}
	stride := message.RingBytes(size, p.Offset, 1)
	n := max(minSlots, min(want, ringBudget/(stride*p.QPs)))
	return n | 1
}

// looks tells whether messages of some mode of the plan are looked at in memory.
func (p *Plan) looks() bool {
	return p.Kind == result.KindLatency || p.Compare || p.Verify || p.Completion == ModeAuto || p.Completion == ModeData
}

// pageful is how many of a ring's slots bandwidth tests use where nobody looks at
// messages. They stay within one page, as perftest does, or one slot: what is measured
// is the device and not the size of a cache.
func pageful(p *Plan, size int) int {
	n := max(1, pageSize/message.RingBytes(size, p.Offset, 1))
	return min(slots(p, size), (n-1)|1)
}

func newLayout(p *Plan) layout {
	l := layout{lanes: p.QPs, rings: 2}
	room := slots
	if !p.looks() {
		l.rings, room = 1, pageful
	}
	for _, size := range p.Sizes {
		l.ring = max(l.ring, message.RingBytes(size, p.Offset, room(p, size)))
	}
	step := pageSize
	if l.lanes > 1 && l.ring < pageSize {
		step = verbs.BlockSize
	}
	l.ring = roundUp(l.ring, step)
	l.lane = l.rings * l.ring
	if depth := p.creditDepth(); depth > 0 {
		l.lane += roundUp(verbs.BlockSize+depth*16, step)
	}
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
func (l layout) rx(lane int) int         { return lane*l.lane + (l.rings-1)*l.ring }
func (l layout) creditsIn(lane int) int  { return lane*l.lane + l.rings*l.ring }
func (l layout) creditsOut(lane int) int { return l.creditsIn(lane) + verbs.BlockSize }
