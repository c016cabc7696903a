package verbstest

import (
	"syscall"

	"github.com/ibperf/ibperf/verbs"
)

// The errnos of wrong calls. Other topics assert many of them; here they run again under a
// number of this topic.
var misuseStatements = []statement{
	{"E-1", "EINVAL, or EOPNOTSUPP: create_qp of a type that is not for users, or of XRC_RECV without a domain", typesNotForUsers},
	{"E-2", "EOPNOTSUPP: create_qp of a type that the device lacks", typesNotOffered},
	{"E-3", "EINVAL: create_qp above the device's limits", capsAboveLimits},
	{"E-4", "create_qp with no capability at all succeeds", noCaps},
	{"E-5", "EINVAL: create_cq with a size or vector that is not there", badCQ},
	{"E-6", "EINVAL: create_srq with a size that is not there", srqSizes},
	{"E-7", "EINVAL: reg_mr with wrong rights or no length; EFAULT: without memory", badRegistrations},
	{"E-8", "EINVAL: reg_mr on demand without ODP", onDemand},
	{"E-9", "EINVAL: modify_qp with a wrong move, mask or value", badModifies},
	{"E-10", "EOPNOTSUPP: modify_qp with an unknown attribute", unknownAttributes},
	{"E-11", "ENODATA: an address from a GID entry that is empty", badAddress},
	{"E-12", "ETIMEDOUT and the like: create_ah to an address without a host", badHandles},
	{"E-13", "EINVAL: post_send in a state that does not send, with too many SGEs or too much inline data", badSends},
	{"E-14", "ENOMEM: posting to a full queue", fullQueues},
	{"E-15", "EINVAL: post_recv in RESET, or to a QP on an SRQ", badReceives},
	{"E-16", "EBUSY: destroying what is in use", inUse},
	{"E-17", "EINVAL: attaching what is no UD QP to what is no group, detaching what is not attached", badGroups},
	{"E-18", "EOPNOTSUPP: XRC on a device without", noXRC},
	{"E-19", "EINVAL: resizing below the content, a limit above the capacity", belowContent},
	{"E-20", "EINVAL: query_gid_ex of a port or index that is not there", outsideGIDTable},
	{"E-21", "ENODATA: query_gid_ex of an empty entry", queryGID},
	{"E-22", "EINVAL: query_gid_table with too little room", tooLittleRoom},
	{"E-23", "query_pkey outside of the table fails", outsidePKeyTable},
	{"E-24", "a wait for an event that does not come ends at its timeout", waitsEnd},
	{"E-26", "EPERM: a Q_Key with the top bit, of the unprivileged", privilegedQKey},
	{"E-27", "EBADF: every call on an object that was closed; to close it again is no error", closedObjects},
	{"E-28", "EBADF: every call on a context that was closed, and on its PDs and QPs; all can be closed after it", closedContext},
}

// together runs functions of other statements as cases of this one.
func (e *env) together(names []string, functions ...func(*env)) {
	for i, f := range functions {
		e.sub(names[i], f)
	}
}

// createQP tries to create a QP of the type with the side's queues.
func (s *side) createQP(typ verbs.QPType, cap verbs.QPCap) error {
	s.Helper()
	qp, err := s.PD.CreateQP(&verbs.QPInitAttr{SendCQ: s.SendCQ.CQ, RecvCQ: s.RecvCQ.CQ, Type: typ, Cap: cap})
	if err == nil {
		s.ok(qp.Close())
	}
	return err
}

func typesNotForUsers(e *env) {
	const smi, gsi = 0, 1
	s := e.side(conf())
	for _, typ := range []verbs.QPType{smi, gsi, verbs.QPTypeXRCRecv} {
		e.refused("create_qp "+typ.String(), s.createQP(typ, s.Config.Cap), syscall.EINVAL, verbs.ErrNotSupported)
	}
}

