package main

// transportFaults are faults of UC, UD, multicast and atomic operations.
var transportFaults = []mutation{
	{"FETCH_AND_ADD adds without being atomic", "RMA-10", "atomic.go",
		`binary.NativeEndian.PutUint64(old[:], atomic.AddUint64(word, w.word.compareAdd)-w.word.compareAdd)`,
		`v := *word
		for range 200 {
			binary.NativeEndian.PutUint64(old[:], v)
		}
		*word = v + w.word.compareAdd`},
	{"FETCH_AND_ADD returns the sum", "RMA-6", "atomic.go",
		`w.word.compareAdd)-w.word.compareAdd)`, `w.word.compareAdd))`},
	{"CMP_AND_SWP always swaps", "RMA-5", "atomic.go",
		`old != compare {`, `old != compare && !atomic.CompareAndSwapUint64(word, old, swap) {`},
	{"a word of an atomic operation may lie askew", "RMA-8", "post.go",
		`case addr%wordSize != 0:`, `case addr == 1:`},
	{"atomic operations need no right of their own", "MR-12 RMA-15", "atomic.go",
		`verbs.AccessRemoteAtomic`, `verbs.AccessRemoteWrite`},
	{"atomic operations work from any local length", "RMA-9", "post.go",
		`!= wordSize:`, `> 1<<20:`},
	{"a UC message that is too long is cut", "RMA-16", "uc.go",
		`return ok && total(sges) >= n`, `return ok`},
	{"a UC request to nobody fails", "RMA-16", "uc.go",
		`case p == nil:
`, `case p == nil:
		return verbs.WCRetryExcErr
`},
	{"a local error takes UC to ERR", "QPS-28", "post.go",
		`if q.unreliable() {`, `if q.typ == verbs.QPTypeUD {`},
	{"UC has all operations", "SND-2", "qptype.go",
		`verbs.QPTypeUC: opsSend | opsWrite,`, `verbs.QPTypeUC: opsSend | opsWrite | opsFetch,`},
	{"the header of a UD message is missing", "UD-1", "datagram.go",
		`q.fill(sges, d.packet)`, `q.fill(sges, d.packet[verbs.GRHSize:])`},
	{"byte_len of UD does not count the header", "UD-1", "datagram.go",
		`uint32(len(d.packet)), SrcQP`, `uint32(len(d.packet)-verbs.GRHSize), SrcQP`},
	{"a UD completion does not tell of the GRH", "UD-2", "datagram.go",
		`Flags: verbs.WCGRH,`, ``},
	{"a UD completion does not tell the sender", "UD-5", "datagram.go",
		`SrcQP: d.src,`, ``},
	{"the Q_Key is not checked", "UD-9 MC-12", "datagram.go",
		`if d.qkey != q.attr.QKey {`, `if d.qkey == 1<<31 {`},
	{"a wrong Q_Key is not counted", "UD-9 PORT-13", "datagram.go",
		`q.ctx.qkeyViolations.Add(1)`, ``},
	{"the top bit of a Q_Key has no meaning", "UD-10", "datagram.go",
		`d.qkey = q.attr.QKey
	}
	if w.op`, `d.qkey = w.qkey
	}
	if w.op`},
	{"a UD message above the MTU is cut", "UD-14", "datagram.go",
		`	if n > datagramMTU {
		return verbs.WCSuccess
	}
`, `	if n > datagramMTU {
		n, q.pieces[0] = datagramMTU, q.pieces[0][:datagramMTU]
	}
`},
	{"a UD receive that is too short is filled", "UD-15", "datagram.go",
		`if total(sges) < uint64(len(packet)) {`, `if false {`},
	{"an address handle of another domain is used", "UD-17", "datagram.go",
		`a == nil || a.pd != q.pd`, `a == nil`},
	{"an address handle does not count in its domain", "UD-18", "ah.go",
		`	p.use(1)
`, `	p.use(0)
`},
	{"the way back leads to oneself", "UD-6 UD-8", "grh.go",
		`DGID: g.sgid`, `DGID: g.dgid`},
	{"a second attachment brings a second copy", "MC-4", "mcast.go",
		`case slices.Contains(members, q):`, `case false:`},
	{"any GID can be a group's", "MC-2", "mcast.go",
		`if !isMulticast(gid) {`, `if gid[0] == 1 {`},
	{"a QP other than UD can be attached", "MC-1", "mcast.go",
		`if q.typ != verbs.QPTypeUD {`, `if q.typ == verbs.QPTypeXRCRecv {`},
	{"what is detached goes on receiving", "MC-13", "mcast.go",
		`slices.Delete(c.groups[gid], i, i+1)`, `c.groups[gid]`},
	{"an attached QP can be destroyed", "MC-6", "mcast.go",
		`if slices.Contains(members, q) {
			return true`, `if slices.Contains(members, q) {
			return false`},
	{"only the first of a group receives", "MC-8 MC-9", "datagram.go",
		`			q.deliver(d)
		}`, `			q.deliver(d)
			break
		}`},
	{"a message to a group stays in its process", "MC-8", "datagram.go",
		`q.ctx.neighbours.send(b)`, `q.ctx.deliver(&datagram{dest: d.dest, src: d.src, qkey: d.qkey, flags: d.flags, imm: d.imm, packet: b[datagramHeader:]})`},
}
