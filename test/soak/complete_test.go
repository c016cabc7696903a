package soak

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/ibperf/ibperf/verbs"
)

// errWrong is an error that is not due to the end of the other process.
var errWrong = errors.New("WRONG")

// complete handles a completion and checks the data that arrived.
func (w *work) complete(wc *verbs.WC) error {
	if wc.Status != verbs.WCSuccess {
		return &verbs.StatusError{Object: fmt.Sprintf("%s qp %#x", w.device, wc.QPNum), WRID: wc.WRID, Status: wc.Status, Vendor: wc.VendorErr}
	}
	if err := w.succeeded(wc); err != nil {
		return fmt.Errorf("%w: %w", errWrong, err)
	}
	return nil
}

func (w *work) succeeded(wc *verbs.WC) error {
	if wc.WRID&isReceive != 0 {
		return w.received(wc, int(wc.WRID&^isReceive))
	}
	i, conn := int(wc.WRID&0xffff), int(wc.WRID>>16&0xff)
	w.conns[conn].room += requestsOf(wc.WRID)
	if i == noSlot || w.slots[i].waits || w.slots[i].version != uint32(wc.WRID>>32) {
		return nil // an answer, or a message that the other side releases or has released
	}
	if err := w.checkLanding(i); err != nil {
		return err
	}
	if answer := w.slots[i].answer; answer >= 0 {
		w.releases = append(w.releases, uint16(answer))
	}
	return w.free(i)
}

// checkLanding checks the data of a READ, or the old value of an atomic operation.
func (w *work) checkLanding(i int) error {
	s, landing := &w.slots[i], w.mem[w.landing+i*w.size:]
	switch s.op {
	case verbs.OpRDMARead:
		return compare(fmt.Sprintf("READ into slot %d", i), landing[:len(s.want)], s.want)
	case verbs.OpAtomicFetchAndAdd, verbs.OpAtomicCmpAndSwp:
		if got := binary.LittleEndian.Uint64(landing); got != s.old {
			return fmt.Errorf("%s returned %#x instead of %#x", s.op, got, s.old)
		}
	}
	return nil
}

// received handles the completion of a receive, and posts the receive again.
func (w *work) received(wc *verbs.WC, i int) error {
	var err error
	if wc.Opcode == verbs.WCRecvRDMAWithImm {
		word := binary.BigEndian.Uint32(wc.Imm[:])
		err = w.checkWindow(header{slot: uint16(word >> 16), version: word & 0xffff, length: wc.ByteLen})
	} else {
		err = w.receivedSend(wc, w.mem[w.receives+i*w.receive:])
	}
	if err != nil {
		return err
	}
	return w.postReceive(i)
}

// checkWindow checks the data of a WRITE, and queues an answer.
func (w *work) checkWindow(h header) error {
	if int(h.slot) >= len(w.slots) || int(h.length) > w.size {
		return fmt.Errorf("WRITE of %d bytes to slot %d: no such slot or length", h.length, h.slot)
	}
	want := payload(w.seed, 1-w.role, h.slot, h.version, int(h.length))
	what := fmt.Sprintf("WRITE to slot %d, version %d", h.slot, h.version)
	if err := compare(what, w.mem[w.window+int(h.slot)*w.size:][:h.length], want); err != nil {
		return err
	}
	if w.kind.reliable() {
		w.releases = append(w.releases, h.slot)
	}
	return nil
}

// receivedSend handles a SEND in the memory of its receive.
func (w *work) receivedSend(wc *verbs.WC, b []byte) error {
	n := int(wc.ByteLen)
	if wc.Flags&verbs.WCGRH != 0 {
		b, n = b[verbs.GRHSize:], n-verbs.GRHSize
	}
	if n < headerSize || n > headerSize+w.size {
		return fmt.Errorf("SEND of %d bytes", n)
	}
	h, b := parse(b), b[headerSize:n]
	switch h.what {
	case data:
		w.got++
		return w.checkData(wc, h, b)
	case note:
		return w.checkWindow(h)
	case offer:
		w.offers = append(w.offers, h)
		return nil
	case release:
		if int(h.slot) >= len(w.slots) || !w.slots[h.slot].waits || !w.slots[h.slot].busy {
			return fmt.Errorf("slot %d was released, which does not wait for it", h.slot)
		}
		return w.free(int(h.slot))
	}
	return fmt.Errorf("SEND with an unknown header: %+v", h)
}

func (w *work) checkData(wc *verbs.WC, h header, b []byte) error {
	if int(h.length) != len(b) {
		return fmt.Errorf("SEND of %d bytes says that it has %d", len(b), h.length)
	}
	if wc.Flags&verbs.WCWithImm != 0 && binary.BigEndian.Uint32(wc.Imm[:]) != h.version {
		return fmt.Errorf("immediate data %x of version %d", wc.Imm, h.version)
	}
	want := payload(w.seed, 1-w.role, h.slot, h.version, len(b))
	return compare(fmt.Sprintf("SEND of slot %d, version %d", h.slot, h.version), b, want)
}
