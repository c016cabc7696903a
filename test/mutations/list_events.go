package main

// eventFaults are faults of arming and of completion events.
var eventFaults = []mutation{
	{"a CQ stays armed after its event", "CHN-4 CHN-6", "bell.go",
		`armed<<armShift|armNone)`, `w+1<<armShift)`},
	{"each peer's token is an event", "TestOneEventOfAll", "bell.go",
		`armed <= b.taken || armed`, `armed`},
	{"a CQ that is not armed raises events", "CHN-2", "bell.go",
		`b.taken<<armShift|armNone`, `(b.taken+1)<<armShift|armAny`},
	{"a lost connection wakes nobody", "TestLostConnectionWakes", "door.go",
		`			q.bell.ring(true)
`, ``},
	{"a token that finds no room is lost", "TestFullDoorThere", "bell.go",
		`		go b.insist(armed)
`, ``},
	{"armed for solicited completions is armed for all", "CHN-7", "bell.go",
		`if solicitedOnly && w&armMask != armAny {`, `if false {`},
	{"the weaker of two arms wins", "CHN-9", "bell.go",
		`if solicitedOnly && w&armMask != armAny {`, `if solicitedOnly {`},
	{"the solicited flag is ignored", "CHN-7", "execute.go",
		`w.flags&verbs.SendSolicited != 0 || status`, `status`},
	{"a failed receive is not solicited", "CHN-8", "recv.go",
		`cq.ring(true)`, `cq.ring(false)`},
	{"a failed send is not solicited", "CHN-8", "post.go",
		`q.sendCQ.push(&e, status != verbs.WCSuccess)`, `q.sendCQ.push(&e, false)`},
	{"sends raise no events", "CHN-16", "cq.go",
		`	q.bell.ring(solicited)
`, ``},
	{"receives raise no events", "CHN-3 CHN-10", "execute.go",
		`	p.bell.ring(solicited)
`, ``},
	{"destroying a CQ does not wait for the acknowledgement", "CHN-13", "cq.go",
		`	q.fetched.wait()
`, ``},
	{"one acknowledgement is enough for all events", "CHN-15", "event.go",
		`a.n += n`, `a.n = max(n, 0)`},
	{"destroying does not wait for asynchronous events", "AEV-2", "cq.go",
		`	q.async.wait()
`, ``},
	{"an overrun raises no event", "CQ-12 AEV-7", "cq_size.go",
		`q.ctx.raise(verbs.AsyncEvent{Type: verbs.EventCQErr, CQ: q})`, ``},
	{"an overrun is told again and again", "CQ-12", "cq_size.go",
		`	if q.overrun {
		return
	}
`, ``},
	{"a CQ that overran leaves its QPs as they were", "AEV-7", "cq_size.go",
		`	go q.failUsers()`, `	//`},
	{"a failure at the requester raises an event", "AEV-8", "post.go",
		`		q.broken = true
`, `		q.broken = true
		q.raise(verbs.EventQPFatal)
`},
	{"a refused request raises no event at the responder", "AEV-6", "notice.go",
		`	if ok {
		q.raise(event)
	}
`, `	_, _ = event, ok
`},
	{"a refusal of the rights is told as one of the request", "AEV-6", "notice.go",
		`return verbs.EventQPAccessErr, true`, `return verbs.EventQPReqErr, true`},
	{"COMM_EST is told twice", "AEV-5", "notice.go",
		`	q.reached = true
`, `	q.raise(verbs.EventCommEst)
	q.reached = true
`},
	{"events of a destroyed object stay", "AEV-4", "event.go",
		`if acksOf(e) != a {`, `if true {`},
	{"a channel in use can be destroyed", "CHN-1", "channel.go",
		`if len(ch.cqs) > 0 {`, `if false {`},
}
