package main

// connectionFaults are faults of who may talk to whom.
var connectionFaults = []mutation{
	{"any packet number begins a connection", "QPS-34", "peer.go",
		` || atomic.LoadUint32(&p.entry.rqPSN) != q.attr.SQPSN {`, ` {`},
	{"a QP answers a neighbour of the one that it is connected to", "TestStaleConnection", "peer.go",
		`atomic.LoadUint32(&e.destNum) != q.num || `, ``},
	{"a QP answers a process that it is not connected to", "TestStaleConnection", "peer.go",
		` || atomic.LoadUint64(&e.destID) != q.ctx.id`, ``},
	{"a QP in INIT answers", "QPS-15", "layout.go",
		`return s == verbs.QPRTR ||`, `return s == verbs.QPInit || s == verbs.QPRTR ||`},
	{"a QP in RTR does not answer", "QPS-14", "layout.go",
		`return s == verbs.QPRTR ||`, `return`},
	{"a refusal leaves the peer's QP as it was", "ERR-11 ERR-12 RCV-11", "execute.go",
		`	p.store(0, recFault|uint64(status), true)
	p.notify()
`, ``},
	{"a failed receive leaves its QP as it was", "RCV-11 ERR-7", "recv.go",
		`ok = wc[n].Status == verbs.WCSuccess`, ``},
	{"a failed request leaves its QP as it was", "QPS-29 ERR-22", "post.go",
		`		q.broken = true
		q.setState(verbs.QPErr)
`, ``},
	{"a peer's lie about byte_len is believed", "TestForgedRecords", "recv.go",
		`if wc.Status == verbs.WCSuccess && !legal {`, `if wc.Status == 99 && !legal {`},
	{"what a peer says of its receive is believed", "TestGarbageReceives", "peer.go",
		`min(atomic.LoadUint32(&w.numSGE), p.layout.maxSGE)`, `atomic.LoadUint32(&w.numSGE)`},
	{"a packet that is too short is read", "TestGarbageRequests", "socket.go",
		`if len(b) != requestSize {`, `if len(b) > requestSize {`},
	{"memory that can shrink is mapped", "TestWildRegions", "remote.go",
		`seals&unix.F_SEAL_SHRINK == 0 {`, `seals < 0 {`},
	{"the offset that a peer names is not checked", "TestWildRegions", "mr.go",
		`offset > uint64(len(b)) || length > uint64(len(b))-offset`, `false`},
	{"a pipe is taken for a channel's socket", "TestBadReceiveQueue", "bell.go",
		`r.bells == nil || !isDoor(fd)`, `r.bells == nil`},
	{"a peer that is short of descriptors has refused", "TestDescriptorsRunOut", "ask.go",
		`return !short(in.result)`, `return true`},
	{"nobody is accepted after an error", "TestAcceptWithoutDescriptors", "serve.go",
		`			case <-time.After(answerLook):
`, `			case <-time.After(answerLook):
				return
`},
	{"another user's process is answered", "TestAnotherUser", "socket.go",
		`int(cred.Uid) != os.Geteuid()`, `int(cred.Uid)-os.Geteuid() == 1`},
}