func typesNotOffered(e *env) {
	const rawPacket, driver = 8, 255
	s := e.side(conf())
	if !offersXRC(e.device(s.Ctx)) {
		e.refused("create_qp XRC_SEND", s.createQP(verbs.QPTypeXRCSend, s.Config.Cap), verbs.ErrNotSupported)
	}
	if e.target.Device.Software() == "" {
		e.Skip("hardware may offer raw packets and types of its driver")
	}
	for _, typ := range []verbs.QPType{rawPacket, driver} {
		e.refused("create_qp "+typ.String(), s.createQP(typ, s.Config.Cap), verbs.ErrNotSupported)
	}
}

func capsAboveLimits(e *env) {
	s := e.side(conf())
	d := e.device(s.Ctx)
	for what, cap := range map[string]verbs.QPCap{
		"send requests": {MaxSendWR: d.MaxQPWR + 1, MaxSendSGE: 1},
		"receives":      {MaxRecvWR: d.MaxQPWR + 1, MaxRecvSGE: 1},
		"send SGEs":     {MaxSendWR: 1, MaxSendSGE: d.MaxSGE + 1},
		"receive SGEs":  {MaxRecvWR: 1, MaxRecvSGE: d.MaxSGE + 1},
		"inline data":   {MaxSendWR: 1, MaxSendSGE: 1, MaxInlineData: 1 << 24},
	} {
		e.refused("create_qp with too many "+what, s.createQP(verbs.QPTypeRC, cap), syscall.EINVAL)
	}
}

func noCaps(e *env) {
	s := e.side(conf())
	e.ok(s.createQP(verbs.QPTypeRC, verbs.QPCap{}))
}

func badRegistrations(e *env) {
	e.together([]string{"rights", "unknown bits", "no memory"}, rightsTogether, accessBits, noMemory)
}

func badModifies(e *env) {
	e.together([]string{"moves", "missing bits", "more bits", "ports", "values"},
		illegalMoves, missingAttribute, extraAttribute, badPorts, limits)
}

func unknownAttributes(e *env) {
	a, b := e.inState(conf(), verbs.QPInit)
	attr, mask := a.Move(verbs.QPRTR, b)
	for bit := verbs.QPAttrMask(1 << 21); bit < 1<<25; bit <<= 1 {
		e.refused("modify_qp with "+bit.String(), a.QP.Modify(attr, mask|bit), verbs.ErrNotSupported)
	}
	a.IsIn(verbs.QPInit)
}

func badSends(e *env) {
	for _, state := range []verbs.QPState{verbs.QPReset, verbs.QPInit, verbs.QPRTR} {
		a, b := e.inState(conf(), state)
		_, err := a.TryPost(a.numbered(1, 1, b)...)
		e.refusedBelowRTS(state, err)
	}
	e.together([]string{"SGEs", "inline data"}, tooManySGEs, inlineTooLong)
}

func fullQueues(e *env) {
	e.together([]string{"sends", "receives"}, fullSendQueue, fullRecvQueue)
}

func badReceives(e *env) {
	s := e.side(conf())
	_, err := s.TryPostRecv(recv{})
	e.refused("post_recv in RESET", err, syscall.EINVAL)
	e.sub("on an SRQ", recvBesideSRQ)
}

func inUse(e *env) {
	e.together([]string{"domain", "CQ", "channel", "domain of an address handle", "SRQ", "QP in a group", "XRC domain"},
		busyDomain, busyCQ, channelDescriptor, handleUsesDomain, srqBusy, attachedIsBusy, xrcBusy)
}

func badGroups(e *env) {
	e.together([]string{"type", "group", "unknown"}, attachUDOnly, attachGroupsOnly, detachUnknown)
}

func noXRC(e *env) {
	if offersXRC(e.device(e.open())) {
		e.Skip("the device offers XRC")
	}
	xrcNotOffered(e)
}

func belowContent(e *env) {
	e.together([]string{"CQ", "SRQ", "limit of an SRQ"}, resizeBelowContent, srqResized, srqLimitTooHigh)
}

func waitsEnd(e *env) {
	e.together([]string{"completion", "asynchronous"}, getEventTimeout, asyncTimeout)
}
