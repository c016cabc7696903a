package shm_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

// scatteredPair returns the memory of a pair, and a function that posts a message in 32 SGEs of one
// block each: those of the request, or of the peer's receive.
func scatteredPair(t *testing.T, device string, op verbs.Opcode) (from, to []byte, post func() error) {
	const pieces = 32
	c := conf()
	c.device, c.BufferSize, c.Cap.MaxSendSGE, c.Cap.MaxRecvSGE = device, pieces*verbs.BlockSize, pieces, pieces
	a, b := pair(t, c)
	w, r := send{Op: op, Flags: verbs.SendSignaled}.Toward(b, 0), recv{}
	if op == verbs.OpSend {
		w.SGEs = []verbs.SGE{a.SGE(0, c.BufferSize)}
	}
	for i := range pieces {
		if op == verbs.OpRDMAWrite {
			w.SGEs = append(w.SGEs, a.SGE(i*verbs.BlockSize, verbs.BlockSize))
		}
		r.SGEs = append(r.SGEs, b.SGE(i*verbs.BlockSize, verbs.BlockSize))
	}
	return a.Mem, b.Mem, func() error {
		if op == verbs.OpSend {
			if _, err := b.TryPostRecv(r); err != nil {
				return err
			}
		}
		if _, err := a.TryPost(w); err != nil {
			return err
		}
		if err := spinFor(a.SendCQ.CQ); err != nil || op != verbs.OpSend {
			return err
		}
		return spinFor(b.RecvCQ.CQ)
	}
}

// spinFor waits for one completion.
func spinFor(cq verbs.CQ) error {
	var wc [1]verbs.WC
	for end := time.Now().Add(fixture.WaitTimeout); ; runtime.Gosched() {
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

// TestShuffleCrossesPieces covers that shuffling devices shuffle all pieces of a message together,
// and not piece by piece.
func TestShuffleCrossesPieces(t *testing.T) {
	if runtime.NumCPU() < 2 {
		t.Skip("needs two CPUs: one thread stores while another one polls")
	}
	for _, op := range []verbs.Opcode{verbs.OpRDMAWrite, verbs.OpSend} {
		for _, device := range devices[1:] {
			t.Run(fmt.Sprintf("%s/%s", device, op), func(t *testing.T) {
				from, to, post := scatteredPair(t, device, op)
				sent, misled := newWatcher(to, len(to)).observe(t, fixture.WaitTimeout, from, post)
				t.Logf("%d sent, first observed out of order: %d", sent, misled)
				if misled == 0 {
					t.Error("no message was observed out of order")
				}
			})
		}
	}
}
