package verbstest

import (
	"errors"
	"syscall"

	"github.com/ibperf/ibperf/verbs"
)

// resize changes the CQ's capacity. It skips the statement on a device that cannot.
func (e *env) resize(q *queue, cqe int) error {
	e.Helper()
	err := q.Resize(cqe)
	if errors.Is(err, verbs.ErrNotSupported) || errors.Is(err, syscall.ENOSYS) {
		e.Skipf("the device does not resize CQs: %v", err)
	}
	return err
}

// withReceived makes a pair with n completions, numbered from 0, in b's receive CQ of 16.
func (e *env) withReceived(n int) (a, b *side) {
	e.Helper()
	c := conf()
	c.CQE, c.Channel = 16, true
	a, b = e.pair(c)
	for i := range 16 {
		b.PostRecv(recv{ID: uint64(i)})
	}
	a.before(b, n)
	return a, b
}

func resizeKeeps(e *env) {
	a, b := e.withReceived(10)
	for _, n := range []int{1000, 10, 16} {
		e.ok(e.resize(b.RecvCQ, n))
		if got := b.RecvCQ.CQE(); got < n {
			e.Errorf("cqe %d, asked for %d", got, n)
		}
	}
	a.sends(6, 0)
	b.RecvCQ.ExpectInOrder(0, 15)
	b.RecvCQ.ExpectEmpty()
}

func resizeBelowContent(e *env) {
	a, b := e.withReceived(10)
	before := b.RecvCQ.CQE()
	for _, n := range []int{0, -1, e.device(b.Ctx).MaxCQE + 1, 9, 1} {
		e.refused("resize_cq", e.resize(b.RecvCQ, n), syscall.EINVAL)
		if got := b.RecvCQ.CQE(); got != before {
			e.Errorf("cqe %d became %d", before, got)
		}
	}
	a.sends(6, 0)
	b.RecvCQ.ExpectInOrder(0, 15)
}

func resizeDown(e *env) {
	c := conf()
	c.CQE = 1000
	a, b := e.pair(c)
	e.ok(e.resize(a.SendCQ, depth))
	if got := a.SendCQ.CQE(); got < depth {
		e.Errorf("cqe %d, asked for %d", got, depth)
	}
	for range 5 {
		a.Post(a.numbered(0, depth, b)...)
		a.SendCQ.ExpectInOrder(0, depth-1)
	}
}

// ownOrderOnly checks that on a CQ of several queues the completions of each queue keep their
// order.
func ownOrderOnly(e *env) {
	a, b, first, firstPeer := e.twoOnOneCQ()
	second, secondPeer := a.QP, b.QP
	const each = 8
	for i := range each {
		for _, p := range [][2]verbs.QP{{first, firstPeer}, {second, secondPeer}} {
			a.QP, b.QP = p[0], p[1]
			a.PostRecv(recv{ID: uint64(100 + i)})
			b.PostRecv(recv{ID: uint64(100 + i)})
			a.Post(send{ID: uint64(i), Op: opSend, Flags: signaled})
			b.Post(send{ID: uint64(i), Op: opSend, Flags: signaled})
		}
	}
	type workQueue struct {
		qp       uint32
		receives bool
	}
	next := map[workQueue]uint64{}
	for _, wc := range a.RecvCQ.Next(4 * each) {
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
