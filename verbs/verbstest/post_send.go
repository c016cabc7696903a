package verbstest

import (
	"bytes"
	"errors"
	"sync"
	"syscall"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

var sndStatements = []statement{
	{"SND-1", "the operations of RC, UC and UD move data and complete", operationsWork},
	{"SND-2", "an operation that the type lacks fails and moves nothing", illegalOperation},
	{"SND-3", "a list is posted up to the first bad request, which is returned", listStopsAtBad},
	{"SND-4", "an error of posting has an errno", postErrno},
	{"SND-5", "more SGEs than the QP has are refused", tooManySGEs},
	{"SND-6", "a full send queue refuses, and loses nothing", fullSendQueue},
	{"SND-7", "a polled completion makes room", roomAfterPoll},
	{"SND-8", "unsignaled requests without a poll are accepted up to the capacity at least", unpolled},
	{"SND-10", "what is signaled completes; with sq_sig_all everything does", signaling},
	{"SND-11", "an unsignaled request that fails completes", unsignaledFailure},
	{"SND-12", "the solicited flag is harmless where it means nothing", solicitedIgnored},
	{"SND-13", "inline data may be overwritten at once", inlineIsTaken},
	{"SND-14", "inline data needs no registered memory", inlineUnregistered},
	{"SND-15", "inline data of several SGEs is joined, and may be none", inlineGather},
	{"SND-16", "more inline data than the QP has is refused", inlineTooLong},
	{"SND-17", "an inline READ is refused", inlineRead},
	{"SND-18", "the granted inline size is no less than asked for", inlineGranted},
	{"SND-19", "a fenced request starts after the READs before it", fence},
	{"SND-20", "without a fence a request sends what was there before the READ, or what it brought", noFence},
	{"SND-21", "a fence on UC is ignored or refused", fenceOnUC},
	{"SND-22", "empty messages are legal, whatever their SGE says", emptyMessages},
	{"SND-23", "empty WRITEs and READs do not look at the remote key", emptyNeedsNoKey},
	{"SND-24", "SGEs are joined in order, empty ones skipped", gather},
	{"SND-25", "messages longer than the MTU arrive whole", segmented},
	{"SND-26", "a message longer than the port allows does not succeed", tooLongMessage},
	{"SND-28", "an address handle is needed until the completion, no longer", handleOutlives},
	{"SND-29", "wr_id is returned as it was, twice the same if need be", wrIDs},
	{"SND-30", "several threads post to one QP, each list in one piece", twoPosters},
	{"SND-31", "messages are received in the order of posting", receivedInOrder},
}

func operationsWork(e *env) {
	for typ, list := range map[verbs.QPType][]transfer{verbs.QPTypeRC: transfers, verbs.QPTypeUC: ucTransfers} {
		e.sub(typ.String(), func(e *env) {
			for _, tr := range list {
				m := e.mover(tr, conf().WithType(typ))
				m.move(100, 3, 5)
			}
		})
	}
	e.sub("UD", func(e *env) {
		l := e.udPair()
		l.carries(100)
		l.b.room(1, 0)
		l.post(l.marker(1))
		if wc := l.b.RecvCQ.Expect(1, verbs.WCSuccess); wc.Opcode != verbs.WCRecv || wc.Imm != imm {
			e.Errorf("a message with immediate data: %+v", wc)
		}
	})
	e.sub("RC, atomic", func(e *env) {
		a, b := e.atomicPair()
		b.setWord(0, 5)
		if old := a.atomic(send{Op: opAdd, CompareAdd: 2}.Toward(b, 0)); old != 5 || b.word(0) != 7 {
			e.Errorf("FETCH_AND_ADD of 2 to 5 returned %d and left %d", old, b.word(0))
		}
		if old := a.atomic(send{Op: opSwap, CompareAdd: 7, Swap: 9}.Toward(b, 0)); old != 7 || b.word(0) != 9 {
			e.Errorf("CMP_AND_SWP of 7 by 9 returned %d and left %d", old, b.word(0))
		}
	})
}

// Operations that RC does not have: IBV_WR_TSO, and an unknown one.
const (
	opTSO     verbs.Opcode = 10
	opUnknown verbs.Opcode = 12
)

func illegalOperation(e *env) {
	for typ, lacks := range map[verbs.QPType][]verbs.Opcode{
		verbs.QPTypeRC: {opTSO, opUnknown},
		verbs.QPTypeUC: {opRead, opSwap, opAdd, opTSO, opUnknown},
		verbs.QPTypeUD: {opWrite, opWriteImm, opRead, opSwap, opAdd, opTSO, opUnknown},
	} {
		e.sub(typ.String(), func(e *env) { e.lacking(typ, lacks) })
	}
}

// lacking checks that QPs of the type do not execute the operations.
func (e *env) lacking(typ verbs.QPType, lacks []verbs.Opcode) {
	a, b := e.pair(conf().WithType(typ))
	fixture.Fill(a.Mem[:8], 1)
	for _, op := range lacks {
		w := send{ID: 1, Op: op, Flags: signaled, SGEs: []verbs.SGE{a.SGE(0, 8)}}.Toward(b, 0)
		if typ == verbs.QPTypeUD {
			w = w.ToUD(a.handle(b), b)
		}
		bad, err := a.TryPost(w)
		if e.hasQuirk("Q17") && err != nil {
			e.Errorf("opcode %d is refused at once: quirk Q17 no longer reproduces: remove it", op)
		}
		if err == nil {
			a.failsLocally(1, verbs.WCLocQPOpErr)
			a.stops()
		} else {
			e.refused("post_send", err, syscall.EINVAL, verbs.ErrNotSupported)
			a.IsIn(verbs.QPRTS)
			if bad != 0 {
				e.Errorf("bad_wr is request %d", bad)
			}
		}
		a.SendCQ.ExpectEmpty()
		if touched(b.Mem[:8]) {
			e.Errorf("opcode %d moved data", op)
		}
		fixture.Recover(a, b)
	}
}

// stops waits until the QP has left RTS after a request of its own has failed.
func (s *side) stops() {
	s.Helper()
	fixture.Eventually(s, "QP out of RTS", func() bool { return s.State() != verbs.QPRTS })
	if got := s.State(); got != verbs.QPErr && (got != verbs.QPSQE || s.Config.Type == verbs.QPTypeRC) {
		s.Errorf("%s QP is in %s", s.Config.Type, got)
	}
}

func listStopsAtBad(e *env) {
	a, b := e.pair(conf())
	list := a.numbered(0, 4, b)
	list[2].SGEs = make([]verbs.SGE, fixture.MaxListSGE)
	bad, err := a.TryPost(list...)
	e.refused("post_send", err, syscall.EINVAL, syscall.ENOMEM)
	if bad != 2 {
		e.Errorf("bad_wr is request %d, want 2", bad)
	}
	a.SendCQ.Expect(0, verbs.WCSuccess)
	a.SendCQ.Expect(1, verbs.WCSuccess)
	a.SendCQ.StaysEmpty()
	a.writesTo(b)
}

func postErrno(e *env) {
	a, b := e.pair(conf())
	_, err := a.TryPost(send{SGEs: make([]verbs.SGE, fixture.MaxListSGE)}.Toward(b, 0))
	var op *verbs.OpError
	if !errors.As(err, &op) || op.Errno == 0 || op.Verb != "post_send" || op.Object == "" {
		e.Errorf("error %v", err)
	}
}

func tooManySGEs(e *env) {
	a, b := e.pair(conf())
	_, init, err := a.QP.Query(verbs.MaskCap)
	e.ok(err)
	n := init.Cap.MaxSendSGE + 1
	if n > fixture.MaxListSGE {
		e.Skipf("the QP takes %d SGEs", n-1)
	}
	bad, err := a.TryPost(send{SGEs: make([]verbs.SGE, n)}.Toward(b, 0))
	e.refused("post_send", err, syscall.EINVAL, syscall.ENOMEM)
	if bad != 0 {
		e.Errorf("bad_wr is request %d", bad)
	}
	a.writesTo(b)
}

// shallow returns a configuration with small queues.
func shallow() config {
	c := conf()
	c.Cap.MaxSendWR, c.Cap.MaxRecvWR = 5, 5
	return c
}

// block fills the send queue with SENDs of one byte, which do not complete without a receive, and
// returns their number.
func (s *side) block() (n int) {
	s.Helper()
	for ; n < 1<<12; n++ {
		bad, err := s.TryPost(send{ID: uint64(n), Op: opSend, Flags: signaled, SGEs: []verbs.SGE{s.SGE(n, 1)}})
		if err == nil {
			continue
		}
		s.refused("post_send to a full queue", err, syscall.ENOMEM)
		if bad != 0 {
			s.Errorf("bad_wr is request %d", bad)
		}
		return n
	}
	s.Fatal("the send queue takes everything")
	return 0
}

func fullSendQueue(e *env) {
	a, b := e.pair(shallow())
	fixture.Fill(a.Mem, 1)
	n := a.block()
	if n < a.Config.Cap.MaxSendWR {
		e.Errorf("full after %d, asked for %d", n, a.Config.Cap.MaxSendWR)
	}
	a.SendCQ.StaysEmpty()
	for i := range n {
		fixture.Eventually(e, "room for a receive", func() bool {
			_, err := b.TryPostRecv(recv{ID: uint64(i), SGEs: []verbs.SGE{b.SGE(i, 1)}})
			return err == nil
		})
		b.RecvCQ.Expect(uint64(i), verbs.WCSuccess)
		a.SendCQ.Expect(uint64(i), verbs.WCSuccess)
	}
	e.holds(b.Mem[:n], string(a.Mem[:n]))
}

func roomAfterPoll(e *env) {
	a, b := e.pair(shallow())
	for i := range 10 * a.Config.Cap.MaxSendWR {
		a.Post(a.numbered(i, 1, b)...)
		a.SendCQ.Expect(uint64(i), verbs.WCSuccess)
	}
}

func unpolled(e *env) {
	a, b := e.pair(shallow())
	fixture.Fill(a.Mem[:100], 1)
	n := 0
	for ; n < 10*a.Config.Cap.MaxSendWR; n++ {
		w := send{SGEs: []verbs.SGE{a.SGE(n, 1)}}.Toward(b, n)
		if _, err := a.TryPost(w); err != nil {
			e.refused("post_send to a full queue", err, syscall.ENOMEM)
			break
		}
	}
	if n < a.Config.Cap.MaxSendWR {
		e.Errorf("full after %d, asked for %d", n, a.Config.Cap.MaxSendWR)
	}
	fixture.Eventually(e, "all that was taken is executed", func() bool { return bytes.Equal(b.Mem[:n], a.Mem[:n]) })
	a.SendCQ.ExpectEmpty()
	a.IsIn(verbs.QPRTS)
}

func signaling(e *env) {
	for _, sigAll := range []bool{false, true} {
		c := conf()
		c.SigAll = sigAll
		a, b := e.pair(c)
		list := a.numbered(0, 6, b)
		for i := range list[:5] {
			list[i].Flags = 0
		}
		a.Post(list...)
		for i := range 5 {
			if sigAll {
				a.SendCQ.Expect(uint64(i), verbs.WCSuccess)
			}
		}
		a.SendCQ.Expect(5, verbs.WCSuccess)
		a.SendCQ.StaysEmpty()
	}
}

func unsignaledFailure(e *env) {
	a, b := e.pair(conf())
	w := send{SGEs: []verbs.SGE{a.SGE(0, 8)}}.Toward(b, 0)
	w.RKey ^= 0x100
	a.refusedByPeer(w)
	a.Post(send{ID: 6}.Toward(b, 0))
	a.SendCQ.Expect(6, verbs.WCWRFlushErr)
}

func solicitedIgnored(e *env) {
	a, b := e.pair(conf())
	for i, op := range []verbs.Opcode{opWrite, opRead} {
		a.Post(send{ID: uint64(i), Op: op, Flags: signaled | verbs.SendSolicited, SGEs: []verbs.SGE{a.SGE(0, 8)}}.Toward(b, 0))
		a.SendCQ.Expect(uint64(i), verbs.WCSuccess)
	}
}

func wrIDs(e *env) {
	a, b := e.pair(conf())
	for _, id := range []uint64{0, ^uint64(0), ^uint64(0), 1 << 63} {
		b.PostRecv(recv{ID: ^id})
		a.Post(send{ID: id, Op: opSend, Flags: signaled})
		a.SendCQ.Expect(id, verbs.WCSuccess)
		b.RecvCQ.Expect(^id, verbs.WCSuccess)
	}
}

func twoPosters(e *env) {
	const lists, length = 20, 3
	c := conf()
	c.Cap.MaxSendWR = 2 * lists * length
	a, b := e.pair(c)
	memory := [2]*fixture.Requests{fixture.NewRequests(e), fixture.NewRequests(e)}
	var errs [2]error
	var threads sync.WaitGroup
	for thread, r := range memory {
		threads.Go(func() { errs[thread] = a.postLists(r, thread, lists, length, b) })
	}
	threads.Wait()
	e.ok(errors.Join(errs[:]...))
	var last uint64
	var next [2]int
	for range 2 * lists * length {
		id := a.SendCQ.Next(1)[0].WRID
		thread, i := id>>32, int(id&(1<<32-1))
		if i != next[thread] || i%length != 0 && id != last+1 {
			e.Fatalf("thread %d: request %d after %#x, want request %d", thread, i, last, next[thread])
		}
		next[thread]++
		last = id
	}
}

// postLists posts lists of signaled WRITEs whose wr_ids are the thread and a count.
func (s *side) postLists(r *fixture.Requests, thread, lists, length int, peer *side) error {
	for i := range lists {
		list := make([]send, length)
		for k := range list {
			list[k] = send{ID: uint64(thread)<<32 | uint64(i*length+k), Flags: signaled}.Toward(peer, 0)
		}
		if _, err := s.QP.PostSend(r.SendList(list)); err != nil {
			return err
		}
	}
	return nil
}

func receivedInOrder(e *env) {
	a, b := e.pair(conf())
	fixture.Fill(a.Mem[:depth], 1)
	for i := range depth {
		b.PostRecv(recv{ID: uint64(i), SGEs: []verbs.SGE{b.SGE(i, 1)}})
	}
	for i := range depth {
		op := []verbs.Opcode{opSend, opSendImm}[i%2]
		a.Post(send{Op: op, SGEs: []verbs.SGE{a.SGE(i, 1)}})
	}
	for i := range depth {
		b.RecvCQ.Expect(uint64(i), verbs.WCSuccess)
	}
	e.holds(b.Mem[:depth], string(a.Mem[:depth]))
}
