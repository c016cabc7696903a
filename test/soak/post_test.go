package soak

import (
	"slices"

	"github.com/ibperf/ibperf/verbs"
)

// The wr_id of a send holds the slot and its version, the connection, and the number of requests
// that the completion covers. The wr_id of a receive holds its index.
const (
	isReceive  = 1 << 63
	noSlot     = 0xffff
	staticSlot = 0xfffe // of the payload that READs can always fetch
)

func (w *work) idOf(slot, conn, requests int) uint64 {
	id := uint64(slot) | uint64(conn)<<16 | uint64(requests)<<24
	if slot != noSlot {
		id |= uint64(w.slots[slot].version) << 32
	}
	return id
}

func requestsOf(id uint64) int { return int(id >> 24 & 0xff) }

// post posts answers and new messages, up to the room in the send queues.
func (w *work) post() (posted bool, err error) {
	for len(w.releases) > 0 && w.conns[0].room > 0 {
		h := header{what: release, slot: w.releases[0]}
		w.releases = w.releases[1:]
		if err := w.postHeader(h, noSlot, 0, false); err != nil {
			return false, err
		}
		posted = true
	}
	for len(w.offers) > 0 {
		i, conn := w.freeSlot()
		if i < 0 {
			return posted, nil
		}
		h := w.offers[0]
		w.offers = w.offers[1:]
		w.take(i, verbs.OpRDMARead)
		want := payload(w.seed, 1-w.role, h.slot, h.version, int(h.length))
		if err := w.postRead(i, conn, h.addr, h.rkey, want, int(h.slot)); err != nil {
			return false, err
		}
		posted = true
	}
	for w.issued < w.messages {
		i, conn := w.freeSlot()
		if i < 0 {
			return posted, nil
		}
		if err := w.issue(i, conn); err != nil {
			return false, err
		}
		w.issued++
		posted = true
	}
	return posted, nil
}

// freeSlot returns a free slot, or -1, and a connection with room for its requests.
func (w *work) freeSlot() (i, conn int) {
	conn = w.random.IntN(len(w.conns))
	if w.conns[conn].room < 2 {
		return -1, 0
	}
	return slices.IndexFunc(w.slots, func(s slot) bool { return !s.busy }), conn
}

func (w *work) take(i int, op verbs.Opcode) *slot {
	s := &w.slots[i]
	*s = slot{busy: true, op: op, version: s.version + 1, written: s.written, answer: -1}
	return s
}

// free makes a slot ready for another message.
func (w *work) free(i int) error {
	s := &w.slots[i]
	s.busy = false
	if s.mr == nil {
		return nil
	}
	err := s.mr.Close()
	if closed := s.buf.Close(); err == nil {
		err = closed
	}
	s.mr, s.buf = nil, nil
	return err
}

// issue posts a message of some kind.
func (w *work) issue(i, conn int) error {
	n := w.random.IntN(w.size + 1)
	if w.random.IntN(2) == 0 {
		n = w.random.IntN(min(w.size, 256) + 1)
	}
	if !w.kind.reliable() {
		if w.kind == overUC && !w.slots[i].written && w.random.IntN(2) == 0 {
			w.slots[i].written = true
			return w.postWriteImm(i, conn, n, false)
		}
		return w.postData(i, conn, n)
	}
	switch k := w.random.IntN(16); {
	case k < 4:
		return w.postData(i, conn, n)
	case k < 7:
		return w.postWrite(i, conn, n)
	case k < 10:
		return w.postWriteImm(i, conn, n, true)
	case k < 12:
		w.take(i, verbs.OpRDMARead)
		at := w.random.IntN(w.size - n + 1)
		want := payload(w.seed, 1-w.role, staticSlot, 0, w.size)[at:][:n]
		return w.postRead(i, conn, w.far.Addr+uint64(w.static+at), w.far.RKey, want, -1)
	case k < 15:
		return w.postAtomic(i, conn)
	}
	return w.postOffer(i, conn, n)
}

func (s *side) postReceive(i int) error {
	s.sge[0] = verbs.SGE{Addr: s.mr.Addr() + uint64(s.receives+i*s.receive), Length: uint32(s.receive), LKey: s.mr.LKey()}
	wr := &s.recv[0]
	*wr = verbs.RecvWR{WRID: isReceive | uint64(i), SGList: &s.sge[0], NumSGE: 1}
	post := s.conns[0].qp.PostRecv
	if s.srq != nil {
		post = s.srq.PostRecv
	}
	_, err := post(wr)
	return err
}
