package testcase

import (
	"github.com/ibperf/ibperf/harness/internal/message"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/verbs"
)

// Layout is the memory of a side, the same on both so that each knows the other's:
//
//	| QP 0: tx ring | rx ring | QP 1: tx ring | rx ring | ... | credits |
//
// The modes of a comparison use the same rings, one after another. One ring serves as both if a
// side only sends or only receives. Rings hold messages (see package message) and are divided into
// slots for each size; behind the messages of variant flag are their flags. A ring begins at a page, or, if there are several QPs with rings smaller
// than a page, at a block of 128 bytes.
//
// Credits have memory of their own for each QP of each mode: a block that the peer's credits arrive
// in, and the slots that credits are sent from.
type Layout struct {
	Ring   int // bytes of a ring
	rings  int // rings of a QP: 1 or 2
	conns  int // QPs of a mode
	modes  int
	credit int  // bytes of a QP's credits
	lands  bool // the peer knows the address of the receive ring, and not that of the send ring
}

func newLayout(p *option.Plan, cases []Case, modes, credits int) Layout {
	l := Layout{conns: p.QPs, rings: 1, modes: modes, lands: p.Perftest != nil}
	for _, c := range cases {
		messages, flags := c.RingBytes()
		l.Ring = max(l.Ring, messages+flags)
		if c.Receivers == bothSides || c.Fetches && c.Senders == bothSides && !c.Exact {
			l.rings = 2
		}
	}
	step := pageSize
	switch {
	case p.Perftest != nil:
		l.Ring = max(l.Ring, p.Perftest.Cycle)
	case l.conns > 1 && l.Ring < pageSize:
		step = verbs.BlockSize
	}
	l.Ring = roundUp(l.Ring, step)
	if credits > 0 {
		l.credit = verbs.BlockSize + roundUp(credits*message.CreditBytes, verbs.BlockSize)
	}
	return l
}

func roundUp(n, step int) int { return (n + step - 1) / step * step }

func (l Layout) messages() int { return l.conns * l.rings * l.Ring }

// Bytes returns the size of the memory.
func (l Layout) Bytes() int { return l.messages() + l.modes*l.conns*l.credit }

// Tx returns the offset of a QP's send ring.
func (l Layout) Tx(conn int) int { return conn * l.rings * l.Ring }

// Rx returns the offset of a QP's receive ring.
func (l Layout) Rx(conn int) int { return l.Tx(conn) + (l.rings-1)*l.Ring }

// Known returns the offset of the memory whose address the peer knows.
func (l Layout) Known(conn int) int {
	if l.lands {
		return l.Rx(conn)
	}
	return l.Tx(conn)
}

// CreditsIn returns the offset of the block that the peer's credits arrive in.
func (l Layout) CreditsIn(mode, conn int) int { return l.messages() + (mode*l.conns+conn)*l.credit }

// CreditsOut returns the offset of the slots that credits are sent from.
func (l Layout) CreditsOut(mode, conn int) int { return l.CreditsIn(mode, conn) + verbs.BlockSize }
