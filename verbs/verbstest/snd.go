package verbstest

import (
	"bytes"
	"errors"
	"sync"
	"syscall"

	"github.com/ibperf/ibperf/verbs"
)

var sndStatements = []statement{
	{"SND-1", "the operations of RC, UC and UD move data and complete", operationsWork},
	{"SND-2", "an operation that the type lacks fails and moves nothing", illegalOperation},
	{"SND-3", "a list is posted up to the first bad request, which is returned", listStopsAtBad},
	{"SND-4", "an error of posting has an errno", postErrno},
	{"SND-5", "more SGEs than the QP has are refused", tooManySGEs},
	{"SND-6", "a full send queue refuses, and loses nothing", fullSendQueue},
	{"SND-7", "a polled completion makes room", roomAfterPoll},
	{"SND-8", "unsignaled requests that nobody polls for are taken up to the capacity at least", unpolled},
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
	for typ, list := range map[verbs.QPType][]transfer{verbs.QPTypeRC: transfers, verbs.QPTypeUC: ofUC} {
		e.sub(typ.String(), func(e *env) {
			for _, tr := range list {
				m := e.mover(tr, conf().of(typ))
				m.move(100, 3, 5)
			}
		})
	}
	e.sub("UD", func(e *env) {
		l := e.lane()
		l.carries(100)
		l.b.room(1, 0)
		l.post(l.marker(1))
		if wc := l.b.recvCQ.gives(1, verbs.WCSuccess); wc.Opcode != verbs.WCRecv || wc.Imm != imm {
			e.Errorf("a message with immediate data: %+v", wc)
		}
	})
	e.sub("RC, atomic", func(e *env) {
		a, b := e.atomicPair()
		b.setWord(0, 5)
		if old := a.atomic(send{op: opAdd, compareAdd: 2}.toward(b, 0)); old != 5 || b.word(0) != 7 {
			e.Errorf("FETCH_AND_ADD of 2 to 5 returned %d and left %d", old, b.word(0))
		}
		if old := a.atomic(send{op: opSwap, compareAdd: 7, swap: 9}.toward(b, 0)); old != 7 || b.word(0) != 9 {
			e.Errorf("CMP_AND_SWP of 7 by 9 returned %d and left %d", old, b.word(0))
		}
	})
}

// Operations that RC does not have: IBV_WR_TSO, and one that nobody has.
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

// lacking checks that QPs of the type do not carry out the operations.
func (e *env) lacking(typ verbs.QPType, lacks []verbs.Opcode) {
	a, b := e.pair(conf().of(typ))
	fill(a.mem[:8], 1)
	for _, op := range lacks {
		w := send{id: 1, op: op, flags: signaled, sges: []verbs.SGE{a.sge(0, 8)}}.toward(b, 0)
		if typ == verbs.QPTypeUD {
			w = w.by(a.handle(b), b)
		}
		bad, err := a.tryPost(w)
		if e.quirk("Q17") && err != nil {
			e.Errorf("opcode %d is refused at once: quirk Q17 no longer reproduces: remove it", op)
		}
		if err == nil {
			a.failsHere(1, verbs.WCLocQPOpErr)
			a.stops()
		} else {
			e.refused("post_send", err, syscall.EINVAL, verbs.ErrNotSupported)
			a.isIn(verbs.QPRTS)
			if bad != 0 {
				e.Errorf("bad_wr is request %d", bad)
			}
		}
		a.sendCQ.empty()
		if touched(b.mem[:8]) {
			e.Errorf("opcode %d moved data", op)
		}
		a.recover(b)
	}
}

// stops waits for the state that a failed request of the QP's own leads to.
func (s *side) stops() {
	s.Helper()
	s.eventually("QP out of RTS", func() bool { return s.state() != verbs.QPRTS })
	if got := s.state(); got != verbs.QPErr && (got != verbs.QPSQE || s.conf.typ == verbs.QPTypeRC) {
		s.Errorf("%s QP is in %s", s.conf.typ, got)
	}
}

func listStopsAtBad(e *env) {
	a, b := e.pair(conf())
	list := a.numbered(0, 4, b)
	list[2].sges = make([]verbs.SGE, sgeMax)
	bad, err := a.tryPost(list...)
	e.refused("post_send", err, syscall.EINVAL, syscall.ENOMEM)
	if bad != 2 {
		e.Errorf("bad_wr is request %d, want 2", bad)
	}
	a.sendCQ.gives(0, verbs.WCSuccess)
	a.sendCQ.gives(1, verbs.WCSuccess)
	a.sendCQ.staysEmpty()
	a.writesTo(b)
}

func postErrno(e *env) {
	a, b := e.pair(conf())
	_, err := a.tryPost(send{sges: make([]verbs.SGE, sgeMax)}.toward(b, 0))
	var op *verbs.OpError
	if !errors.As(err, &op) || op.Errno == 0 || op.Verb != "post_send" || op.Object == "" {
		e.Errorf("error %v", err)
	}
}

func tooManySGEs(e *env) {
	a, b := e.pair(conf())
	_, init, err := a.qp.Query(verbs.MaskCap)
	e.ok(err)
	n := init.Cap.MaxSendSGE + 1
	if n > sgeMax {
		e.Skipf("the QP takes %d SGEs", n-1)
	}
	bad, err := a.tryPost(send{sges: make([]verbs.SGE, n)}.toward(b, 0))
	e.refused("post_send", err, syscall.EINVAL, syscall.ENOMEM)
	if bad != 0 {
		e.Errorf("bad_wr is request %d", bad)
	}
	a.writesTo(b)
}

