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
	{"MC-7", "on Ethernet the LID of a group is ignored", groupLID},
	{"MC-8", "a message to a group reaches every attached QP that receives, once", reachesAll},
	{"MC-9", "to the sender too, and to others of its device", reachesOwn},
	{"MC-10", "where groups are joined by IP, nothing comes before that", joinedByIP},
	{"MC-11", "an IPv4 group is the one of its mapped GID", mappedGroup},
	{"MC-12", "the Q_Key is checked for each QP", groupQKeys},
	{"MC-13", "a detached QP gets no more messages, the others do", detachedIsDeaf},
	{"MC-14", "the GRH names the group, which is no address for a reply", groupInGRH},
	{"MC-15", "a QP without a receive misses the message, alone", missedByOne},
	{"MC-17", "a group takes max_mcast_qp_attach QPs, and no more", groupLimit},
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
	s := e.side(conf().WithType(verbs.QPTypeUD))
	e.needMulticast(s.Ctx)
	return s
}

func attachUDOnly(e *env) {
	for _, typ := range []verbs.QPType{verbs.QPTypeRC, verbs.QPTypeUC} {
		e.sub(typ.String(), func(e *env) {
			s := e.side(conf().WithType(typ))
			e.needMulticast(s.Ctx)
			e.refused("attach_mcast", s.QP.AttachMcast(e.newGroup(), 0), syscall.EINVAL)
		})
	}
}

func attachGroupsOnly(e *env) {
	s := e.member()
	for _, gid := range []verbs.GID{
		{}, e.gid(s.Ctx), {0xfe, 0x80, 15: 1}, {0x20, 0x01, 0x0d, 0xb8, 15: 1},
		mapped([]byte{10, 1, 1, 1}), mapped([]byte{223, 255, 255, 255}), mapped([]byte{240, 0, 0, 1}),
	} {
		e.refused("attach_mcast to "+gid.String(), s.QP.AttachMcast(gid, 0), syscall.EINVAL)
	}
}

func attachInAnyState(e *env) {
	s := e.member()
	gid := e.newGroup()
	for _, state := range e.reachable(verbs.QPTypeUD, states) {
		s.Enter(state, s)
		e.ok(s.QP.AttachMcast(gid, 0))
		s.IsIn(state)
		e.ok(s.QP.DetachMcast(gid, 0))
	}
}

func attachTwice(e *env) {
	c := e.receivers(1)
	s := c.members[0]
	e.ok(s.QP.AttachMcast(c.gid, 0))
	c.reaches(s)
	e.ok(s.QP.DetachMcast(c.gid, 0))
	c.missing(s)
	e.refused("the second detach", s.QP.DetachMcast(c.gid, 0), syscall.EINVAL)
}

func detachUnknown(e *env) {
	s, other := e.member(), e.member()
	gid := e.newGroup()
	e.refused("detach_mcast of a group without members", s.QP.DetachMcast(gid, 0), syscall.EINVAL)
	other.attach(gid)
	e.refused("detach_mcast of a group that another QP is attached to", s.QP.DetachMcast(gid, 0), syscall.EINVAL)
	s.attach(e.newGroup())
	e.refused("detach_mcast of another group", s.QP.DetachMcast(gid, 0), syscall.EINVAL)
}

func attachedIsBusy(e *env) {
	s := e.member()
	one, two := e.newGroup(), e.newGroup()
	e.ok(s.QP.AttachMcast(one, 0))
	e.ok(s.QP.AttachMcast(two, 0))
	e.refused("destroy_qp in two groups", s.QP.Close(), syscall.EBUSY)
	e.ok(s.QP.DetachMcast(one, 0))
	e.refused("destroy_qp in one", s.QP.Close(), syscall.EBUSY)
	s.Enter(verbs.QPRTS, s)
	e.ok(s.QP.DetachMcast(two, 0))
	e.close(s.QP)
}

func groupLID(e *env) {
	c := e.receivers(1)
	if link := e.port(c.from.Ctx).LinkLayer; link != verbs.LinkEthernet {
		e.Skipf("the link is %s, not Ethernet", link)
	}
	const lid = 0xc001
	s := e.member()
	s.Enter(verbs.QPRTS, s)
	e.ok(s.QP.AttachMcast(c.gid, lid))
	c.reaches(s, c.members[0])
	e.ok(s.QP.DetachMcast(c.gid, lid))
	c.missing(s)
}

// groupLimit skips devices with large groups, for which it would take long.
func groupLimit(e *env) {
	s := e.member()
	limit := e.device(s.Ctx).MaxMcastQPs
	if limit > 256 {
		e.Skipf("a group takes %d QPs", limit)
	}
	gid := e.newGroup()
	for range limit {
		s.attach(gid)
		s.NewQP()
	}
	e.refused("attach_mcast of one more", s.QP.AttachMcast(gid, 0), syscall.ENOMEM)
	other := e.newGroup()
	s.attach(other)
}
