package main

// stateFaults are faults of the states of a QP and of its attributes.
var stateFaults = []mutation{
	{"sends are taken in RTR", "QPS-17", "post.go",
		`case s < verbs.QPRTS:`, `case s < verbs.QPRTR:`},
	{"receives are taken in RESET", "QPS-18", "recv.go",
		`case state == verbs.QPReset:`, `case state == verbs.QPUnknown:`},
	{"a receive may have a SGE too many", "RCV-4", "recv.go",
		`int(wr.NumSGE) > q.cap.MaxRecvSGE:`, `int(wr.NumSGE) > q.cap.MaxRecvSGE+1:`},
	{"a full receive queue takes more", "RCV-3", "recv.go",
		`>= r.depth:`, `>= 2*r.depth:`},
	{"a polled receive makes no room", "RCV-3", "recv.go",
		`		r.freed.Store(r.freed.Load() + uint32(n))
`, ``},
	{"SQD sends", "QPS-19", "post.go",
		`q.pendHead != q.pendTail || state != verbs.QPRTS {`, `q.pendHead != q.pendTail {`},
	{"what SQD held back stays", "TestWarmSQD", "modify.go",
		`if from == verbs.QPSQD {`, `if false {`},
	{"the current state that is named may be wrong", "QPS-8", "modify.go",
		`mask&verbs.MaskCurState != 0 && a.CurState != from`, `false`},
	{"the masks of moves are not checked", "QPS-3 QPS-4 QPS-6", "modify.go",
		`from, to, mask); why != "" {`, `from, to, mask); false && why != "" {`},
	{"ports that are not there are taken", "QPS-9", "modify.go",
		`case has(verbs.MaskPort) && a.PortNum != 1:`, `case has(verbs.MaskPort) && a.PortNum > 100:`},
	{"an address without a GRH is taken", "QPS-10", "modify.go",
		`case has(verbs.MaskAV) && !a.AH.IsGlobal:`, `case false:`},
	{"PSNs have 32 bits", "QPS-34", "modify.go",
		`m.SQPSN = a.SQPSN & psnMask`, `m.SQPSN = a.SQPSN`},
	{"access flags set in RTS do not count", "QPS-33", "modify.go",
		`atomic.StoreUint32(&e.access, uint32(a.AccessFlags))`, `if verbs.QPState(q.state.Load()) == verbs.QPReset {
			atomic.StoreUint32(&e.access, uint32(a.AccessFlags))
		}`},
	{"RESET keeps the receives", "QPS-24", "modify.go",
		`	q.recv.reset()
`, ``},
	{"RESET keeps the sends", "QPS-24 QPS-30", "modify.go",
		`q.pendHead, q.pendTail = 0, 0`, ``},
	{"the retry count is not kept", "QRY-7 QRY-1", "modify.go",
		`m.RetryCnt = a.RetryCnt`, ``},
}