// shallow is a configuration with few requests, so that queues are full soon.
func shallow() config {
	c := conf()
	c.cap.MaxSendWR, c.cap.MaxRecvWR = 5, 5
	return c
}

// block fills the send queue with SENDs of a byte each, which find no receive
// and so do not complete, and returns how many went in.
func (s *side) block() (n int) {
	s.Helper()
	for ; n < 1<<12; n++ {
		bad, err := s.tryPost(send{id: uint64(n), op: opSend, flags: signaled, sges: []verbs.SGE{s.sge(n, 1)}})
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
	fill(a.mem, 1)
	n := a.block()
	if n < a.conf.cap.MaxSendWR {
		e.Errorf("full after %d, asked for %d", n, a.conf.cap.MaxSendWR)
	}
	a.sendCQ.staysEmpty()
	for i := range n {
		e.eventually("room for a receive", func() bool {
			_, err := b.tryRecv(recv{id: uint64(i), sges: []verbs.SGE{b.sge(i, 1)}})
			return err == nil
		})
		b.recvCQ.gives(uint64(i), verbs.WCSuccess)
		a.sendCQ.gives(uint64(i), verbs.WCSuccess)
	}
	e.holds(b.mem[:n], string(a.mem[:n]))
}

func roomAfterPoll(e *env) {
	a, b := e.pair(shallow())
	for i := range 10 * a.conf.cap.MaxSendWR {
		a.post(a.numbered(i, 1, b)...)
		a.sendCQ.gives(uint64(i), verbs.WCSuccess)
	}
}

func unpolled(e *env) {
	a, b := e.pair(shallow())
	fill(a.mem[:100], 1)
	n := 0
	for ; n < 10*a.conf.cap.MaxSendWR; n++ {
		w := send{sges: []verbs.SGE{a.sge(n, 1)}}.toward(b, n)
		if _, err := a.tryPost(w); err != nil {
			e.refused("post_send to a full queue", err, syscall.ENOMEM)
			break
		}
	}
	if n < a.conf.cap.MaxSendWR {
		e.Errorf("full after %d, asked for %d", n, a.conf.cap.MaxSendWR)
	}
	e.eventually("all that was taken is executed", func() bool { return bytes.Equal(b.mem[:n], a.mem[:n]) })
	a.sendCQ.empty()
	a.isIn(verbs.QPRTS)
}

func signaling(e *env) {
	for _, sigAll := range []bool{false, true} {
		c := conf()
		c.sigAll = sigAll
		a, b := e.pair(c)
		list := a.numbered(0, 6, b)
		for i := range list[:5] {
			list[i].flags = 0
		}
		a.post(list...)
		for i := range 5 {
			if sigAll {
				a.sendCQ.gives(uint64(i), verbs.WCSuccess)
			}
		}
		a.sendCQ.gives(5, verbs.WCSuccess)
		a.sendCQ.staysEmpty()
	}
}

func unsignaledFailure(e *env) {
	a, b := e.pair(conf())
	w := send{sges: []verbs.SGE{a.sge(0, 8)}}.toward(b, 0)
	w.rkey ^= 0x100
	a.refusedByPeer(w)
	a.post(send{id: 6}.toward(b, 0))
	a.sendCQ.gives(6, verbs.WCWRFlushErr)
}

func solicitedIgnored(e *env) {
	a, b := e.pair(conf())
	for i, op := range []verbs.Opcode{opWrite, opRead} {
		a.post(send{id: uint64(i), op: op, flags: signaled | verbs.SendSolicited, sges: []verbs.SGE{a.sge(0, 8)}}.toward(b, 0))
		a.sendCQ.gives(uint64(i), verbs.WCSuccess)
	}
}

func wrIDs(e *env) {
	a, b := e.pair(conf())
	for _, id := range []uint64{0, ^uint64(0), ^uint64(0), 1 << 63} {
		b.recv(recv{id: ^id})
		a.post(send{id: id, op: opSend, flags: signaled})
		a.sendCQ.gives(id, verbs.WCSuccess)
		b.recvCQ.gives(^id, verbs.WCSuccess)
	}
}

func twoPosters(e *env) {
	const lists, length = 20, 3
	c := conf()
	c.cap.MaxSendWR = 2 * lists * length
	a, b := e.pair(c)
	memory := [2]*requests{e.newRequests(), e.newRequests()}
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
		id := a.sendCQ.next(1)[0].WRID
		thread, i := id>>32, int(id&(1<<32-1))
		if i != next[thread] || i%length != 0 && id != last+1 {
			e.Fatalf("thread %d: request %d after %#x, want request %d", thread, i, last, next[thread])
		}
		next[thread]++
		last = id
	}
}

// postLists posts lists of signaled WRITEs whose wr_ids are the thread and a count.
func (s *side) postLists(r *requests, thread, lists, length int, peer *side) error {
	for i := range lists {
		list := make([]send, length)
		for k := range list {
			list[k] = send{id: uint64(thread)<<32 | uint64(i*length+k), flags: signaled}.toward(peer, 0)
		}
		if _, err := s.qp.PostSend(r.sendList(list)); err != nil {
			return err
		}
	}
	return nil
}

func receivedInOrder(e *env) {
	a, b := e.pair(conf())
	fill(a.mem[:depth], 1)
	for i := range depth {
		b.recv(recv{id: uint64(i), sges: []verbs.SGE{b.sge(i, 1)}})
	}
	for i := range depth {
		op := []verbs.Opcode{opSend, opSendImm}[i%2]
		a.post(send{op: op, sges: []verbs.SGE{a.sge(i, 1)}})
	}
	for i := range depth {
		b.recvCQ.gives(uint64(i), verbs.WCSuccess)
	}
	e.holds(b.mem[:depth], string(a.mem[:depth]))
}
