package shm_test

import (
	"syscall"
	"testing"

	"github.com/ibperf/ibperf/verbs"
)

func TestCreateCQ(t *testing.T) {
	ctx := openDevice(t, "shm_whole")
	attr := must(ctx.QueryDevice())(t)
	for _, n := range []int{1, 2, 3, 100, 4097, attr.MaxCQE} {
		cq := must(ctx.CreateCQ(n, nil, 0))(t)
		if cq.CQE() < n {
			t.Errorf("CQ-1: cqe %d, asked for %d", cq.CQE(), n)
		}
		noError(t, cq.ReqNotify(false)) // CQ-3: legal without a channel
		noError(t, cq.Close())
	}
	for _, bad := range [][2]int{{0, 0}, {-1, 0}, {attr.MaxCQE + 1, 0}, {1, -1}, {1, attr.NumCompVectors}} {
		_, err := ctx.CreateCQ(bad[0], nil, bad[1])
		wantErrno(t, err, syscall.EINVAL) // CQ-2
	}
	other := openDevice(t, "shm_whole")
	ch := must(other.CreateCompChannel())(t)
	_, err := ctx.CreateCQ(1, ch, 0)
	wantErrno(t, err, syscall.EINVAL) // DEV-5
	noError(t, ch.Close())
}

func TestPoll(t *testing.T) {
	t.Run("CQ-5 CQ-6 as many as fit, once each", func(t *testing.T) {
		a, b := pair(t, conf())
		var none [1]verbs.WC
		if n, err := a.sendCQ.Poll(none[:]); n != 0 || err != nil {
			t.Fatalf("empty CQ: %d, %v", n, err)
		}
		list := make([]send, 7)
		for i := range list {
			list[i] = send{id: uint64(i), flags: verbs.SendSignaled}.toward(b, 0)
		}
		a.mustPost(t, list...)
		if n, err := a.sendCQ.Poll(nil); n != 0 || err != nil {
			t.Errorf("poll for none: %d, %v", n, err)
		}
		var ids []uint64
		for _, room := range []int{3, 3, 3, 3} {
			wc := make([]verbs.WC, room)
			n, err := a.sendCQ.Poll(wc)
			noError(t, err)
			for _, c := range wc[:n] {
				ids = append(ids, c.WRID)
			}
		}
		if len(ids) != 7 {
			t.Fatalf("polled %d, want 7", len(ids))
		}
		for i, id := range ids {
			if id != uint64(i) {
				t.Errorf("CQ-8: completion %d has wr_id %d", i, id)
			}
		}
	})
	t.Run("PollSpin", func(t *testing.T) {
		a, b := pair(t, conf())
		var wc [4]verbs.WC
		if n, err := a.sendCQ.PollSpin(wc[:], 1000); n != 0 || err != nil {
			t.Errorf("empty CQ: %d, %v", n, err)
		}
		a.mustPost(t, send{id: 5, flags: verbs.SendSignaled}.toward(b, 0))
		if n, err := a.sendCQ.PollSpin(wc[:], 1); n != 1 || err != nil || wc[0].WRID != 5 {
			t.Errorf("%d, %v, %+v", n, err, wc[0])
		}
	})
	t.Run("CQ-10 one CQ for two QPs and both queues", func(t *testing.T) {
		c := conf()
		c.oneCQ = true
		a, b := pair(t, c)
		first, firstPeer := a.qp, b.qp
		a.newQP(t)
		b.newQP(t)
		connect(t, a, b)
		second := a.qp
		seen := map[uint32]int{}
		for _, qp := range []verbs.QP{firstPeer, second, b.qp, first} {
			a.qp = qp
			a.mustRecv(t, recv{})
		}
		for _, qp := range []verbs.QP{first, second} {
			a.qp = qp
			a.mustPost(t, send{op: verbs.OpSend, flags: verbs.SendSignaled})
		}
		for _, qp := range []verbs.QP{firstPeer, b.qp} {
			b.qp = qp
			b.mustPost(t, send{op: verbs.OpSend, flags: verbs.SendSignaled})
		}
		for _, wc := range poll(t, a.recvCQ, 4) {
			seen[wc.QPNum]++
		}
		if seen[first.QPNum()] != 2 || seen[second.QPNum()] != 2 || len(seen) != 2 {
			t.Errorf("completions by qp_num: %v", seen)
		}
	})
	t.Run("CQ-12 overrun", func(t *testing.T) {
		c := conf()
		c.cqe = 4
		a, b := pair(t, c)
		for range 6 {
			a.mustPost(t, send{flags: verbs.SendSignaled}.toward(b, 0))
		}
		var wc [8]verbs.WC
		n, err := a.sendCQ.Poll(wc[:])
		wantErrno(t, err, syscall.ENOMEM) // CQ-7, CQ-15
		if n != 0 {
			t.Errorf("%d completions of a CQ that overran", n)
		}
	})
}

func TestBusyObjects(t *testing.T) {
	c := conf()
	c.channel = true
	s := newSide(t, c)
	wantErrno(t, s.sendCQ.Close(), syscall.EBUSY) // CQ-4
	wantErrno(t, s.recvCQ.Close(), syscall.EBUSY)
	wantErrno(t, s.ch.Close(), syscall.EBUSY) // CHN-1
	wantErrno(t, s.pd.Close(), syscall.EBUSY) // MR-1
	noError(t, s.qp.Close())
	noError(t, s.qp.Close())
	wantErrno(t, s.pd.Close(), syscall.EBUSY) // its region is left
	noError(t, s.mr.Close())
	noError(t, s.mr.Close())
	noError(t, s.pd.Close())
	noError(t, s.sendCQ.Close())
	wantErrno(t, s.ch.Close(), syscall.EBUSY)
	noError(t, s.recvCQ.Close())
	noError(t, s.ch.Close())
	noError(t, s.ch.Close())
}

// TestCompletionsOfGoneQP covers CQ-20 and CQ-21.
func TestCompletionsOfGoneQP(t *testing.T) {
	c := conf()
	c.rnrRetry, c.oneCQ = 7, true
	a, b := pair(t, c)
	a.mustRecv(t, recv{}, recv{})
	a.mustPost(t, send{flags: verbs.SendSignaled}.toward(b, 0), send{op: verbs.OpSend}, send{op: verbs.OpSend})
	noError(t, a.qp.Close())
	staysQuiet(t, a.sendCQ)
}
