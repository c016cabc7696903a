package verbstest

import (
	"errors"
	"syscall"

	"github.com/ibperf/ibperf/verbs"
)

// resize changes the CQ's capacity; the statement is skipped if the device cannot.
func (q *queue) resize(cqe int) error {
	q.e.Helper()
	err := q.Resize(cqe)
	if errors.Is(err, verbs.ErrNotSupported) || errors.Is(err, syscall.ENOSYS) {
		q.e.Skipf("the device does not resize CQs: %v", err)
	}
	return err
}

// inOrder polls the receives with the numbers from first to last.
func (q *queue) inOrder(first, last int) {
	q.e.Helper()
	for i, wc := range q.next(last - first + 1) {
		if wc.WRID != uint64(first+i) || wc.Status != verbs.WCSuccess {
			q.e.Fatalf("completion %d: wr_id %d %s", first+i, wc.WRID, wc.Status)
		}
	}
}

// withReceived makes a pair with n completions, numbered from 0, in b's receive CQ of 16.
func (e *env) withReceived(n int) (a, b *side) {
	e.Helper()
	c := conf()
	c.cqe, c.channel = 16, true
	a, b = e.pair(c)
	for i := range 16 {
		b.recv(recv{id: uint64(i)})
	}
	a.before(b, n)
	return a, b
}

func resizeKeeps(e *env) {
	a, b := e.withReceived(10)
	for _, n := range []int{1000, 10, 16} {
		e.ok(b.recvCQ.resize(n))
		if got := b.recvCQ.CQE(); got < n {
			e.Errorf("cqe %d, asked for %d", got, n)
		}
	}
	a.sends(6, 0)
	b.recvCQ.inOrder(0, 15)
	b.recvCQ.empty()
}

func resizeBelowContent(e *env) {
	a, b := e.withReceived(10)
	before := b.recvCQ.CQE()
	for _, n := range []int{0, -1, e.device(b.ctx).MaxCQE + 1, 9, 1} {
		e.refused("resize_cq", b.recvCQ.resize(n), syscall.EINVAL)
		if got := b.recvCQ.CQE(); got != before {
			e.Errorf("cqe %d became %d", before, got)
		}
	}
	a.sends(6, 0)
	b.recvCQ.inOrder(0, 15)
}

func resizeDown(e *env) {
	c := conf()
	c.cqe = 1000
	a, b := e.pair(c)
	e.ok(a.sendCQ.resize(depth))
	if got := a.sendCQ.CQE(); got < depth {
		e.Errorf("cqe %d, asked for %d", got, depth)
	}
	for range 5 {
		a.post(a.numbered(0, depth, b)...)
		a.sendCQ.inOrder(0, depth-1)
	}
}

// ownOrderOnly: on a CQ that several queues share, each queue's completions come
// in its own order, however they are mixed.
func ownOrderOnly(e *env) {
	a, b, first, firstPeer := e.twoOnOneCQ()
	second, secondPeer := a.qp, b.qp
	const each = 8
	for i := range each {
		for _, p := range [][2]verbs.QP{{first, firstPeer}, {second, secondPeer}} {
			a.qp, b.qp = p[0], p[1]
			a.recv(recv{id: uint64(100 + i)})
			b.recv(recv{id: uint64(100 + i)})
			a.post(send{id: uint64(i), op: opSend, flags: signaled})
			b.post(send{id: uint64(i), op: opSend, flags: signaled})
		}
	}
	type workQueue struct {
		qp       uint32
		receives bool
	}
	next := map[workQueue]uint64{}
	for _, wc := range a.recvCQ.next(4 * each) {
		from := workQueue{wc.QPNum, wc.WRID >= 100}
		if got := wc.WRID % 100; got != next[from] {
			e.Errorf("qp_num %#x, receives %v: completion %d came as number %d", wc.QPNum, from.receives, got, next[from])
		}
		next[from]++
	}
	if len(next) != 4 {
		e.Errorf("completions of %d queues, want 4", len(next))
	}
}
