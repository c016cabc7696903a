package harness

import (
	"fmt"

	"github.com/ibperf/ibperf/internal/message"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/verbs"
)

// lane is one QP: its sending half and its receiving half.
type lane struct {
	worker *worker
	index  int // among the QPs of its way
	place  int // among the QPs of its worker
	qp     verbs.QP
	recvQP verbs.QP     // of XRC, which receives by a QP of its own; else nil
	joined *verbs.GID   // multicast group; nil: none
	cm     verbs.CMConn // nil without rdma_cm
	own    oob.Endpoint // with rdma_cm
	peer   oob.Endpoint
	extra  []verbs.SendWR // one request outside the ring: credits, the end of a round
	single []verbs.SGE    // of a single byte, for requests that are empty otherwise
	out    sender
	in     receiver
}

// The wr_id of a send is its lane's place, whether it is a credit, and how many messages
// or credits of the lane were posted with it. That of a receive is its lane's place.
const (
	placeShift = 48
	creditBit  = 1 << 47
	countMask  = creditBit - 1
)

func (l *lane) wrid(count uint64) uint64 { return uint64(l.place)<<placeShift | count }

func newLane(w *worker, index int, qp verbs.QP) *lane {
	r := w.rig
	q := &r.requests
	l := &lane{worker: w, index: index, place: len(w.lanes), qp: qp, extra: cut(&q.sendsLeft, 1), single: cut(&q.sgesLeft, 1)}
	l.out = sender{lane: l, sends: cut(&q.sendsLeft, r.queues.slots), sges: cut(&q.sgesLeft, r.queues.slots)}
	l.in = receiver{
		lane: l, queue: w.receiveQueue(qp), recvs: cut(&q.recvsLeft, r.queues.recvs), into: cut(&q.sgesLeft, r.queues.recvs),
		credits: newCredits(r, cut(&q.sgesLeft, r.queues.credits)),
	}
	return l
}

// lay prepares the lane for messages of a scheme and posts its receives.
func (l *lane) lay(s *scheme) error {
	r := l.worker.rig
	b := r.buf.Bytes()
	tx, err := message.NewRing(b[r.layout.tx(l.index):], s.size, s.offset, s.span)
	if err != nil {
		return err
	}
	rx, err := message.NewRing(b[r.layout.rx(l.index):], s.size, s.offset, s.span)
	if err != nil {
		return err
	}
	fill(b[r.layout.tx(l.index):][:r.layout.ring], r.cfg.Payload)
	if s.credits {
		clear(b[l.creditsIn():][:verbs.BlockSize])
	}
	l.out.lay(s, tx, rx)
	if err := l.in.lay(s, rx); err != nil {
		return err
	}
	if s.in.has(r.cfg.Role) && s.receives {
		return l.in.postRecvs(uint64(s.recvs))
	}
	return nil
}

// fill lays a pattern into memory, again and again.
func fill(memory, pattern []byte) {
	for at := 0; len(pattern) > 0 && at < len(memory); {
		at += copy(memory[at:], pattern)
	}
}

// prepare makes the rings ready for a round: another way may have used them before.
func (l *lane) prepare(s *scheme) {
	if !s.seen {
		return
	}
	l.out.credited, l.in.credits.told = l.out.sent, l.in.arrived
	l.out.atomics.base = l.out.sent
	role := l.worker.rig.cfg.Role
	if s.fetch && s.out.has(role.other()) {
		l.out.prepareSource(s)
	}
	if s.fetch && s.out.has(role) {
		l.out.found.Init(0)
	}
	if !s.in.has(role) {
		return
	}
	if s.verify && !s.placed { // what is late may be there already
		l.in.ring.Prefill(l.in.arrived)
	}
	l.in.marks.Init(l.in.arrived)
}

// completed notes a completion of this lane's send queue, and with it those before.
func (l *lane) completed(wrid uint64) {
	if wrid&creditBit != 0 {
		l.in.credits.done = wrid & countMask
		return
	}
	l.out.done = wrid & countMask
}

// completedAlone is completed, of a queue whose completions overtake each other.
func (l *lane) completedAlone(wrid uint64) error {
	came, done := l.out.came, &l.out.done
	if wrid&creditBit != 0 {
		came, done = l.in.credits.came, &l.in.credits.done
	}
	if n := wrid&countMask - 1; !came.take(n) {
		return fmt.Errorf("request %d completed, where %d is the first that had not", n, came.upTo)
	}
	*done = came.upTo
	return nil
}

// postEmpty posts a zero-length request. With SendSignaled its completion says by the
// wr_id that all before it are complete.
func (l *lane) postEmpty(op verbs.Opcode, flags verbs.SendFlags, wrid uint64) error {
	wr := &l.extra[0]
	*wr = verbs.SendWR{Opcode: op, SendFlags: flags, WRID: wrid}
	if r := l.worker.rig; r.anyOrder() { // where no manual says that a message may be empty
		l.single[0] = verbs.SGE{Addr: r.addr(r.layout.tx(l.index)), Length: 1, LKey: r.of(l.index).plain.LKey()}
		wr.SGList, wr.NumSGE = &l.single[0], 1
	}
	l.aim(wr)
	_, err := l.qp.PostSend(wr)
	return err
}

// aim makes a request go to the peer's QP, or its shared receive queue, where a connection
// does not say that.
func (l *lane) aim(wr *verbs.SendWR) {
	switch r := l.worker.rig; {
	case r.plan.Multicast:
		wr.SetUD(r.ah, verbs.McastQPN, r.qkey)
	case r.anyOrder():
		addr, rkey := wr.RDMA()
		wr.SetSRD(r.ah, l.peer.QPNum, r.qkey, addr, rkey)
	case r.ah != nil:
		wr.SetUD(r.ah, l.peer.QPNum, r.qkey)
	case l.recvQP != nil:
		wr.SetXRC(l.peer.SRQ)
	}
}

func (l *lane) close() {
	l.in.close()
	l.part()
	l.qp.Close()
	if l.recvQP != nil {
		l.recvQP.Close()
	}
	if l.cm != nil {
		l.cm.Close()
	}
}
