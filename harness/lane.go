package harness

import (
	"github.com/ibperf/ibperf/internal/message"
	"github.com/ibperf/ibperf/reports/result"
	"github.com/ibperf/ibperf/verbs"
)

// lane is one QP with everything that a loop needs for it, prepared before the
// clock starts. Positions count requests and messages from the lane's beginning
// or from the beginning of a measurement; they only grow.
type lane struct {
	rig   *rig
	index int
	qp    verbs.QP
	cm    verbs.CMConn // nil without rdma_cm
	own   endpoint     // with rdma_cm
	peer  endpoint

	sends  []verbs.SendWR // one for each slot, linked in a circle
	recvs  []verbs.RecvWR // in a circle too; where messages need no ring, more of them than slots
	sges   []verbs.SGE    // of sends
	into   []verbs.SGE    // of recvs
	primed *verbs.SendWR  // of sends, the next to fire
	extra  []verbs.SendWR // one request outside the ring: credits, flushes
	side   []verbs.SGE

	// The current measurement, set by lay.
	tx, rx     *message.Ring
	txMarks    *message.Markers
	rxMarks    *message.Markers
	check      *message.Checker // nil without --verify
	slots      int              // of the rings
	ring       int              // receives that are kept posted
	depth      uint64           // messages that may be on their way
	every      uint64           // a signaled request each so many messages
	due        uint64           // messages up to the next of them
	sent       uint64           // messages posted
	arrived    uint64           // messages seen
	finished   uint64           // messages whose end the sending loop has counted
	fresh      uint64           // messages seen and not yet handled by the receiver
	reaped     uint64           // messages whose receive completion was polled
	limit      uint64           // messages of the current phase
	credited   uint64           // messages that the peer has consumed, as it said last
	sendSlot   int              // of message sent
	recvSlot   int              // of the next receive to post
	freeRecvs  uint64           // receives to post again
	batch      uint64           // of them at a time
	lastCredit uint64           // messages that the last credit told of

	// The send queue, across measurements.
	base   uint64 // requests before the current measurement
	posted uint64 // requests
	done   uint64 // requests known to be complete
	marked uint64 // requests up to the last signaled one
	owed   uint64 // receives that are posted and not consumed
}

// wr_id of a send is its lane and the number of requests up to it.
const laneShift = 48

func newLane(r *rig, index int, qp verbs.QP) *lane {
	q := &r.requests
	return &lane{
		rig: r, index: index, qp: qp,
		sends: cut(&q.sendsLeft, r.mostSlots()), extra: cut(&q.sendsLeft, 1), recvs: cut(&q.recvsLeft, r.recvDepth()),
		sges: cut(&q.sgesLeft, r.mostSlots()), into: cut(&q.sgesLeft, r.recvDepth()), side: cut(&q.sgesLeft, r.plan.creditDepth()),
	}
}

// lay prepares the lane for messages of the size, sent as op, with markers where
// order puts them if the mode is data.
func (l *lane) lay(m *measurement) error {
	r, size := l.rig, m.size
	n := slots(r.plan, size)
	b := r.buf.Bytes()
	var err error
	spread := m.spread(n)
	if l.tx, err = message.NewRing(b[r.layout.tx(l.index):], size, r.plan.Offset, spread); err != nil {
		return err
	}
	if l.rx, err = message.NewRing(b[r.layout.rx(l.index):], size, r.plan.Offset, spread); err != nil {
		return err
	}
	l.slots, l.ring = n, 0
	switch {
	case !takesReceives(m.opcode):
	case m.paced() || m.plan.Kind == result.KindLatency:
		l.ring = n
	default:
		l.ring = r.recvDepth()
	}
	l.txMarks, l.rxMarks = message.NewMarkers(l.tx, m.order), message.NewMarkers(l.rx, m.order)
	l.check = l.checker(m)
	l.sent, l.arrived, l.finished, l.fresh, l.reaped = 0, 0, 0, 0, 0
	l.limit, l.credited, l.lastCredit, l.base = m.total, 0, 0, l.posted
	l.sendSlot, l.recvSlot, l.freeRecvs = 0, 0, 0
	l.depth, l.every = m.depth(n), m.every(n)
	l.due, l.batch = l.every, 1
	if m.plan.Kind == result.KindBandwidth {
		l.batch = uint64(max(1, min(l.ring/2, 32)))
	}
	l.link(m)
	if m.paced() {
		l.fill(m)
	}
	return nil
}

func (l *lane) checker(m *measurement) *message.Checker {
	marks := l.rxMarks
	if m.mode != ModeData {
		marks = nil
	}
	switch {
	case !m.plan.Verify:
		return nil
	case m.plan.Op == OpRead:
		return message.NewReadChecker(l.rx, marks)
	}
	return message.NewChecker(l.rx, marks)
}

// link points each slot's requests at its memory, here and at the peer.
func (l *lane) link(m *measurement) {
	r := l.rig
	local, remote := r.layout.tx(l.index), r.layout.rx(0)
	if m.plan.Op == OpRead {
		local, remote = r.layout.rx(l.index), r.layout.tx(0)
	}
	lkey, rkey := r.mr.LKey(), l.peer.RKey
	if m.plan.relaxes(m.mode) {
		lkey, rkey = r.relaxed.LKey(), l.peer.RelaxedRKey
	}
	flags := verbs.SendFlags(0)
	if m.size <= r.inline && m.plan.Op != OpRead {
		flags = verbs.SendInline
	}
	for s := range l.slots {
		at := l.tx.SlotOffset(uint64(s % l.tx.Slots()))
		l.sges[s] = verbs.SGE{Addr: r.mr.Addr() + uint64(local+at), Length: uint32(m.size), LKey: lkey}
		l.sends[s] = verbs.SendWR{SGList: &l.sges[s], NumSGE: 1, Opcode: m.opcode, SendFlags: flags}
		l.sends[s].SetRDMA(l.peer.Addr+uint64(remote+at), rkey)
		l.sends[s].Next = &l.sends[(s+1)%l.slots]
	}
	for i := range l.ring {
		at := r.layout.rx(l.index) + l.rx.SlotOffset(uint64(i%l.rx.Slots()))
		l.into[i] = verbs.SGE{Addr: r.mr.Addr() + uint64(at), Length: uint32(m.size), LKey: lkey}
		l.recvs[i] = verbs.RecvWR{WRID: uint64(l.index), SGList: &l.into[i], NumSGE: 1, Next: &l.recvs[(i+1)%l.ring]}
	}
}

// fill gives the rings their first contents: what a receiver expects before the
// first message, and what a reader finds at the server. Credits begin at nothing.
func (l *lane) fill(m *measurement) {
	if m.plan.creditDepth() > 0 {
		clear(l.rig.buf.Bytes()[l.rig.layout.creditsIn(l.index):][:16])
	}
	if m.plan.Verify {
		l.rx.Prefill()
	}
	l.rxMarks.Init()
	if m.plan.Op != OpRead {
		return
	}
	for s := range uint64(l.slots) {
		if m.plan.Verify {
			l.tx.Fill(s)
		}
		if m.mode == ModeData {
			l.txMarks.Write(s)
		}
	}
}

// completed notes a completion of this lane's send queue.
func (l *lane) completed(wrid uint64) { l.done = wrid & (1<<laneShift - 1) }

// complete returns how many messages are known to have left the send queue.
func (l *lane) complete() uint64 { return min(max(l.done, l.base)-l.base, l.sent) }

func (l *lane) close() {
	l.qp.Close()
	if l.cm != nil {
		l.cm.Close()
	}
}
