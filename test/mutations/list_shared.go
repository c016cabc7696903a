package main

// sharedFaults are faults of shared receive queues.
var sharedFaults = []mutation{
	{"receives of an SRQ are taken from its end", "SRQ-10 SRQ-11", "srq.go",
		`w, s.queue = s.queue[0], s.queue[1:]`, `w, s.queue = s.queue[len(s.queue)-1], s.queue[:len(s.queue)-1]`},
	{"the limit of an SRQ is told again and again", "SRQ-5", "srq.go",
		`		s.limit = 0
`, ``},
	{"the limit of an SRQ is told one receive early", "SRQ-5", "srq.go",
		`if len(s.queue) < s.limit {`, `if len(s.queue) <= s.limit {`},
	{"the limit of an SRQ is never told", "SRQ-5", "srq.go",
		`		s.ctx.raise(verbs.AsyncEvent{Type: verbs.EventSRQLimitReached, SRQ: s})
`, ``},
	{"the limit of an SRQ may be above its capacity", "SRQ-7", "srq.go",
		`case limit < 0 || limit > size:`, `case limit < 0:`},
	{"an SRQ may get smaller than what is in it", "SRQ-8", "srq.go",
		`case size < used:`, `case false:`},
	{"a full SRQ takes more", "SRQ-10", "srq.go",
		`case int(s.used.Load()) >= s.max:`, `case false:`},
	{"a receive of an SRQ may have too many SGEs", "SRQ-10", "srq.go",
		`case wr.NumSGE < 0 || int(wr.NumSGE) > s.maxSGE:`, `case wr.NumSGE < 0:`},
	{"an SRQ in use can be destroyed", "SRQ-13", "srq.go",
		`busy, again := s.users > 0, s.closed`, `busy, again := false, s.closed`},
	{"the last receive of a QP in ERR is not told", "SRQ-16", "qp.go",
		`	q.raise(verbs.EventQPLastWQE)
`, ``},
	{"a receive that was asked for and not taken is lost", "SRQ-12", "feed.go",
		`		s.giveBack(g.wr)
`, ``},
	{"a sender that waits is not fed when a receive comes", "SRQ-12", "srq.go",
		`	bad, err := s.post(wr)
	s.serve()
`, `	bad, err := s.post(wr)
`},
}
