package main

// completionFaults are faults of what a completion says, and of whether it comes.
var completionFaults = []mutation{
	{"wr_id has 32 bits", "SND-29", "cq.go",
		`WRID: wrid, `, `WRID: uint64(uint32(wrid)), `},
	{"what is not signaled completes too", "SND-10", "post.go",
		`status == verbs.WCSuccess && !q.sigAll && w.flags&verbs.SendSignaled == 0`, `false`},
	{"an unsignaled request fails in silence", "SND-11 ERR-15", "post.go",
		`if status == verbs.WCSuccess && !q.sigAll`, `if !q.sigAll`},
	{"sq_sig_all has no effect", "SND-10", "post.go",
		` && !q.sigAll`, ``},
	{"a READ does not tell its length", "WC-4 RMA-3", "cq.go",
		`wc.ByteLen = uint32(n)`, ``},
	{"byte_len of a receive is the room, not the message", "RCV-7 WC-4", "recv.go",
		`ByteLen: uint32(w0),`, `ByteLen: uint32(r.room[slot]),`},
	{"a WRITE with immediate data completes as a SEND", "WC-3 RCV-9", "post.go",
		`verbs.OpRDMAWriteWithImm: verbs.WCRecvRDMAWithImm,`, `verbs.OpRDMAWriteWithImm: verbs.WCRecv,`},
	{"immediate data has no flag", "WC-5", "recv.go",
		`wc.Flags = verbs.WCWithImm`, ``},
	{"immediate data is turned round", "RMA-18", "recv.go",
		`return [4]byte{byte(v), byte(v >> 8), byte(v >> 16), byte(v >> 24)}`,
		`return [4]byte{byte(v >> 24), byte(v >> 16), byte(v >> 8), byte(v)}`},
	{"the completion of a receive names another receive", "RCV-1 SND-29", "recv.go",
		`slot := i & (r.layout.n - 1)
	rec`, `slot := (i + 1) & (r.layout.n - 1)
	rec`},
	{"sends that wait are not flushed", "ERR-2 QPS-22", "qp.go",
		`	q.flushPending()
`, ``},
	{"receives are not flushed", "ERR-2 QPS-22", "qp.go",
		`	q.recv.flush()
`, ``},
	{"receives posted in ERR are not flushed", "QPS-21", "recv.go",
		`if r.closed.Load() {
			r.next`, `if false {
			r.next`},
	{"a completion is returned twice", "CQ-6 CQ-8", "cq.go",
		`		q.head++
		n++
`, `		if n%2 == 0 {
			q.head++
		}
		n++
`},
	{"an overrun is not noticed", "CQ-12", "cq_size.go",
		`	q.overrun = true
`, ``},
	{"a CQ with less room loses what is in it", "CQ-16", "cq_size.go",
		`for i := q.head; i != q.tail.Load(); i++ {
		own[`, `for i := q.head + 1; i != q.tail.Load(); i++ {
		own[`},
	{"a CQ may get smaller than what is in it", "CQ-17", "cq_size.go",
		`case q.unpolled() > cqe:`, `case false:`},
	{"resizing a CQ has no effect", "CQ-16", "cq_size.go",
		`q.own, q.cqe = own, cqe`, `_ = own`},
	{"poll takes more than fits", "CQ-5", "cq.go",
		`for n < len(wc) && q.head != tail {`, `for wc = wc[:cap(wc)]; n < len(wc) && q.head != tail; {`},
	{"a CQ in use can be destroyed", "CQ-4", "cq.go",
		`if q.users > 0 {`, `if false {`},
}
