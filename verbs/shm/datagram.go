package shm

import (
	"encoding/binary"

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
	dest, src uint32 // QP numbers
	qkey      uint32
	flags     uint32
	imm       [4]byte
	packet    []byte // GRH and message
}

const (
	datagramMark   = 4 // first word of the header
	datagramHeader = 24
	datagramMTU    = 4096
	datagramMax    = datagramHeader + verbs.GRHSize + datagramMTU

	datagramSolicited = 1 << 0
	datagramWithImm   = 1 << 1

	qpnMask  = 1<<24 - 1
	groupQPN = qpnMask // stands for the QPs of a group
)

// appendHeader appends everything but GRH and message.
func (d *datagram) appendHeader(b []byte) []byte {
	for _, v := range []uint32{datagramMark, d.dest, d.src, d.qkey, d.flags} {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return append(b, d.imm[:]...)
}

// decodeDatagram checks everything that a packet says of itself.
func decodeDatagram(b []byte) (datagram, bool) {
	if len(b) < datagramHeader+verbs.GRHSize || len(b) > datagramMax {
		return datagram{}, false
	}
	u := func(i int) uint32 { return binary.LittleEndian.Uint32(b[4*i:]) }
	d := datagram{dest: u(1), src: u(2), qkey: u(3), flags: u(4), imm: [4]byte(b[20:]), packet: b[datagramHeader:]}
	g := decodeGRH(d.packet)
	ok := u(0) == datagramMark && d.dest|d.src <= qpnMask && d.flags <= datagramSolicited|datagramWithImm &&
		(d.dest == groupQPN) == isMulticast(g.dgid) && g.version == grhVersion && g.nextHeader == grhNextHeader && int(g.length) == len(d.packet)-verbs.GRHSize
	return d, ok
}

// datagram sends a message of n bytes, which q.near holds, to where the request's
// address handle leads. Nobody tells whether it arrives; what is longer than the
// MTU never leaves.
func (q *qp) datagram(wr *verbs.SendWR, n uint64) verbs.WCStatus {
	handle, dest, qkey := wr.UD()
	a := q.ctx.ahs.at(uint32(handle)).Load()
	if a == nil || a.handle != handle || a.pd != q.pd {
		return verbs.WCLocQPOpErr
	}
	if n > datagramMTU || q.lost() {
		return verbs.WCSuccess
	}
	d := datagram{dest: dest & qpnMask, src: q.num, qkey: qkey, imm: wr.Imm}
	if qkey&ownQKey != 0 {
		d.qkey = q.attr.QKey
	}
	if wr.Opcode == verbs.OpSendWithImm {
		d.flags |= datagramWithImm
	}
	if wr.SendFlags&verbs.SendSolicited != 0 {
		d.flags |= datagramSolicited
	}
	g := grhTo(&a.route, gidOf(q.ctx.id), int(n))
	b := g.append(d.appendHeader(q.packet[:0]))
	for _, piece := range q.near {
		b = append(b, piece...)
	}
	q.packet = b
	if a.remote == nil {
		q.ctx.multicastPeers.send(b)
	} else {
		sendNow(a.remote.conn, b)
	}
	return verbs.WCSuccess
}

// deliver hands a message to the QPs that it is for: the one of its number, or
// those of a group.
func (c *context) deliver(d *datagram) {
	g := decodeGRH(d.packet)
	if d.dest == groupQPN {
		for _, q := range c.members(g.dgid) {
			q.deliver(d)
		}
		return
	}
	if q := c.qpOf(d.dest); q != nil && g.dgid == gidOf(c.id) {
		q.deliver(d)
	}
}

func (q *qp) deliver(d *datagram) {
	q.lock()
	status := q.accept(d)
	life := q.life.Load()
	q.unlock()
	if status != verbs.WCSuccess {
		q.fail(life)
	}
}

// accept puts the message into the next receive, if the QP is to have it and has
// posted one. The status is not success if that ends the QP.
func (q *qp) accept(d *datagram) verbs.WCStatus {
	if q.typ != verbs.QPTypeUD || !receives(verbs.QPState(q.state.Load())) {
		return verbs.WCSuccess
	}
	if d.qkey != q.attr.QKey {
		q.ctx.qkeyViolations.Add(1)
		return verbs.WCSuccess
	}
	wrid, sges, ok := q.takeReceive()
	if !ok {
		return verbs.WCSuccess
	}
	wc := verbs.WC{
		WRID: wrid, Status: q.fill(sges, d.packet), Opcode: verbs.WCRecv, QPNum: q.num,
		ByteLen: uint32(len(d.packet)), SrcQP: d.src, Flags: verbs.WCGRH,
	}
	if d.flags&datagramWithImm != 0 {
		wc.Flags |= verbs.WCWithImm
		wc.Imm = d.imm
	}
	e := ownWC{wc: wc, places: &q.recv.freed}
	if q.srq != nil {
		e.places = &q.srq.polled
	}
	q.recvCQ.push(&e, d.flags&datagramSolicited != 0 || wc.Status != verbs.WCSuccess)
	return wc.Status
}

// takeReceive takes the next receive, of the SRQ if the QP is on one.
func (q *qp) takeReceive() (wrid uint64, sges []verbs.SGE, ok bool) {
	if q.srq != nil {
		return q.srq.take(q.sges[:0])
	}
	r := &q.recv
	i := r.next.Load()
	if i == r.posted.Load() {
		return 0, nil, false
	}
	r.next.Store(i + 1)
	return r.slot(i).wrid, r.layout.receive(r.file.Bytes(), i, &q.sges), true
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
		q.message = append(q.message, place.Piece{Dst: dst[:n], Src: packet[:n], Base: s.Addr})
		packet = packet[n:]
	}
	q.place(q.filled)
	q.filled++
	return verbs.WCSuccess
}
