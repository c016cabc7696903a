package main

// requestFaults are faults of posting and carrying out.
var requestFaults = []mutation{
	{"a request may have a SGE too many", "SND-5", "post.go",
		`int(wr.NumSGE) > q.cap.MaxSendSGE:`, `int(wr.NumSGE) > q.cap.MaxSendSGE+1:`},
	{"a full send queue takes more", "SND-6", "post.go",
		`>= uint32(q.cap.MaxSendWR):`, `>= uint32(2*q.cap.MaxSendWR):`},
	{"a polled completion makes no room", "SND-7", "cq.go",
		`e.places.Store(e.change)`, `e.places.Store(0)`},
	{"inline data may be too long", "SND-16", "post.go",
		`> uint64(q.cap.MaxInlineData):`, `> uint64(2*q.cap.MaxInlineData):`},
	{"inline data that waits is taken late", "SND-13", "pending.go",
		`if w.inline {`, `if false {`},
	{"unknown operations are posted", "SND-2", "post.go",
		`case q.ops>>wr.Opcode&1 == 0:`, `case false:`},
	{"the peer's QP lets every operation in", "ERR-9 RMA-15", "execute.go",
		`if verbs.Access(atomic.LoadUint32(&p.entry.access))&right == 0 {`, `if false {`},
	{"a READ needs no depth at the responder", "ERR-10 RMA-13", "execute.go",
		`if atomic.LoadUint32(&p.entry.destRdAtom) == 0 {`, `if false {`},
	{"a READ needs no depth at the requester", "RMA-14", "post.go",
		`case q.attr.MaxRdAtomic == 0:`, `case false:`},
	{"a READ needs the right to write", "MR-12 RMA-15", "execute.go",
		`n: n, right: verbs.AccessRemoteRead}`, `n: n, right: verbs.AccessRemoteWrite}`},
	{"every piece of a message goes to the start", "SND-24 RMA-3", "transfer.go",
		`near.at+int(m), far.at+int(m), n+m`, `near.at+int(m), 0, n+m`},
	{"what is deregistered within a message is written to its end", "TestDeregisterWithinAMessage", "transfer.go",
		`if !q.pass.current() {`, `if false {`},
	{"a message goes on although its peer has left", "TestPeerLeavesWithinAMessage", "transfer.go",
		`if q.reach() != p || p.epoch != epoch {`, `if q.reach(); p.epoch != epoch && false {`},
	{"a message of the slow path is copied in one piece", "TestCollectionWithinAMessage", "transfer.go",
		`const chunk = 1 << 20`, `const chunk = 1 << 31`},
	{"a message may be a byte longer than its receive", "ERR-7", "execute.go",
		`if total(sges) < n {`, `if total(sges)+1 < n {`},
	{"a receive that is too short has the wrong status", "ERR-7", "execute.go",
		`return done, verbs.WCRemInvReqErr
	}
	out, status`, `return done, verbs.WCRemOpErr
	}
	out, status`},
	{"a message longer than the port allows has the wrong status", "ERR-6", "execute.go",
		`return 0, verbs.WCLocLenErr`, `return 0, verbs.WCLocQPOpErr`},
	{"a message in pieces is not stored in order", "TestOrder/DIO-10_kept/shm_whole", "execute.go",
		`place.Ordered(q.message[i].Dst, q.message[i].Src)`, `q.shuffler.Blocks(q.message[i:][:1])`},
	{"a message in pieces is shuffled piece after piece", "TestOrderOfPieces/shm_block128", "execute.go",
		`		s.Blocks(q.message)
`, `		for i := range q.message {
			s.Blocks(q.message[i:][:1])
		}
`},
	{"the seed that is given is not used", "TestSameSeedSameOrder", "options.go",
		`NewShuffler(d.seedInUse())`, `NewShuffler(randomSeed())`},
	{"no WRITE is late", "TestFlagOvertakesData/shm_unordered/a_list", "overtake.go",
		`late := q.drawLate(w) || q.meetsLate(w)`, `late := false`},
	{"WRITEs to one place overtake each other", "TestLastWriteWins", "overtake.go",
		` || q.meetsLate(w)`, ``},
	{"late WRITEs for which nobody polls never come", "TestLateWritesComeAlone", "overtake.go",
		`	q.ctx.engine.watch(q)
	return true`, `	return true`},
	{"late WRITEs are not drained", "TestLateWritesAreDrained", "pending.go",
		`return p.tried || p.inquiring || p.late`, `return p.tried || p.inquiring`},
	{"a message overtakes late WRITEs", "TestReceiveFindsWrites", "post.go",
		`if q.pendHead != q.pendTail || state`, `if q.pendHead != q.pendTail && !q.lateLast() || state`},
	{"rnr_retry allows one more", "ERR-13", "pending.go",
		`if p.rnrLeft == 0 {`, `if p.rnrLeft < 0 {`},
	{"rnr_retry 7 is seven", "ERR-18", "pending.go",
		`if q.attr.RNRRetry != 7 {`, `if true {`},
	{"the RNR timer runs ten times too fast", "ERR-21", "pending.go",
		`* 10 * time.Microsecond`, `* time.Microsecond`},
	{"timeout 0 is a timeout", "ERR-20", "pending.go",
		`if p.left == 0 && q.attr.Timeout != 0 {`, `if p.left == 0 {`},
	{"retries never end", "ERR-14", "pending.go",
		`	p.left--
`, ``},
}
