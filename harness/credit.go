package harness

import (
	"fmt"
	"sync/atomic"

	"github.com/ibperf/ibperf/reports/result"
	"github.com/ibperf/ibperf/verbs"
)

// Credits tell a sender how far the receiver has consumed its ring: the
// receiver writes the number of messages, and a check of it, into the sender's
// memory. A sender that finds the two at odds has looked while they were being
// written, in whatever order, and looks again later; so credits need no promise
// about order, not even within their 16 bytes.

// creditCheck spreads each byte of n over all of its own: a mixture of the bytes
// of two credits agrees with itself by a chance in a billion only, where that of
// a number and its complement would often.
func creditCheck(n uint64) uint64 {
	n = (n ^ n>>32 ^ 0xa5a5a5a5) * 0x9e3779b97f4a7c15
	return n ^ n>>29
}

// creditDepth is the number of a lane's credits that may be on their way. Each has
// a place of its own to be sent from; every quarter of them one is signaled. Of
// many lanes each needs fewer, and the less of its send queue. Only bandwidth tests
// that look at messages have credits.
func (p *Plan) creditDepth() int {
	if p.Kind == result.KindLatency || !p.looks() {
		return 0
	}
	return max(8, 32/p.QPs)
}

// takeCredits looks at what the peer wrote last.
func (l *lane) takeCredits() {
	w := words(l.rig.buf.Bytes()[l.rig.layout.creditsIn(l.index):][:16])
	n, check := atomic.LoadUint64(&w[0]), atomic.LoadUint64(&w[1])
	if n > l.credited && n <= l.sent && check == creditCheck(n) {
		l.credited = n
	}
}

// giveCredit tells the peer how many messages were consumed, once that is a
// quarter of the ring more than it knows.
func (l *lane) giveCredit(m *measurement, consumed uint64) error {
	if consumed-l.lastCredit < uint64(max(1, l.slots/4)) {
		return nil
	}
	for l.posted-l.done >= uint64(len(l.side)) {
		wc, err := m.send.poll()
		if err != nil {
			return err
		}
		for i := range wc {
			m.rig.lanes[wc[i].WRID>>laneShift].completed(wc[i].WRID)
		}
		if m.halt.on() {
			return errOver
		}
	}
	l.lastCredit = consumed
	return l.postCredit(consumed)
}

func (l *lane) postCredit(consumed uint64) error {
	r, i := l.rig, l.posted%uint64(len(l.side))
	at := r.layout.creditsOut(l.index) + int(i)*16
	w := words(r.buf.Bytes()[at:][:16])
	w[0], w[1] = consumed, creditCheck(consumed)
	l.side[i] = verbs.SGE{Addr: r.mr.Addr() + uint64(at), Length: 16, LKey: r.mr.LKey()}
	l.posted++
	wr := &l.extra[0]
	*wr = verbs.SendWR{SGList: &l.side[i], NumSGE: 1, Opcode: verbs.OpRDMAWrite}
	wr.SetRDMA(l.peer.Addr+uint64(r.layout.creditsIn(0)), l.peer.RKey)
	if l.posted%uint64(len(l.side)/4) == 0 {
		wr.SendFlags, wr.WRID = verbs.SendSignaled, uint64(l.index)<<laneShift|l.posted
		l.marked = l.posted
	}
	if _, err := l.qp.PostSend(wr); err != nil {
		return fmt.Errorf("post credit: %w", err)
	}
	return nil
}
