//go:build linux && cgo

package ibv

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// requests are arrays for a list of depth messages of two elements.
type requests struct {
	send []verbs.SendWR
	recv []verbs.RecvWR
	sge  []verbs.SGE
	wc   []verbs.WC
}

func onHeap() *requests {
	return &requests{make([]verbs.SendWR, depth), make([]verbs.RecvWR, depth), make([]verbs.SGE, 4*depth), make([]verbs.WC, 2*depth)}
}

func outsideHeap(t *testing.T) *requests {
	t.Helper()
	r := &requests{}
	var errs [4]error
	r.send, errs[0] = verbs.Make[verbs.SendWR](depth)
	r.recv, errs[1] = verbs.Make[verbs.RecvWR](depth)
	r.sge, errs[2] = verbs.Make[verbs.SGE](4 * depth)
	r.wc, errs[3] = verbs.Make[verbs.WC](2 * depth)
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// link makes lists of the first n requests: each sends 16 bytes in two elements. The
// other requests of the arrays have elements too.
func (r *requests) link(l loopback, n int) {
	for i := range depth {
		at := l.Buffer.Addr() + uint64(32*i)
		for part := range 4 {
			r.sge[4*i+part] = verbs.SGE{Addr: at + uint64(8*part), Length: 8, LKey: l.MR.LKey()}
		}
		r.send[i] = verbs.SendWR{WRID: uint64(i), Opcode: verbs.OpSend, SGList: &r.sge[4*i], NumSGE: 2}
		r.recv[i] = verbs.RecvWR{WRID: uint64(depth + i), SGList: &r.sge[4*i+2], NumSGE: 2}
		if i > 0 && i < n {
			r.send[i-1].Next, r.recv[i-1].Next = &r.send[i], &r.recv[i]
		}
	}
}

// exchange sends n messages as a list and checks their completions and data.
func (l loopback) exchange(r *requests, n int, seed uint64) error {
	r.link(l, n)
	mem := l.Mem
	for i := range n {
		binary.NativeEndian.PutUint64(mem[32*i:], seed+uint64(i))
		binary.NativeEndian.PutUint64(mem[32*i+8:], ^seed)
	}
	if bad, err := l.postRecv(&r.recv[0]); err != nil || bad != nil {
		return fmt.Errorf("post_recv: %v, %w", bad, err)
	}
	if bad, err := l.QP.PostSend(&r.send[0]); err != nil || bad != nil {
		return fmt.Errorf("post_send: %v, %w", bad, err)
	}
	if got, err := l.RecvCQ.Poll(r.wc); err != nil || got != 2*n {
		return fmt.Errorf("%d completions, want %d: %w", got, 2*n, err)
	}
	for i := range n {
		recv, send := &r.wc[2*i], &r.wc[2*i+1]
		if send.WRID != uint64(i) || recv.WRID != uint64(depth+i) || recv.Opcode != verbs.WCRecv || recv.ByteLen != 16 {
			return fmt.Errorf("message %d: %+v, %+v", i, *send, *recv)
		}
		first, second := binary.NativeEndian.Uint64(mem[32*i+16:]), binary.NativeEndian.Uint64(mem[32*i+24:])
		if first != seed+uint64(i) || second != ^seed {
			return fmt.Errorf("message %d of %#x is %#x, %#x", i, seed, first, second)
		}
	}
	return nil
}

// TestLoopbackMemory: requests, elements and completions may be on Go's heap or outside.
func TestLoopbackMemory(t *testing.T) {
	ctx := openLoopback(t)
	for name, shared := range map[string]bool{"qp": false, "srq": true} {
		t.Run(name, func(t *testing.T) {
			l := newLoopback(t, ctx, shared)
			outside, heap := outsideHeap(t), onHeap()
			for n := 1; n <= depth; n++ {
				for i, r := range []*requests{outside, heap, {heap.send, outside.recv, outside.sge, heap.wc}} {
					if err := l.exchange(r, n, uint64(n)<<(16*i)); err != nil {
						t.Fatal(i, err)
					}
				}
			}
		})
	}
}

// TestLoopbackBadRequest: the bad request that PostSend returns is the caller's own.
func TestLoopbackBadRequest(t *testing.T) {
	l := newLoopback(t, openLoopback(t), false)
	for name, r := range map[string]*requests{"heap": onHeap(), "outside": outsideHeap(t)} {
		r.link(l, 3)
		r.send[0].Opcode, r.send[1].Opcode = verbs.OpRDMAWrite, 99
		r.send[0].SetRDMA(l.MR.Addr(), l.MR.RKey())
		if bad, err := l.QP.PostSend(&r.send[0]); bad != &r.send[1] || err == nil {
			t.Errorf("%s: request %p of %p is bad: %v", name, bad, &r.send[0], err)
		}
	}
}

// TestLoopbackDoesNotAllocate: timed calls with memory outside Go's heap do not allocate, in
// both call modes.
func TestLoopbackDoesNotAllocate(t *testing.T) {
	l, r := newLoopback(t, openLoopback(t), false), outsideHeap(t)
	if err := l.exchange(r, depth, 1); err != nil {
		t.Fatal(err)
	}
	allocations := testing.AllocsPerRun(1000, func() {
		_, _ = l.QP.PostRecv(&r.recv[0])
		_, _ = l.QP.PostSend(&r.send[0])
		if n, err := l.RecvCQ.PollSpin(r.wc, 10); n != 2*depth || err != nil {
			t.Fatal(n, err)
		}
		if err := l.RecvCQ.ReqNotify(false); err != nil {
			t.Fatal(err)
		}
	})
	if allocations != 0 {
		t.Errorf("%v allocations for a list posted and polled", allocations)
	}
}

// TestLoopbackStress posts and polls arrays that become garbage at once, from more
// goroutines than there are CPUs, during garbage collections.
func TestLoopbackStress(t *testing.T) {
	ctx := openLoopback(t)
	var all sync.WaitGroup
	end := time.Now().Add(*length)
	for range 2 * runtime.GOMAXPROCS(0) {
		l := newLoopback(t, ctx, false)
		all.Go(func() {
			for seed := uint64(1); time.Now().Before(end) && !t.Failed(); seed++ {
				if err := l.exchange(onHeap(), 1+int(seed%depth), seed); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Go(func() {
		for time.Now().Before(end) {
			runtime.GC()
		}
	})
	all.Wait()
}
