package shm_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// scattered returns a pair, the peer's memory, and how a message is posted that lies in
// 32 SGEs of one block each: those of the request, or of the peer's receive.
func scattered(t *testing.T, device string, op verbs.Opcode) (from, to []byte, post func() error) {
	const pieces = 32
	c := conf()
	c.device, c.size, c.cap.MaxSendSGE, c.cap.MaxRecvSGE = device, pieces*verbs.BlockSize, pieces, pieces
	a, b := pair(t, c)
	w, r := send{op: op, flags: verbs.SendSignaled}.toward(b, 0), recv{}
	if op == verbs.OpSend {
		w.sges = []verbs.SGE{a.sge(0, c.size)}
	}
	for i := range pieces {
		if op == verbs.OpRDMAWrite {
			w.sges = append(w.sges, a.sge(i*verbs.BlockSize, verbs.BlockSize))
		}
		r.sges = append(r.sges, b.sge(i*verbs.BlockSize, verbs.BlockSize))
	}
	return a.mem, b.mem, func() error {
		if op == verbs.OpSend {
			if _, err := b.postRecv(r); err != nil {
				return err
			}
		}
		if _, err := a.post(w); err != nil {
			return err
		}
		if err := spinFor(a.sendCQ); err != nil || op != verbs.OpSend {
			return err
		}
		return spinFor(b.recvCQ)
	}
}

// spinFor waits for one completion.
func spinFor(cq verbs.CQ) error {
	var wc [1]verbs.WC
	for end := time.Now().Add(deadline); ; runtime.Gosched() {
		n, err := cq.Poll(wc[:])
		switch {
		case err != nil || n == 1 && wc[0].Status == verbs.WCSuccess:
			return err
		case n == 1:
			return fmt.Errorf("completion with %s", wc[0].Status)
		case time.Now().After(end):
			return verbs.ErrTimeout
		}
	}
}

// TestOrderOfPieces: a message in pieces is stored out of order as a whole, not piece
// after piece, on the devices that shuffle.
func TestOrderOfPieces(t *testing.T) {
	if runtime.NumCPU() < 2 {
		t.Skip("needs two CPUs: one thread stores while another one looks")
	}
	for _, op := range []verbs.Opcode{verbs.OpRDMAWrite, verbs.OpSend} {
		for _, device := range devices[1:] {
			t.Run(fmt.Sprintf("%s/%s", device, op), func(t *testing.T) {
				from, to, post := scattered(t, device, op)
				sent, misled := newWatcher(to, len(to)).watch(t, deadline, from, post)
				t.Logf("%d sent, first seen out of order: %d", sent, misled)
				if misled == 0 {
					t.Error("no message was seen out of order")
				}
			})
		}
	}
}
