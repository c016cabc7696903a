package verbstest

import (
	"syscall"

	"github.com/ibperf/ibperf/verbs"
)

var mcStatements = []statement{
	{"MC-1", "only UD QPs can be attached to a group", attachUDOnly},
	{"MC-2", "only to a multicast GID", attachGroupsOnly},
	{"MC-3", "a QP can be attached in every state", attachInAnyState},
	{"MC-4", "attached twice is attached once", attachTwice},
	{"MC-5", "a QP that is not attached cannot be detached", detachUnknown},
	{"MC-6", "a QP that is attached cannot be destroyed", attachedIsBusy},
	{"MC-7", "on Ethernet the LID of a group has no say", groupLID},
	{"MC-8", "a message to a group comes once to every attached QP that receives", reachesAll},
	{"MC-9", "to the sender too, and to others of its device", reachesOwn},
	{"MC-10", "where groups are joined by IP, nothing comes before that", joinedByIP},
	{"MC-11", "an IPv4 group is the one of its mapped GID", mappedGroup},
	{"MC-12", "the Q_Key is checked for each QP", groupQKeys},
	{"MC-13", "what is detached gets nothing more, others do", detachedIsDeaf},
	{"MC-14", "the GRH names the group, to which no way back leads", groupInGRH},
	{"MC-15", "a QP without a receive misses the message, alone", missedByOne},
	{"MC-17", "a group takes so many QPs and no more", groupLimit},
}

// needMulticast skips the statement on a device without multicast.
func (e *env) needMulticast(ctx verbs.Context) verbs.DeviceAttr {
	e.Helper()
	attr := e.device(ctx)
	if attr.MaxMcastGroups == 0 || attr.MaxMcastQPs == 0 {
		e.Skip("the device offers no multicast")
	}
	return attr
}

// member makes a UD QP in RESET whose device has multicast.
func (e *env) member() *side {
	e.Helper()
	s := e.side(conf().of(verbs.QPTypeUD))
	e.needMulticast(s.ctx)
	return s
}

func attachUDOnly(e *env) {
	for _, typ := range []verbs.QPType{verbs.QPTypeRC, verbs.QPTypeUC} {
		e.sub(typ.String(), func(e *env) {
			s := e.side(conf().of(typ))
			e.needMulticast(s.ctx)
			e.refused("attach_mcast", s.qp.AttachMcast(e.newGroup(), 0), syscall.EINVAL)
		})
	}
}

func attachGroupsOnly(e *env) {
	s := e.member()
	for _, gid := range []verbs.GID{
		{}, e.gid(s.ctx), {0xfe, 0x80, 15: 1}, {0x20, 0x01, 0x0d, 0xb8, 15: 1},
		mapped([]byte{10, 1, 1, 1}), mapped([]byte{223, 255, 255, 255}), mapped([]byte{240, 0, 0, 1}),
	} {
		e.refused("attach_mcast to "+gid.String(), s.qp.AttachMcast(gid, 0), syscall.EINVAL)
	}
}

func attachInAnyState(e *env) {
	s := e.member()
	gid := e.newGroup()
	for _, state := range states {
		s.enter(state, s)
		e.ok(s.qp.AttachMcast(gid, 0))
		s.isIn(state)
		e.ok(s.qp.DetachMcast(gid, 0))
	}
}

func attachTwice(e *env) {
	c := e.crowd(1)
	s := c.members[0]
	e.ok(s.qp.AttachMcast(c.gid, 0))
	c.reaches(s)
	e.ok(s.qp.DetachMcast(c.gid, 0))
	c.missing(s)
	e.refused("the second detach", s.qp.DetachMcast(c.gid, 0), syscall.EINVAL)
}

func detachUnknown(e *env) {
	s, other := e.member(), e.member()
	gid := e.newGroup()
	e.refused("detach_mcast of a group that nobody is in", s.qp.DetachMcast(gid, 0), syscall.EINVAL)
	other.attach(gid)
	e.refused("detach_mcast of a group that another is in", s.qp.DetachMcast(gid, 0), syscall.EINVAL)
	s.attach(e.newGroup())
	e.refused("detach_mcast of another group", s.qp.DetachMcast(gid, 0), syscall.EINVAL)
}

func attachedIsBusy(e *env) {
	s := e.member()
	one, two := e.newGroup(), e.newGroup()
	e.ok(s.qp.AttachMcast(one, 0))
	e.ok(s.qp.AttachMcast(two, 0))
	e.refused("destroy_qp in two groups", s.qp.Close(), syscall.EBUSY)
	e.ok(s.qp.DetachMcast(one, 0))
	e.refused("destroy_qp in one", s.qp.Close(), syscall.EBUSY)
	s.enter(verbs.QPRTS, s)
	e.ok(s.qp.DetachMcast(two, 0))
	e.close(s.qp)
}

func groupLID(e *env) {
	c := e.crowd(1)
	if link := e.port(c.from.ctx).LinkLayer; link != verbs.LinkEthernet {
		e.Skipf("the link is %s, not Ethernet", link)
	}
	const lid = 0xc001
	s := e.member()
	s.enter(verbs.QPRTS, s)
	e.ok(s.qp.AttachMcast(c.gid, lid))
	c.reaches(s, c.members[0])
	e.ok(s.qp.DetachMcast(c.gid, lid))
	c.missing(s)
}

// groupLimit skips devices whose groups are so large that it would take long.
func groupLimit(e *env) {
	s := e.member()
	limit := e.device(s.ctx).MaxMcastQPs
	if limit > 256 {
		e.Skipf("a group takes %d QPs", limit)
	}
	gid := e.newGroup()
	for range limit {
		s.attach(gid)
		s.newQP()
	}
	e.refused("attach_mcast of one more", s.qp.AttachMcast(gid, 0), syscall.ENOMEM)
	other := e.newGroup()
	s.attach(other)
}
