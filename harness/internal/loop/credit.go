package loop

import (
	"cmp"
	"fmt"

	"github.com/ibperf/ibperf/harness/internal/message"
	"github.com/ibperf/ibperf/verbs"
)

// A receiver writes credits into the sender's memory: the number of messages that it has consumed
// (see [message.ReadCredit]). The QP executes WRITEs to the same memory in the order of their
// posting, so the last credit remains there. SRD and QPs with out-of-order placement have no such order:
// each of their credits has a slot of its own until it is complete, and the largest number counts.

// credits holds the credits that a receiver has sent.
type credits struct {
	sges           []verbs.SGE // one for each credit that may be outstanding
	announced      uint64      // number of messages in the last credit
	posted         uint64      // credits
	done           uint64      // completed credits
	slots          uint64      // positions of credits in the peer's memory, used one after another
	maxOutstanding uint64
	completed      *sequence // of credits, over SRD; else nil
}

// creditSlots is the number of credits that a block holds.
const creditSlots = verbs.BlockSize / message.CreditBytes

func newCredits(unordered, outOfOrder bool, sges []verbs.SGE) credits {
	c := credits{sges: sges, slots: 1, maxOutstanding: uint64(len(sges))}
	if unordered || outOfOrder {
		c.slots, c.maxOutstanding = creditSlots, creditSlots
	}
	if unordered {
		c.completed = newSequence(creditSlots + drainBatch)
	}
	return c
}

// creditsIn returns the memory that the peer's credits arrive in.
func (f *Flow) creditsIn() []byte {
	return f.memory(f.worker.set.Layout.CreditsIn(f.conn.Queues.Position, f.conn.Index))
}

// giveCredit sends a credit for the consumed messages once a quarter of the ring was consumed since the
// last credit.
func (i *receiver) giveCredit(consumed uint64) error {
	c := &i.credits
	if consumed-c.announced < i.quarter {
		return nil
	}
	for c.posted-c.done >= c.maxOutstanding {
		if _, err := i.flow.worker.reapSends(); err != nil {
			return err
		}
		if i.flow.worker.halt.On() {
			return errOver
		}
	}
	c.announced = consumed
	return i.postCredit(consumed)
}

func (i *receiver) postCredit(consumed uint64) error {
	f, c := i.flow, &i.credits
	next := c.posted % uint64(len(c.sges))
	at := f.worker.set.Layout.CreditsOut(f.conn.Queues.Position, f.conn.Index) + int(next)*message.CreditBytes
	message.WriteCredit(f.memory(at), consumed)
	c.sges[next] = verbs.SGE{Addr: f.addr(at), Length: message.CreditBytes, LKey: f.conn.Resources.Common.Plain.LKey()}
	wr := &f.extra[0]
	*wr = verbs.SendWR{SGList: &c.sges[next], NumSGE: 1, Opcode: verbs.OpRDMAWrite}
	wr.SetRDMA(f.conn.Peer.Credits+c.posted%c.slots*message.CreditBytes, cmp.Or(f.conn.Peer.CreditsRKey, f.conn.Peer.RKey))
	f.conn.SetDestination(wr)
	c.posted++
	if c.completed != nil || c.posted%uint64(len(c.sges)/4) == 0 {
		wr.SendFlags, wr.WRID = verbs.SendSignaled, f.wrid(creditBit|c.posted)
	}
	if _, err := f.qp.PostSend(wr); err != nil {
		return fmt.Errorf("post credit: %w", err)
	}
	return nil
}
