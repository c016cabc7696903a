package shm

import (
	"slices"

	"github.com/ibperf/ibperf/internal/place"
	"github.com/ibperf/ibperf/verbs"
)

// A message of UD is a packet on the connection of two contexts, which
// gets no answer. The context that it comes to is its device: it looks for the
// QP and puts the message into the QP's next receive.
//
//	0        24                      64
//	+--------+-----------------------+-----------------+
//	| header | GRH                   | up to 4096 bytes|
//	+--------+-----------------------+-----------------+
//	          '------- what the receive is filled with -'
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
	groupQPN = qpnMask // stands for the QPs of a group

	// ownQKey in a request stands for the sending QP's Q_Key. A Q_Key with this bit can so be
	// sent only by QPs that have it, and only the privileged may set one.
	ownQKey = 1 << 31
)

// decodeDatagram returns what a packet begins with, or nil if that is not as it should be.
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

// sendDatagram sends a message of n bytes, which q.near holds, to where the request's
// address handle leads. Nobody tells whether it arrives; what is longer than the
// MTU never leaves.
func (q *qp) sendDatagram(wr *verbs.SendWR, n uint64) verbs.WCStatus {
	handle, dest, qkey := wr.UD()
	a := q.ctx.ahs.at(uint32(handle)).Load()
	if a == nil || a.handle != handle || a.pd != q.pd {
		return verbs.WCLocQPOpErr
	}
	if n > datagramMTU || q.lost() {
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
	for _, piece := range q.near {
		b = append(b, piece...)
	}
	q.packet = b
	if a.remote == nil {
		q.ctx.sendToAll(b)
	} else {
		trySend(a.remote.conn, b)
	}
	return verbs.WCSuccess
}

// deliver hands a message to the QPs that it is for: the one of its number, or those of a
// group. The packet is GRH and message.
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
	life := q.life.Load()
	q.unlock()
	if status != verbs.WCSuccess {
		q.fail(life)
	}
}

// accept puts the message into the next receive, if the QP is to have it and has
// posted one. The status is not success if that ends the QP.
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

// takeReceive takes the next receive, of the SRQ if the QP is on one. Its completion has the
// wr_id.
func (q *qp) takeReceive() (e ownWC, sges []verbs.SGE, ok bool) {
	if q.srq != nil {
		wrid, sges, ok := q.srq.take(q.sges[:0])
		return ownWC{wc: verbs.WC{WRID: wrid}, places: &q.srq.polled}, sges, ok
	}
	r := &q.recv
	i := r.next.Load()
	if i == r.posted.Load() {
		return e, nil, false
	}
	r.next.Store(i + 1)
	return ownWC{wc: verbs.WC{WRID: r.slot(i).wrid}, places: &r.freed}, r.layout.receive(r.file.Bytes(), i, &q.sges), true
}

// fill stores the packet in the memory of this side that the SGEs name.
func (q *qp) fill(sges []verbs.SGE, packet []byte) verbs.WCStatus {
	if total(sges) < uint64(len(packet)) {
		return verbs.WCLocLenErr
	}
	for _, s := range sges {
		if s.Length == 0 || len(packet) == 0 {
			continue
		}
		w := q.ctx.window(s.LKey, q.recvPD(), verbs.AccessLocalWrite)
		dst := w.at(s.LKey, s.Addr, uint64(s.Length))
		if dst == nil {
			q.message = q.message[:0]
			return verbs.WCLocProtErr
		}
		n := min(len(dst), len(packet))
		q.message = append(q.message, place.Piece{Dst: dst[:n], Src: packet[:n], Base: addressOf(dst)})
		packet = packet[n:]
	}
	q.place(q.filled)
	q.filled++
	return verbs.WCSuccess
}
