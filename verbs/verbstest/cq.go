package verbstest

import (
	"syscall"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

var cqStatements = []statement{
	{"CQ-1", "a CQ holds at least what was asked for", cqCapacity},
	{"CQ-2", "no entries, too many, or a vector that is not there are refused", badCQ},
	{"CQ-3", "a CQ without a channel can be armed, without effect", armWithoutChannel},
	{"CQ-4", "a CQ that a QP uses is busy", busyCQ},
	{"CQ-5", "poll returns what is there and fits, and never waits", pollWhatFits},
	{"CQ-6", "a completion is returned once", pollOnce},
	{"CQ-7", "where polling fails it says so and returns nothing", pollFails},
	{"CQ-8", "completions of a queue come in the order of posting", completionOrder},
	{"CQ-9", "on a shared CQ completions keep the order of their own queue only", ownOrderOnly},
	{"CQ-10", "a CQ serves several QPs and both their queues; qp_num tells which", sharedCQ},
	{"CQ-11", "the completion of a signaled request completes the unsignaled ones before it", unsignaledBefore},
	{"CQ-12", "a CQ that overran raises one CQ_ERR and cannot be used any more", overrunIsFinal},
	{"CQ-15", "after an overrun CQ_ERR names the CQ, what is polled is the beginning of what was expected, and the CQ can be destroyed", overrunPrefix},
	{"CQ-16", "resizing keeps the completions and their order, and gives the room asked for", resizeKeeps},
	{"CQ-17", "no resizing below the content, to nothing, or above the maximum", resizeBelowContent},
	{"CQ-18", "a smaller size that was asked for is enough for as many completions", resizeDown},
	{"CQ-20", "completions of a QP that was reset stay or vanish, but nothing is wrong with them", completionsOfResetQP},
	{"CQ-21", "a destroyed QP produces no more completions", completionsOfGoneQP},
}

func cqCapacity(e *env) {
	ctx := e.open()
	for _, n := range []int{1, 2, 3, 100, 1000} {
		cq, err := ctx.CreateCQ(n, nil, 0)
		e.ok(err)
		if cq.CQE() < n {
			e.Errorf("cqe %d, asked for %d", cq.CQE(), n)
		}
		e.ok(cq.Close())
	}
}

func badCQ(e *env) {
	ctx := e.open()
	d := e.device(ctx)
	for _, bad := range [][2]int{{0, 0}, {-1, 0}, {d.MaxCQE + 1, 0}, {1, -1}, {1, d.NumCompVectors}} {
		_, err := ctx.CreateCQ(bad[0], nil, bad[1])
		e.refused("create_cq", err, syscall.EINVAL)
	}
}

func armWithoutChannel(e *env) {
	a, b := e.pair(conf())
	e.ok(a.SendCQ.ReqNotify(false))
	e.ok(a.SendCQ.ReqNotify(true))
	a.writesTo(b)
}

func busyCQ(e *env) {
	s := e.side(conf())
	e.refused("destroy_cq", s.SendCQ.Close(), syscall.EBUSY)
	e.refused("destroy_cq", s.RecvCQ.Close(), syscall.EBUSY)
	e.close(s.QP)
	e.close(s.SendCQ.CQ)
	e.close(s.RecvCQ.CQ)
}

// numbered returns n signaled WRITEs with the numbers from first as wr_ids.
func (s *side) numbered(first, n int, peer *side) []send {
	list := make([]send, n)
	for i := range list {
		list[i] = send{ID: uint64(first + i), Flags: signaled, SGEs: []verbs.SGE{s.SGE(i, 1)}}.Toward(peer, i)
	}
	return list
}

func pollWhatFits(e *env) {
	a, b := e.pair(conf())
	a.SendCQ.ExpectEmpty()
	if n, err := a.SendCQ.PollSpin(a.SendCQ.WC, 100); n != 0 || err != nil {
		e.Errorf("spinning on an empty CQ: %d, %v", n, err)
	}
	a.Post(a.numbered(0, 7, b)...)
	if n, err := a.SendCQ.Poll(nil); n != 0 || err != nil {
		e.Errorf("poll for none: %d, %v", n, err)
	}
	for got := 0; got < 7; {
		var n int
		fixture.Eventually(e, "completions", func() bool {
			var err error
			n, err = a.SendCQ.PollSpin(a.SendCQ.WC[:3], 100)
			e.ok(err)
			return n > 0
		})
		if got += n; n > 3 || got > 7 {
			e.Errorf("%d completions where 3 fit, %d of 7 in all", n, got)
		}
	}
	a.SendCQ.ExpectEmpty()
}

func pollOnce(e *env) {
	a, b := e.pair(conf())
	a.Post(a.numbered(0, 20, b)...)
	seen := map[uint64]bool{}
	for range 20 {
		wc := a.SendCQ.Next(1)[0]
		if seen[wc.WRID] || wc.WRID >= 20 {
			e.Errorf("wr_id %d, seen before: %v", wc.WRID, seen[wc.WRID])
		}
		seen[wc.WRID] = true
	}
	a.SendCQ.StaysEmpty()
}

func completionOrder(e *env) {
	a, b := e.pair(conf())
	for round := range 10 {
		for i := range depth {
			b.PostRecv(recv{ID: uint64(100 + i)})
			a.Post(send{ID: uint64(i), Op: opSend, Flags: signaled})
		}
		for i, wc := range a.SendCQ.Next(depth) {
			if wc.WRID != uint64(i) || wc.Status != verbs.WCSuccess {
				e.Fatalf("round %d: send %d: wr_id %d %s", round, i, wc.WRID, wc.Status)
			}
		}
		for i, wc := range b.RecvCQ.Next(depth) {
			if wc.WRID != uint64(100+i) || wc.Status != verbs.WCSuccess {
				e.Fatalf("round %d: receive %d: wr_id %d %s", round, i, wc.WRID, wc.Status)
			}
		}
	}
}

// twoOnOneCQ makes two connected pairs of QPs that share each side's only CQ. The sides hold the
// second pair; first and firstPeer are the first one.
func (e *env) twoOnOneCQ() (a, b *side, first, firstPeer verbs.QP) {
	e.Helper()
	c := conf()
	c.OneCQ = true
	a, b = e.pair(c)
	first, firstPeer = a.QP, b.QP
	a.NewQP()
	b.NewQP()
	fixture.Connect(a, b)
	return a, b, first, firstPeer
}

func sharedCQ(e *env) {
	a, b, first, firstPeer := e.twoOnOneCQ()
	second, secondPeer := a.QP, b.QP
	for _, p := range [][2]verbs.QP{{first, firstPeer}, {second, secondPeer}} {
		a.QP, b.QP = p[0], p[1]
		a.PostRecv(recv{ID: 1})
		b.PostRecv(recv{ID: 1})
		a.Post(send{ID: 2, Op: opSend, Flags: signaled})
		b.Post(send{ID: 2, Op: opSend, Flags: signaled})
	}
	seen := map[[2]uint64]int{}
	for _, wc := range a.RecvCQ.Next(4) {
		seen[[2]uint64{uint64(wc.QPNum), wc.WRID}]++
	}
	for _, qp := range []verbs.QP{first, second} {
		for id := uint64(1); id <= 2; id++ {
			if n := seen[[2]uint64{uint64(qp.QPNum()), id}]; n != 1 {
				e.Errorf("qp_num %#x wr_id %d: %d completions", qp.QPNum(), id, n)
			}
		}
	}
}

func unsignaledBefore(e *env) {
	a, b := e.pair(conf())
	fixture.Fill(a.Mem[:10], 9)
	list := a.numbered(0, 10, b)
	for i := range list[:9] {
		list[i].Flags = 0
	}
	a.Post(list...)
	a.SendCQ.Expect(9, verbs.WCSuccess)
	e.holds(b.Mem[:10], string(a.Mem[:10]))
	a.SendCQ.StaysEmpty()
}

// overrun leaves more completions than entries unpolled, until a later READ has stored its data or
// nothing changes any more. Then it polls until the CQ is empty. It returns the number of
// completions that it polled and the number of requests that it posted.
func (e *env) overrun() (a, b *side, polled, posted int) {
	c := conf()
	c.CQE = 1
	a, b = e.pair(c)
	posted = a.SendCQ.CQE() + 5
	if posted > depth {
		e.Skipf("the smallest CQ has %d entries, more than are left unpolled here", a.SendCQ.CQE())
	}
	list := a.numbered(0, posted, b)
	list[posted-1] = send{ID: uint64(posted - 1), Op: opRead, Flags: signaled, SGEs: []verbs.SGE{a.SGE(1024, 8)}}.Toward(b, 1024)
	fixture.Fill(b.Mem[1024:1032], 1)
	a.Post(list...)
	fixture.Until(4*fixture.Quiet, func() bool { return loadWord(a.Mem[1024:]) != 0 })
	next, drops := uint64(0), e.hasQuirk("Q08")
	fixture.Until(4*fixture.Quiet, func() bool {
		n, err := a.SendCQ.Poll(a.SendCQ.WC[:1])
		if n == 1 {
			wc := a.SendCQ.WC[0]
			if wc.WRID < next || wc.WRID > next && !drops || wc.Status != verbs.WCSuccess {
				e.Errorf("completion %d: wr_id %d %s", polled, wc.WRID, wc.Status)
			}
			next = wc.WRID + 1
			polled++
		}
		return err != nil
	})
	return a, b, polled, posted
}

func pollFails(e *env) {
	a, _, _, _ := e.overrun()
	n, err := a.SendCQ.Poll(a.SendCQ.WC)
	checkValue(e, "Q08", "polling a CQ that overran fails", err != nil, true, false)
	if n != 0 {
		e.Errorf("%d completions with the error %v", n, err)
	}
}

func overrunIsFinal(e *env) {
	e.sub("sends", func(e *env) {
		a, b, _, _ := e.overrun()
		_, err := a.TryPost(a.numbered(1000, 1, b)...)
		works := err == nil && fixture.Until(4*fixture.Quiet, func() bool {
			n, err := a.SendCQ.Poll(a.SendCQ.WC)
			return err == nil && n == 1 && a.SendCQ.WC[0].WRID == 1000 && a.SendCQ.WC[0].Status == verbs.WCSuccess
		})
		checkValue(e, "Q08", "the CQ works", works, false, true)
		named := 0
		for _, event := range e.events(a.Ctx) {
			if event.Type == verbs.EventCQErr && event.CQ == a.SendCQ.CQ {
				named++
			}
		}
		checkValue(e, "Q08", "CQ_ERR is raised once", named == 1, true, false)
	})
	e.sub("receives", func(e *env) {
		_, b := e.overrunByPeer()
		e.event(b.Ctx, verbs.EventCQErr, func(event verbs.AsyncEvent) bool { return event.CQ == b.RecvCQ.CQ })
		failed := fixture.Until(4*fixture.Quiet, func() bool {
			_, err := b.RecvCQ.Poll(b.RecvCQ.WC)
			return err != nil
		})
		checkValue(e, "Q08", "polling fails", failed, true, false)
	})
}

// overrunByPeer makes a pair whose b has a receive CQ that has overrun: b does not poll while a
// sends.
func (e *env) overrunByPeer() (a, b *side) {
	e.Helper()
	c := conf()
	c.CQE = 1
	b = e.side(c)
	a = e.side(conf())
	fixture.Connect(a, b)
	messages := b.RecvCQ.CQE() + 5
	if messages > depth {
		e.Skipf("the smallest CQ has %d entries, more than are left unpolled here", b.RecvCQ.CQE())
	}
	for range messages {
		b.PostRecv(recv{})
	}
	for range messages {
		a.Post(send{Op: opSend})
	}
	return a, b
}

func overrunPrefix(e *env) {
	a, _, polled, posted := e.overrun()
	if polled >= posted {
		e.Errorf("all %d completions came out of %d entries", polled, a.SendCQ.CQE())
	}
	e.event(a.Ctx, verbs.EventCQErr, func(event verbs.AsyncEvent) bool { return event.CQ == a.SendCQ.CQ })
	e.close(a.QP)
	e.close(a.SendCQ.CQ)
}

func completionsOfResetQP(e *env) {
	a, b := e.pair(conf())
	a.Post(a.numbered(0, 5, b)...)
	a.To(verbs.QPReset, b)
	var ids []uint64
	fixture.Until(fixture.Quiet, func() bool {
		n, err := a.SendCQ.Poll(a.SendCQ.WC[:1])
		e.ok(err)
		if n == 1 {
			ids = append(ids, a.SendCQ.WC[0].WRID)
		}
		return false
	})
	for i, id := range ids {
		if id != uint64(i) {
			e.Errorf("completion %d has wr_id %d", i, id)
		}
	}
	fixture.Recover(a, b)
	a.writesTo(b)
}

func completionsOfGoneQP(e *env) {
	a, b := e.pair(conf())
	a.PostRecv(recv{}, recv{})
	a.Post(send{Op: opSend}, send{Op: opSend}) // they wait for receives
	e.close(a.QP)
	a.SendCQ.Discard()
	a.RecvCQ.Discard()
	a.SendCQ.StaysEmpty()
	a.RecvCQ.StaysEmpty()
	b.IsIn(verbs.QPRTS)
}
