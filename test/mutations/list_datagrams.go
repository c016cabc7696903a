package main

// datagramFaults are faults of UD messages, address handles and multicast groups.
var datagramFaults = []mutation{
	{"the GRH is not received", "UD-1 UD-4 RCV-12", "datagram.go",
		`packet: b[datagramHeader:]}`, `packet: b[datagramHeader+verbs.GRHSize:]}`},
	{"the completion does not tell of the GRH", "UD-2 WC-6", "datagram.go",
		`Flags: verbs.WCGRH,`, `Flags: 0,`},
	{"the GRH has source and destination confused", "UD-2 UD-6 UD-8 MC-14", "grh.go",
		`sgid: from, dgid: r.DGID`, `sgid: r.DGID, dgid: from`},
	{"the GRH has no hop limit", "UD-3", "grh.go",
		`hopLimit: r.HopLimit,`, ``},
	{"the way back has no hop limit", "UD-6", "grh.go",
		`FlowLabel: g.flow, HopLimit: g.hopLimit,`, `FlowLabel: g.flow,`},
	{"only the first SGE is filled", "UD-4", "datagram.go",
		`packet = packet[n:]`, `packet = nil`},
	{"a receive does not tell the sender's QP", "UD-5 WC-8", "datagram.go",
		`SrcQP: d.src, `, ``},
	{"immediate data of UD is not told", "UD-5 SND-1", "datagram.go",
		`wc.Flags |= verbs.WCWithImm`, ``},
	{"a header of any version is a way back", "UD-7", "ah.go",
		`g.version != grhVersion || g.nextHeader != grhNextHeader`, `false`},
	{"a way back leads from a group", "UD-7 MC-14", "ah.go",
		`case isMulticast(g.dgid):`, `case false:`},
	{"a way back leads from anywhere", "UD-7", "ah.go",
		`case g.dgid != gidOf(c.id):`, `case false:`},
	{"Q_Keys are not compared", "UD-9 MC-12 PORT-13", "datagram.go",
		`if d.qkey != q.attr.QKey {`, `if false {`},
	{"wrong Q_Keys are not counted", "UD-9 PORT-13", "datagram.go",
		`		q.ctx.qkeyViolations.Add(1)
`, ``},
	{"a Q_Key with the top bit is sent as it is", "UD-10", "datagram.go",
		`if w.qkey&ownQKey != 0 {`, `if false {`},
	{"anybody sets a Q_Key with the top bit", "UD-11", "qkey.go",
		`|| hasNetRaw()`, `|| true`},
	{"nobody sets a Q_Key without the privilege", "UD-11", "qkey.go",
		`a.QKey&ownQKey == 0 || `, ``},
	{"a message finds a QP that had the number before", "TestWildDatagrams$", "datagram.go",
		`q != nil && q.num == d.dest && `, `q != nil && `},
	{"a message above the MTU arrives in part", "UD-14", "datagram.go",
		`		return verbs.WCSuccess
	}
	d := datagram`, `		q.pieces[0], n = q.pieces[0][:datagramMTU], datagramMTU
	}
	d := datagram`},
	{"the MTU is one byte less", "UD-13", "datagram.go",
		`if n > datagramMTU {`, `if n >= datagramMTU {`},
	{"a receive that is too short is filled", "UD-15", "datagram.go",
		`if total(sges) < uint64(len(packet)) {`, `if false {`},
	{"a receive that is too short leaves the QP alive", "UD-15", "datagram.go",
		`q.fail(life)`, `_ = life`},
	{"an address handle needs no GRH", "UD-16", "ah.go",
		`if !attr.IsGlobal {`, `if false {`},
	{"address handles work in every domain", "UD-17", "datagram.go",
		`if a == nil || a.pd != q.pd {`, `if a == nil {`},
	{"an address handle does not use its domain", "UD-18", "ah.go",
		`	p.use(1)
`, ``},
	{"a destroyed address handle keeps its domain", "UD-18", "ah.go",
		`		a.pd.use(-1)
`, ``},
	{"RC finds the receive queue of UD", "Test(WildDatagrams|RandomDatagrams)$", "datagram.go",
		`if q.typ != verbs.QPTypeUD || !receives`, `if !receives`},
	{"the QP of a message is taken from another context", "TestWildDatagrams$", "datagram.go",
		` && g.dgid == gidOf(c.id)`, ``},
	{"the length of a message is believed", "TestWildDatagrams$", "datagram.go",
		` && int(g.length) == len(d.packet)-verbs.GRHSize`, ``},

	{"every type can be attached", "MC-1", "mcast.go",
		`if q.typ != verbs.QPTypeUD {`, `if false {`},
	{"every GID is a group's", "MC-2", "mcast.go",
		`if !isMulticast(gid) {`, `if false {`},
	{"every mapped GID is a group's", "MC-2", "mcast.go",
		` && g[12]>>4 == 0xe`, ``},
	{"attached twice is attached twice", "MC-4", "mcast.go",
		`case slices.Contains(members, q):`, `case false:`},
	{"detaching knows no error", "MC-4 MC-5", "mcast.go",
		`if i < 0 {`, `if i < 0 {
		return nil
	}
	if false {`},
	{"an attached QP can be destroyed", "MC-6", "qp.go",
		`if c.attached(q) && !c.closed {`, `if false {`},
	{"a group's message comes to one QP of a context", "MC-8 MC-9", "datagram.go",
		`		for _, q := range c.members(g.dgid) {
			q.deliver(d)
`, `		for _, q := range c.members(g.dgid) {
			q.deliver(d)
			break
`},
	{"a group's message comes to the sender's context only", "MC-8", "neighbours.go",
		`for _, id := range ids {`, `for _, id := range ids[:0] {`},
	{"a group takes any number of QPs", "MC-17", "mcast.go",
		`case len(members) == maxGroupQPs:`, `case false:`},
	{"a detached QP goes on receiving", "MC-4 MC-13", "mcast.go",
		`	c.groups[gid] = slices.Delete(c.groups[gid], i, i+1)
`, ``},
}
