package harness

import (
	"cmp"
	"fmt"

	"github.com/ibperf/ibperf/verbs"
)

// Credits tell a sender how far the receiver has consumed its ring: the
// receiver writes the number of messages, and a check of it, into the sender's
// memory. A sender that finds the two at odds has looked while they were being
// written, in whatever order, and looks again later; so credits need no promise
// about the order of bytes, not even within their 16. Of several the last one has to
// stay: a QP carries out WRITEs to the same memory in the order of their posting. One of SRD does
// not: there each credit has a place of its own until it is complete, and the largest number
// counts.

const creditBytes = 16

// credits is what a receiver has told its sender.
type credits struct {
	sges   []verbs.SGE // one for each credit that may be on its way
	told   uint64      // messages that the last credit told of
	posted uint64
	done   uint64 // known to have left the send queue
	places uint64 // at the peer, that they take in turn
	most   uint64 // on their way
	came   *sequence
}

// creditPlaces is how many credits a QP's memory for them holds.
const creditPlaces = verbs.BlockSize / creditBytes

func newCredits(r *rig, sges []verbs.SGE) credits {
	c := credits{sges: sges, places: 1, most: uint64(len(sges))}
	if r.anyOrder() {
		c.places, c.most = creditPlaces, creditPlaces
		c.came = newSequence(creditPlaces + settleBatch)
	}
	return c
}

// creditCheck spreads each byte of n over all of its own: a mixture of the bytes
// of two credits agrees with itself by a chance in a billion only, where that of
// a number and its complement would often.
func creditCheck(n uint64) uint64 {
	n = (n ^ n>>32 ^ 0xa5a5a5a5) * 0x9e3779b97f4a7c15
	return n ^ n>>29
}

func (l *lane) creditsIn() int {
	return l.worker.rig.layout.creditsIn(l.worker.group.index, l.index)
}

// giveCredit tells the peer how many messages were consumed, once that is a
// quarter of the ring more than it knows.
func (i *receiver) giveCredit(consumed uint64) error {
	c := &i.credits
	if consumed-c.told < i.quarter {
		return nil
	}
	for c.posted-c.done >= c.most {
		if _, err := i.lane.worker.reapSends(); err != nil {
			return err
		}
		if i.lane.worker.halt.on() {
			return errOver
		}
	}
	c.told = consumed
	return i.postCredit(consumed)
}

func (i *receiver) postCredit(consumed uint64) error {
	l, c := i.lane, &i.credits
	r, turn := l.worker.rig, c.posted%uint64(len(c.sges))
	at := r.layout.creditsOut(l.worker.group.index, l.index) + int(turn)*creditBytes
	w := words(r.buf.Bytes()[at:][:creditBytes])
	w[0], w[1] = consumed, creditCheck(consumed)
	c.sges[turn] = verbs.SGE{Addr: r.addr(at), Length: creditBytes, LKey: r.common.plain.LKey()}
	wr := &l.extra[0]
	*wr = verbs.SendWR{SGList: &c.sges[turn], NumSGE: 1, Opcode: verbs.OpRDMAWrite}
	wr.SetRDMA(l.peer.Credits+c.posted%c.places*creditBytes, cmp.Or(l.peer.CreditsRKey, l.peer.RKey))
	l.aim(wr)
	c.posted++
	if c.came != nil || c.posted%uint64(len(c.sges)/4) == 0 {
		wr.SendFlags, wr.WRID = verbs.SendSignaled, l.wrid(creditBit|c.posted)
	}
	if _, err := l.qp.PostSend(wr); err != nil {
		return fmt.Errorf("post credit: %w", err)
	}
	return nil
}
