package verbstest

import (
	"syscall"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

func reachesAll(e *env) {
	c := e.receivers(3)
	idle := c.members[2]
	idle.Enter(verbs.QPInit, idle)
	idle.awaits(1)
	second := e.sideOn(c.members[0].Ctx, c.from.Config)
	second.Enter(verbs.QPRTR, second)
	second.attach(c.gid)
	outsider := e.sideOn(c.members[0].Ctx, c.from.Config)
	outsider.Enter(verbs.QPRTS, outsider)
	outsider.awaits(1)
	c.reaches(c.members[0], c.members[1], second)
	for _, s := range []*side{idle, outsider} {
		s.RecvCQ.StaysEmpty()
	}
}

func reachesOwn(e *env) {
	c := e.receivers(1)
	c.from.attach(c.gid)
	neighbour := e.sideOn(c.from.Ctx, c.from.Config)
	neighbour.Enter(verbs.QPRTS, neighbour)
	neighbour.attach(c.gid)
	c.reaches(c.from, neighbour, c.members[0])
}

func joinedByIP(e *env) {
	c := e.receiversAt(e.newGroup(), 1)
	s := c.members[0]
	s.awaits(1)
	c.send()
	came := fixture.Until(4*fixture.Quiet, func() bool { return s.polled() })
	checkValue(e, "Q15", "it comes without IP", came, true, false)
	e.join(c.gid)
	s.Enter(verbs.QPRTS, s)
	s.RecvCQ.Discard()
	c.reaches(s)
}

// polled polls one completion and reports whether there was one.
func (s *side) polled() bool {
	s.Helper()
	n, err := s.RecvCQ.Poll(s.RecvCQ.WC[:1])
	s.ok(err)
	return n > 0
}

func mappedGroup(e *env) {
	if !isMapped(e.gid(e.open())) && e.network() != 0 {
		e.Skip("the GID is not of an IPv4 address")
	}
	c := e.receiversAt(newIPv4Group(), 1)
	e.join(c.gid)
	other := e.member()
	other.Enter(verbs.QPRTS, other)
	like := c.gid
	like[0], like[1] = 0xff, 0x0e
	other.attach(like)
	other.awaits(1)
	c.reaches(c.members[0])
	other.RecvCQ.StaysEmpty()
}

func groupQKeys(e *env) {
	c := e.receivers(2)
	a, b := c.members[0], c.members[1]
	b.Config.QKey++
	b.Enter(verbs.QPRTS, b)
	b.awaits(1)
	c.reaches(a)
	b.RecvCQ.StaysEmpty()
	a.awaits(9)
	w := c.message()
	w.QKey += 2
	c.from.Post(w)
	c.from.SendCQ.Expect(w.ID, verbs.WCSuccess)
	a.RecvCQ.StaysEmpty()
	b.RecvCQ.StaysEmpty()
}

func detachedIsDeaf(e *env) {
	c := e.receivers(2)
	a, b := c.members[0], c.members[1]
	c.reaches(a, b)
	e.ok(a.QP.DetachMcast(c.gid, 0))
	a.awaits(byte(c.sent + 1))
	c.reaches(b)
	a.RecvCQ.StaysEmpty()
}

func groupInGRH(e *env) {
	c := e.receivers(1)
	s := c.members[0]
	s.awaits(1)
	wc := c.gets(s, c.send())
	grh := s.Mem[100:][:verbs.GRHSize]
	if h := headerIn(grh); h.destination != c.gid || h.source != e.gid(c.from.Ctx) {
		e.Errorf("from %s to %s, want from %s to %s", h.source, h.destination, e.gid(c.from.Ctx), c.gid)
	}
	_, err := s.Ctx.InitAHFromWC(e.target.Port, &wc, grh)
	e.refused("init_ah_from_wc", err, syscall.EINVAL)
	if _, err := s.PD.CreateAHFromWC(&wc, grh, e.target.Port); err == nil {
		e.Error("an address handle was made of a message to a group")
	}
}

func missedByOne(e *env) {
	c := e.receivers(2)
	deaf, other := c.members[0], c.members[1]
	c.reaches(other)
	deaf.RecvCQ.StaysEmpty()
	deaf.awaits(9)
	deaf.RecvCQ.StaysEmpty()
	deaf.IsIn(verbs.QPRTS)
}
