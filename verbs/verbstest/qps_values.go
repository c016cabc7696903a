package verbstest

import (
	"errors"
	"syscall"

	"github.com/ibperf/ibperf/verbs"
)

// spoiled tries the move with one attribute changed and returns the error.
func (s *side) spoiled(to verbs.QPState, peer *side, spoil func(*verbs.QPAttr)) error {
	s.Helper()
	from := to - 1
	s.Enter(from, peer)
	attr, mask := s.Move(to, peer)
	spoil(attr)
	err := s.QP.Modify(attr, mask)
	if err != nil {
		s.IsIn(from)
	}
	return err
}

func badPorts(e *env) {
	a, b := e.side(conf()), e.side(conf())
	for _, port := range []uint8{0, uint8(e.device(a.Ctx).PhysPortCount + 1)} {
		e.refused("port_num", a.spoiled(verbs.QPInit, b, func(q *verbs.QPAttr) { q.PortNum = port }), syscall.EINVAL)
		e.refused("ah_attr.port_num", a.spoiled(verbs.QPRTR, b, func(q *verbs.QPAttr) { q.AH.PortNum = port }), syscall.EINVAL)
	}
}

func badAddress(e *env) {
	a, b := e.side(conf()), e.side(conf())
	port := e.port(a.Ctx)
	if !port.GRHRequired {
		e.Skip("the port does not require a GRH")
	}
	e.refused("is_global 0", a.spoiled(verbs.QPRTR, b, func(q *verbs.QPAttr) { q.AH.IsGlobal = false }), syscall.EINVAL)
	if i := emptyGID(a.Ctx, e.target.Port, min(port.GIDTableLen, 256)); i >= 0 {
		err := a.spoiled(verbs.QPRTR, b, func(q *verbs.QPAttr) { q.AH.GRH.SGIDIndex = uint8(i) })
		e.refused("sgid_index of an empty entry", err, syscall.ENODATA)
	}
}

func limits(e *env) {
	a, b := e.side(conf()), e.side(conf())
	port, d := e.port(a.Ctx), e.device(a.Ctx)
	e.refused("path_mtu", a.spoiled(verbs.QPRTR, b, func(q *verbs.QPAttr) { q.PathMTU = port.MaxMTU + 1 }), syscall.EINVAL)
	e.refused("timeout", a.spoiled(verbs.QPRTS, b, func(q *verbs.QPAttr) { q.Timeout = 32 }), syscall.EINVAL)
	if limit := d.MaxQPInitRdAtom; limit < 255 {
		e.refused("max_rd_atomic", a.spoiled(verbs.QPRTS, b, func(q *verbs.QPAttr) { q.MaxRdAtomic = uint8(limit + 1) }), syscall.EINVAL)
	}
}

func moreLimits(e *env) {
	a, b := e.side(conf()), e.side(conf())
	d, port := e.device(a.Ctx), e.port(a.Ctx)
	for _, v := range []struct {
		quirk string
		what  string
		to    verbs.QPState
		spoil func(q *verbs.QPAttr)
	}{
		{"Q20", "pkey_index", verbs.QPInit, func(q *verbs.QPAttr) { q.PKeyIndex = uint16(port.PKeyTblLen) }},
		{"Q34", "qp_access_flags", verbs.QPInit, func(q *verbs.QPAttr) { q.AccessFlags = 0x8000 }},
		{"Q20", "path_mtu 0", verbs.QPRTR, func(q *verbs.QPAttr) { q.PathMTU = 0 }},
		{"Q20", "max_dest_rd_atomic", verbs.QPRTR, func(q *verbs.QPAttr) { q.MaxDestRdAtomic = uint8(min(d.MaxQPRdAtomic+1, 255)) }},
		{"Q20", "retry_cnt", verbs.QPRTS, func(q *verbs.QPAttr) { q.RetryCnt = 9 }},
	} {
		err := a.spoiled(v.to, b, v.spoil)
		checkValue(e, v.quirk, v.what+" refused", errors.Is(err, syscall.EINVAL), true, false)
	}
}

func changedInSQD(e *env) {
	e.needsSQD()
	a, b := e.inState(conf(), verbs.QPSQD)
	e.ok(a.QP.Modify(
		&verbs.QPAttr{State: verbs.QPSQD, Timeout: 15, RetryCnt: 2, RNRRetry: 1, MinRNRTimer: 13},
		verbs.MaskState|verbs.MaskTimeout|verbs.MaskRetryCnt|verbs.MaskRNRRetry|verbs.MaskMinRNRTimer,
	))
	if q := a.Query(); q.State != verbs.QPSQD || q.Timeout != 15 || q.RetryCnt != 2 || q.RNRRetry != 1 || q.MinRNRTimer != 13 {
		e.Errorf("%+v", q)
	}
	a.Drain()
	e.ok(a.QP.Modify(&verbs.QPAttr{State: verbs.QPRTS}, verbs.MaskState))
	a.writesTo(b)
}

func alternatePath(e *env) {
	a, b := e.inState(conf(), verbs.QPInit)
	if link := e.port(a.Ctx).LinkLayer; link != verbs.LinkEthernet {
		e.Skipf("the link is %s, not Ethernet", link)
	}
	attr, mask := a.Move(verbs.QPRTR, b)
	e.refused("ALT_PATH", a.QP.Modify(attr, mask|verbs.MaskAltPath), syscall.EINVAL)
	a.Enter(verbs.QPRTS, b)
	e.ok(a.QP.Modify(&verbs.QPAttr{State: verbs.QPRTS}, verbs.MaskState|verbs.MaskPathMigState))
	a.IsIn(verbs.QPRTS)
}
