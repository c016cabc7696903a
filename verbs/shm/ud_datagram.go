package shm

import (
	"slices"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/internal/store"
)

// datagram begins a UD message, which is a packet on the connection of two contexts
// and is not acknowledged. The receiving context acts as the device: it finds the
// QP and stores the message in the QP's next receive.
//
//	0        24                      64
//	+--------+-----------------------+-----------------+
//	| header | GRH                   | up to 4096 bytes|
//	+--------+-----------------------+-----------------+
//	          '------- stored in the receive ---------'
type datagram struct {
	mark      uint32 // datagramMark
	dest, src uint32 // QP numbers
	qkey      uint32
	flags     uint32
	imm       [4]byte
	grh
}

const (
	datagramMark   = 4
	datagramHeader = 24
	datagramMTU    = 4096
	datagramMax    = datagramHeader + verbs.GRHSize + datagramMTU

	datagramSolicited = 1 << 0
	datagramWithImm   = 1 << 1

	qpnMask  = 1<<24 - 1
	groupQPN = qpnMask // the QPs of a multicast group

	// ownQKey in a request selects the sending QP's Q_Key. A Q_Key with this bit can therefore be
	// sent only by QPs that have it, and only privileged processes may set one.
	ownQKey = 1 << 31
)

// decodeDatagram returns the header of a packet, or nil if it is malformed.
func decodeDatagram(b []byte) *datagram {
	if len(b) < datagramHeader+verbs.GRHSize || len(b) > datagramMax {
		return nil
	}
	d := view[datagram](b, 0)
	if d.mark != datagramMark || d.dest|d.src > qpnMask || d.flags > datagramSolicited|datagramWithImm ||
		!d.routed() || (d.dest == groupQPN) != isMulticast(d.dgid) || d.length() != len(b)-datagramHeader-verbs.GRHSize {
		return nil
	}
	return d
}

// sendDatagram sends a message of n bytes from q.localMem to the destination of the request's
// address handle. Delivery is not reported; a message longer than the MTU is dropped.
func (q *qp) sendDatagram(wr *verbs.SendWR, n uint64) verbs.WCStatus {
	handle, dest, qkey := wr.UD()
	a := q.ctx.ahs.slot(uint32(handle)).Load()
	if a == nil || a.handle != handle || a.pd != q.pd {
		return verbs.WCLocQPOpErr
	}
	if n > datagramMTU || q.injectLoss() {
		return verbs.WCSuccess
	}
	d := datagram{mark: datagramMark, dest: dest & qpnMask, src: q.num, qkey: qkey, imm: wr.Imm}
	d.grh = grhTo(&a.route, gidOf(q.ctx.id), int(n))
	if qkey&ownQKey != 0 {
		d.qkey = q.attr.QKey
	}
	if wr.Opcode == verbs.OpSendWithImm {
		d.flags |= datagramWithImm
	}
	if wr.SendFlags&verbs.SendSolicited != 0 {
		d.flags |= datagramSolicited
	}
	b := append(q.packet[:0], viewBytes(&d)...)
	for _, piece := range q.localMem {
		b = append(b, piece...)
	}
	q.packet = b
	if a.peerCtx == nil {
		q.ctx.sendToAll(b)
	} else {
		trySend(a.peerCtx.conn, b)
	}
	return verbs.WCSuccess
}

// deliver delivers a message to the QP with its number, or to the QPs of its group. The packet is
// GRH and message.
func (c *context) deliver(d *datagram, packet []byte) {
	if q := c.qpOf(d.dest); q != nil && d.dgid == gidOf(c.id) {
		q.deliver(d, packet)
		return
	}
	c.mu.Lock()
	members := slices.Clone(c.groups[d.dgid])
	c.mu.Unlock()
	for _, q := range members {
		q.deliver(d, packet)
	}
}

func (q *qp) deliver(d *datagram, packet []byte) {
	q.lock()
	status := q.accept(d, packet)
	generation := q.generation.Load()
	q.unlock()
	if status != verbs.WCSuccess {
		q.fail(generation)
	}
}

// accept stores the message in the next receive, if the QP accepts it and has posted one. A status
// other than success fails the QP.
func (q *qp) accept(d *datagram, packet []byte) verbs.WCStatus {
	if q.typ != verbs.QPTypeUD || !receives(verbs.QPState(q.state.Load())) {
		return verbs.WCSuccess
	}
	if d.qkey != q.attr.QKey {
		q.ctx.qkeyViolations.Add(1)
		return verbs.WCSuccess
	}
	e, sges, ok := q.takeReceive()
	if !ok {
		return verbs.WCSuccess
	}
	status := q.fill(sges, packet)
	e.wc = verbs.WC{
		WRID: e.wc.WRID, Status: status, Opcode: verbs.WCRecv, QPNum: q.num,
		ByteLen: uint32(len(packet)), SrcQP: d.src, Flags: verbs.WCGRH,
	}
	if d.flags&datagramWithImm != 0 {
		e.wc.Flags |= verbs.WCWithImm
		e.wc.Imm = d.imm
	}
	q.recvCQ.push(&e, d.flags&datagramSolicited != 0 || status != verbs.WCSuccess)
	return status
}

// takeReceive consumes the next receive of the QP or its SRQ. Its completion has the wr_id.
func (q *qp) takeReceive() (e ringWC, sges []verbs.SGE, ok bool) {
	if q.srq != nil {
		wrid, sges, ok := q.srq.take(q.sges[:0])
		return ringWC{wc: verbs.WC{WRID: wrid}, counter: &q.srq.completionsPolled}, sges, ok
	}
	r := &q.recv
	i := r.next.Load()
	if i == r.posted.Load() {
		return e, nil, false
	}
	r.next.Store(i + 1)
	return ringWC{wc: verbs.WC{WRID: r.slot(i).wrid}, counter: &r.freed}, r.layout.receive(r.file.Bytes(), i, &q.sges), true
}

// fill stores the packet in the local memory that the SGEs name.
func (q *qp) fill(sges []verbs.SGE, packet []byte) verbs.WCStatus {
	if totalLength(sges) < uint64(len(packet)) {
		return verbs.WCLocLenErr
	}
	order := q.ctx.dev.placement
	for _, s := range sges {
		if s.Length == 0 || len(packet) == 0 {
			continue
		}
		w := q.ctx.lookUpRegion(s.LKey, q.recvPD(), verbs.AccessLocalWrite)
		dst := w.slice(s.LKey, s.Addr, uint64(s.Length))
		if dst == nil {
			q.pieces = q.pieces[:0]
			return verbs.WCLocProtErr
		}
		order = max(order, q.ctx.dev.placementIn(&w))
		n := min(len(dst), len(packet))
		q.pieces = append(q.pieces, store.Piece{Dst: dst[:n], Src: packet[:n], Base: addressOf(dst)})
		packet = packet[n:]
	}
	q.storePieces(order, q.filledRecvs)
	q.filledRecvs++
	return verbs.WCSuccess
}
