package soak

import (
	"encoding/binary"

	"github.com/ibperf/ibperf/verbs"
)

// source writes header and payload of the slot's message, and returns their SGE.
func (w *work) source(i, n int, what message) verbs.SGE {
	at := i * (headerSize + w.size)
	h := header{what: what, slot: uint16(i), version: w.slots[i].version, length: uint32(n)}
	h.put(w.mem[at:])
	copy(w.mem[at+headerSize:], payload(w.seed, w.role, uint16(i), w.slots[i].version, n))
	return verbs.SGE{Addr: w.mr.Addr() + uint64(at), Length: uint32(headerSize + n), LKey: w.mr.LKey()}
}

// postData posts a SEND with a payload, with immediate data or without.
func (w *work) postData(i, conn, n int) error {
	s := w.take(i, verbs.OpSend)
	w.sent++
	wr := w.request(0, verbs.OpSend, w.source(i, n, data))
	if w.random.IntN(2) == 0 {
		wr.Opcode = verbs.OpSendWithImm
		binary.BigEndian.PutUint32(wr.Imm[:], s.version)
	}
	if headerSize+n <= inline && w.random.IntN(2) == 0 {
		wr.SendFlags |= verbs.SendInline
	}
	return w.postList(w.idOf(i, conn, 1), conn)
}

// postWrite posts a WRITE, and a SEND that announces it.
func (w *work) postWrite(i, conn, n int) error {
	s := w.take(i, verbs.OpRDMAWrite)
	s.waits = true
	w.writeTo(i, n, verbs.OpRDMAWrite)
	return w.postHeader(header{what: note, slot: uint16(i), version: s.version, length: uint32(n)}, i, conn, true)
}

// postWriteImm posts a WRITE_WITH_IMM.
func (w *work) postWriteImm(i, conn, n int, waits bool) error {
	s := w.take(i, verbs.OpRDMAWriteWithImm)
	s.waits = waits
	wr := w.writeTo(i, n, verbs.OpRDMAWriteWithImm)
	binary.BigEndian.PutUint32(wr.Imm[:], uint32(i)<<16|s.version)
	return w.postList(w.idOf(i, conn, 1), conn)
}

// writeTo makes the request that stores the slot's payload in the other side's window.
func (w *work) writeTo(i, n int, op verbs.Opcode) *verbs.SendWR {
	from := w.source(i, n, data)
	from.Addr, from.Length = from.Addr+headerSize, uint32(n)
	wr := w.request(0, op, from)
	wr.SetRDMA(w.far.Addr+uint64(w.window+i*w.size), w.far.RKey)
	return wr
}

// postRead posts a READ into the slot's landing.
func (w *work) postRead(i, conn int, addr uint64, rkey uint32, want []byte, answer int) error {
	s := &w.slots[i]
	s.want, s.answer = want, answer
	wr := w.request(0, verbs.OpRDMARead, w.landingOf(i, len(want)))
	wr.SetRDMA(addr, rkey)
	return w.postList(w.idOf(i, conn, 1), conn)
}

func (w *work) landingOf(i, n int) verbs.SGE {
	return verbs.SGE{Addr: w.mr.Addr() + uint64(w.landing+i*w.size), Length: uint32(n), LKey: w.mr.LKey()}
}

// postAtomic posts an operation on a word that only this connection changes, so that its old
// value is known.
func (w *work) postAtomic(i, conn int) error {
	l := &w.conns[conn]
	s := w.take(i, verbs.OpAtomicFetchAndAdd)
	s.old = l.word
	operand, at := w.random.Uint64(), w.far.Addr+uint64(w.words+8*conn)
	wr := w.request(0, verbs.OpAtomicFetchAndAdd, w.landingOf(i, 8))
	switch w.random.IntN(3) {
	case 0:
		wr.SetAtomic(at, w.far.RKey, operand, 0)
		l.word += operand
	case 1:
		s.op, wr.Opcode = verbs.OpAtomicCmpAndSwp, verbs.OpAtomicCmpAndSwp
		wr.SetAtomic(at, w.far.RKey, l.word, operand)
		l.word = operand
	case 2: // does not swap
		s.op, wr.Opcode = verbs.OpAtomicCmpAndSwp, verbs.OpAtomicCmpAndSwp
		wr.SetAtomic(at, w.far.RKey, l.word+1, operand)
	}
	return w.postList(w.idOf(i, conn, 1), conn)
}

// postOffer registers memory that the other side must READ. At most half of the slots are
// offers, as each occupies a slot of the reader too.
func (w *work) postOffer(i, conn, n int) (err error) {
	if i >= w.plan.slots/2 || n == 0 {
		return w.postData(i, conn, n)
	}
	s := w.take(i, verbs.OpSend)
	s.waits = true
	buf, err := verbs.NewBuffer(n)
	if err != nil {
		return err
	}
	copy(buf.Bytes(), payload(w.seed, w.role, uint16(i), s.version, n))
	mr, err := w.pd.RegMR(buf.Bytes(), verbs.AccessRemoteRead)
	if err != nil {
		buf.Close()
		return err
	}
	s.mr, s.buf = mr, buf
	return w.postHeader(header{what: offer, slot: uint16(i), version: s.version, length: uint32(n),
		addr: mr.Addr(), rkey: mr.RKey()}, i, conn, false)
}

// postHeader posts a SEND without a payload. If behind is set it follows the request that was
// built before.
func (w *work) postHeader(h header, i, conn int, behind bool) error {
	b := w.mem[w.total-headerSize:]
	h.put(b) // sent inline, so free after the post
	k, requests := 0, 1
	if behind {
		k, requests = 1, 2
	}
	wr := w.request(k, verbs.OpSend, verbs.SGE{Addr: w.mr.Addr() + uint64(w.total-headerSize), Length: headerSize, LKey: w.mr.LKey()})
	wr.SendFlags |= verbs.SendInline
	if behind {
		w.send[0].Next = wr
	}
	return w.postList(w.idOf(i, conn, requests), conn)
}
