package main

// fastFaults are faults of the fast path: of what its requester remembers, and of the
// checks that are not those of the slow path.
var fastFaults = []mutation{
	{"changes of the own side are not noticed", "TestWarm(Changes|SQD)", "fast.go",
		`atomic.LoadUint64(p.mineAt) == p.mine && `, ``},
	{"changes of the peer's side are not noticed", "TestWarmChanges", "fast.go",
		` && atomic.LoadUint64(p.theirsAt) == p.theirs`, ``},
	{"the end of the peer's process is not noticed", "TestPeerKilled", "fast.go",
		`p.valid && p.unchanged() && !p.dead.Load()`, `p.valid && p.unchanged()`},
	{"a change of the state is not counted", "TestWarm(Changes|SQD)", "qp.go",
		`	q.ctx.dir.change()
`, ``},
	{"the end of a region is not counted", "TestWarmMemory/.*/closed", "mr.go",
		`	c.dir.change()
`, ``},
	{"memory is remembered under any key", "TestWarmMemory", "mr.go",
		`key != w.key || `, ``},
	{"memory here is remembered without its domain", "TestWarmMemory/local/domain", "fast.go",
		`q.pass.from = q.ctx.window(s.LKey, q.pd, 0)`, `if m := q.ctx.mrs[keyIndex(s.LKey)%maxMR].Load(); m != nil {
				q.pass.from = q.ctx.window(s.LKey, m.pd, 0)
			}`},
	{"a remembered READ needs no right to write here", "TestWarmMemory/READ", "fast.go",
		`q.ctx.window(s.LKey, q.pd, verbs.AccessLocalWrite)`, `q.ctx.window(s.LKey, q.pd, 0)`},
	{"a remembered READ needs another right", "TestWarmMemory/remote/right", "fast.go",
		`q.peer.rdma(key, verbs.AccessRemoteRead)`, `q.peer.rdma(key, verbs.AccessRemoteWrite)`},
	{"a remembered WRITE needs another right", "TestWarmMemory/remote/right", "fast.go",
		`q.peer.rdma(key, verbs.AccessRemoteWrite)`, `q.peer.rdma(key, verbs.AccessRemoteRead)`},
	{"a remembered receive needs no right", "TestWarmReceives", "fast.go",
		`p.recvPD, verbs.AccessLocalWrite)`, `p.recvPD, 0)`},
	{"the rights of the peer's QP are not looked at again", "TestWarmChanges", "fast.go",
		`if verbs.Access(atomic.LoadUint32(&p.entry.access))&right == 0 {`, `if false {`},
	{"a SEND of the fast path may be longer than its receive", "TestWarmReceives", "fast.go",
		`if n > uint64(s.Length) {`, `if n > uint64(s.Length)+1 {`},
	{"a WRITE of the fast path may be longer than the port allows", "TestWarmLargestMessage", "fast.go",
		`dst == nil || n-1 >= chunk:`, `dst == nil || n == 0:`},
	{"the fast path looks for changes once a list", "TestDeregisterUnderALongList", "fast.go",
		`wr != nil && !q.pass.unchanged() && !q.check() {`, `false {`},
	{"a READ of the fast path needs no depth at the requester", "TestWarmRefusals", "fast.go",
		`q.attr.MaxRdAtomic == 0 || `, ``},
	{"a READ of the fast path needs no depth at the responder", "TestWarmRefusals", "fast.go",
		` || atomic.LoadUint32(&q.peer.entry.destRdAtom) == 0`, ``},
	{"a READ of the fast path may be inline", "TestWarmRefusals", "fast.go",
		`wr.SendFlags&verbs.SendInline != 0 || q.attr`, `q.attr`},
	{"a WRITE of the fast path may have too much inline data", "TestWarmRefusals", "fast.go",
		`n <= inline {`, `n <= 2*inline {`},
	{"a SEND of the fast path may have too much inline data", "TestWarmRefusals", "fast.go",
		`n <= uint64(q.cap.MaxInlineData) {`, `n <= uint64(2*q.cap.MaxInlineData) {`},
	{"a full send queue takes more on the fast path", "TestWarmRefusals", "fast.go",
		`wr != nil && room > 0; room--`, `wr != nil; room--`},
	{"requests of the fast path have one SGE", "SND-24", "fast.go",
		`if wr.NumSGE != 1 {`, `if wr.NumSGE < 1 {`},
	{"what is signaled does not complete on the fast path", "TestWarmCompletions/signaled", "fast.go",
		`if q.sigAll || wr.SendFlags&verbs.SendSignaled != 0 {`, `if q.sigAll {`},
	{"what is not signaled completes on the fast path", "TestWarmCompletions/signaled", "fast.go",
		`if q.sigAll || wr.SendFlags&verbs.SendSignaled != 0 {`, `if true {`},
	{"sq_sig_all has no effect on the fast path", "TestWarmCompletions/sq_sig_all", "fast.go",
		`if q.sigAll || wr.SendFlags`, `if wr.SendFlags`},
	{"the fast path loses immediate data", "TestTransfersAreByteExact/shm_whole", "fast.go",
		`recordOf(wr.Opcode, wr.Imm, n)`, `recordOf(wr.Opcode, [4]byte{}, n)`},
	{"the fast path ignores the solicited flag", "TestWarmEvents", "fast.go",
		`p.store(w0, w1, wr.SendFlags&verbs.SendSolicited != 0)`, `p.store(w0, w1, false)`},
	{"everything is solicited on the fast path", "TestWarmEvents", "fast.go",
		`p.store(w0, w1, wr.SendFlags&verbs.SendSolicited != 0)`, `p.store(w0, w1, true)`},
	{"SQD sends on the fast path", "TestWarmSQD", "fast.go",
		`
		verbs.QPState(q.state.Load()) == verbs.QPRTS && `, ` `},
	{"what is posted behind waiting work overtakes it", "TestWarmOrder", "fast.go",
		` && q.pendHead == q.pendTail`, ``},
	{"what was checked before work waits still counts", "TestWarmOrder", "pending.go",
		`	q.pass.valid = false // what is posted now waits its turn
`, ``},
	{"devices that shuffle do not on the fast path", "TestOrder/DIO-10_not_kept/shm_unordered/RDMA_WRITE", "fast.go",
		` && q.ctx.dev.place == ascending`, ``},
	{"the fast path does not store in order", "TestOrder/DIO-10_kept/shm_whole", "fast.go",
		`		default:
			place.Ordered(dst, src)`, `		default:
			q.shuffler.Blocks([]place.Piece{{Dst: dst, Src: src}})`},
	{"two threads send at once", "TestTwoThreadsPost", "post.go",
		`	if !q.tryLock() { // which is inlined
		q.lock()
	}
`, `	q.tryLock()
`},

	{"memory is written by the peer after it was deregistered", "TestNothingComesAfterDeregistering", "turn.go",
		`if t.was = t.remote.turns(t.num); t.was&1 != 0 {`, `if t.was = t.remote.turns(t.num); false {`},
	{"memory is written by READs after it was deregistered", "TestNothingComesAfterDeregistering", "turn.go",
		`if was := atomic.LoadUint32(&q.entry.turns); was&1 != 0 {`, `if was := atomic.LoadUint32(&q.entry.turns); false {`},
	{"closing a region waits until the requester rests", "TestDeregisterBesideTraffic", "turn.go",
		`t.remote.turns(t.num) != t.was`, `t.remote.turns(t.num)&1 == 0`},

	{"polls do not help work that waits", "TestPollHelps", "cq_stall.go",
		`		p.progress(true)
`, `		_ = p
`},
	{"a CQ does not learn of work that waits", "TestPollHelps", "lock.go",
		`		q.sendCQ.stall(q, waits)
`, ``},
	{"a receive does not end the wait for it", "TestPollHelps", "pending.go",
		`p.rnr && q.peer != nil && q.peer.hasReceive()`, `false`},
	{"the engine does not look after work that nobody polls for", "TestSenderOutrunsReceiver/left_alone", "post.go",
		`	} else {
		q.ctx.engine.watch(q)
`, `	} else {
`},
	{"the engine looks once after work that nobody polls for", "TestSenderOutrunsReceiver/left_alone", "engine.go",
		`			again = tick
`, `			continue
`},
	{"the engine forgets to look again", "TestSenderOutrunsReceiver/left_alone", "engine.go",
		`			timer.Reset(time.Until(next))
`, ``},
	{"who sleeps waits for the RNR timer", "TestSenderOutrunsReceiver/slept_for", "engine.go",
		` || again.After(tick)`, ``},
	{"arming does not hasten work that waits", "TestArmingHastens", "cq.go",
		`			q.hasten()
`, ``},
}
