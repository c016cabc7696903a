package verbstest

import (
	"syscall"

	"github.com/ibperf/ibperf/verbs"
)

func reachesAll(e *env) {
	c := e.crowd(3)
	idle := c.members[2]
	idle.enter(verbs.QPInit, idle)
	idle.awaits(1)
	second := e.sideOn(c.members[0].ctx, c.from.conf)
	second.enter(verbs.QPRTR, second)
	second.attach(c.gid)
	outsider := e.sideOn(c.members[0].ctx, c.from.conf)
	outsider.enter(verbs.QPRTS, outsider)
	outsider.awaits(1)
	c.reaches(c.members[0], c.members[1], second)
	for _, s := range []*side{idle, outsider} {
		s.recvCQ.staysEmpty()
	}
}

func reachesOwn(e *env) {
	c := e.crowd(1)
	c.from.attach(c.gid)
	neighbour := e.sideOn(c.from.ctx, c.from.conf)
	neighbour.enter(verbs.QPRTS, neighbour)
	neighbour.attach(c.gid)
	c.reaches(c.from, neighbour, c.members[0])
}

func joinedByIP(e *env) {
	c := e.crowdAt(e.newGroup(), 1)
	s := c.members[0]
	s.awaits(1)
	c.send()
	came := until(4*quiet, func() bool { return s.polled() })
	agree(e, "Q15", "it comes without IP", came, true, false)
	e.join(c.gid)
	s.reconnect(s)
	s.recvCQ.discard()
	c.reaches(s)
}

// polled polls one completion and tells whether there was one.
func (s *side) polled() bool {
	s.Helper()
	n, err := s.recvCQ.Poll(s.recvCQ.wc[:1])
	s.ok(err)
	return n > 0
}

func mappedGroup(e *env) {
	if !isMapped(e.gid(e.open())) && e.network() != 0 {
		e.Skip("the GID is not of an IPv4 address")
	}
	c := e.crowdAt(newIPv4Group(), 1)
	e.join(c.gid)
	other := e.member()
	other.enter(verbs.QPRTS, other)
	like := c.gid
	like[0], like[1] = 0xff, 0x0e
	other.attach(like)
	other.awaits(1)
	c.reaches(c.members[0])
	other.recvCQ.staysEmpty()
}

func groupQKeys(e *env) {
	c := e.crowd(2)
	a, b := c.members[0], c.members[1]
	b.conf.qkey++
	b.reconnect(b)
	b.awaits(1)
	c.reaches(a)
	b.recvCQ.staysEmpty()
	a.awaits(9)
	w := c.message()
	w.qkey += 2
	c.from.post(w)
	c.from.sendCQ.gives(w.id, verbs.WCSuccess)
	a.recvCQ.staysEmpty()
	b.recvCQ.staysEmpty()
}

func detachedIsDeaf(e *env) {
	c := e.crowd(2)
	a, b := c.members[0], c.members[1]
	c.reaches(a, b)
	e.ok(a.qp.DetachMcast(c.gid, 0))
	a.awaits(byte(c.sent + 1))
	c.reaches(b)
	a.recvCQ.staysEmpty()
}

func groupInGRH(e *env) {
	c := e.crowd(1)
	s := c.members[0]
	s.awaits(1)
	wc := c.gets(s, c.send())
	grh := s.mem[100:][:verbs.GRHSize]
	if h := headerIn(grh); h.destination != c.gid || h.source != e.gid(c.from.ctx) {
		e.Errorf("from %s to %s, want from %s to %s", h.source, h.destination, e.gid(c.from.ctx), c.gid)
	}
	_, err := s.ctx.InitAHFromWC(e.target.Port, &wc, grh)
	e.refused("init_ah_from_wc", err, syscall.EINVAL)
	if _, err := s.pd.CreateAHFromWC(&wc, grh, e.target.Port); err == nil {
		e.Error("an address handle was made of a message to a group")
	}
}

func missedByOne(e *env) {
	c := e.crowd(2)
	deaf, other := c.members[0], c.members[1]
	c.reaches(other)
	deaf.recvCQ.staysEmpty()
	deaf.awaits(9)
	deaf.recvCQ.staysEmpty()
	deaf.isIn(verbs.QPRTS)
}
