package verbstest

import "github.com/ibperf/ibperf/verbs"

// states are those that an RC QP can be moved to.
var states = []verbs.QPState{verbs.QPReset, verbs.QPInit, verbs.QPRTR, verbs.QPRTS, verbs.QPSQD, verbs.QPErr}

// path returns the moves that lead from RESET to the state.
func path(to verbs.QPState) []verbs.QPState {
	up := []verbs.QPState{verbs.QPInit, verbs.QPRTR, verbs.QPRTS}
	switch to {
	case verbs.QPReset:
		return nil
	case verbs.QPInit, verbs.QPRTR, verbs.QPRTS:
		return up[:to]
	}
	return append(up, to)
}

// inState makes two sides of which a is in the state, and b in RTS.
func (e *env) inState(c config, state verbs.QPState) (a, b *side) {
	e.Helper()
	a, b = e.side(c), e.side(c)
	b.enter(verbs.QPRTS, a)
	a.enter(state, b)
	return a, b
}

// enter takes the QP to the state by way of RESET.
func (s *side) enter(state verbs.QPState, peer *side) {
	s.Helper()
	s.to(verbs.QPReset, peer)
	for _, p := range path(state) {
		s.to(p, peer)
	}
}

// to moves the QP to the state, with the peer as its other end.
func (s *side) to(state verbs.QPState, peer *side) {
	s.Helper()
	attr, mask := s.move(state, peer)
	s.ok(s.qp.Modify(attr, mask))
	if state == verbs.QPSQD {
		s.drain()
	}
}

// drain waits until the send queue is drained, before which no other move is
// legal. A request that waits for a receive may keep it from that.
func (s *side) drain() {
	s.Helper()
	until(4*quiet, func() bool { return !s.query().SQDraining })
}

// move returns what Modify needs for the move to the state from the one below it.
func (s *side) move(state verbs.QPState, peer *side) (*verbs.QPAttr, verbs.QPAttrMask) {
	s.Helper()
	c, a := s.conf, &verbs.QPAttr{State: state}
	switch state {
	case verbs.QPInit:
		a.PortNum, a.AccessFlags, a.QKey = uint8(s.target.Port), c.qpAccess, c.qkey
	case verbs.QPRTR:
		if c.typ == verbs.QPTypeUD {
			break
		}
		a.PathMTU, a.DestQPNum, a.RQPSN = s.pathMTU(), peer.qp.QPNum(), peer.conf.psn
		a.MaxDestRdAtomic, a.MinRNRTimer = c.destRdAtomic, c.rnrTimer
		a.AH = s.addressOf(peer)
	case verbs.QPRTS:
		a.SQPSN, a.Timeout, a.RetryCnt, a.RNRRetry, a.MaxRdAtomic = c.psn, c.timeout, c.retry, c.rnrRetry, c.rdAtomic
	}
	return a, verbs.MaskState | required(c.typ, state)
}

// required are the attributes that the move to the state from the one below it
// needs. Those of RC serve both ends of XRC too.
func required(typ verbs.QPType, to verbs.QPState) verbs.QPAttrMask {
	const (
		init = verbs.MaskPort | verbs.MaskPKeyIndex
		path = verbs.MaskAV | verbs.MaskPathMTU | verbs.MaskDestQPN | verbs.MaskRQPSN
	)
	needs := map[verbs.QPType][3]verbs.QPAttrMask{
		verbs.QPTypeUC: {init | verbs.MaskAccessFlags, path, verbs.MaskSQPSN},
		verbs.QPTypeUD: {init | verbs.MaskQKey, 0, verbs.MaskSQPSN},
	}
	row, ok := needs[typ]
	if !ok {
		row = [3]verbs.QPAttrMask{
			init | verbs.MaskAccessFlags,
			path | verbs.MaskMaxDestRdAtomic | verbs.MaskMinRNRTimer,
			verbs.MaskSQPSN | verbs.MaskTimeout | verbs.MaskRetryCnt | verbs.MaskRNRRetry | verbs.MaskMaxRdAtomic,
		}
	}
	if to < verbs.QPInit || to > verbs.QPRTS {
		return 0
	}
	return row[to-verbs.QPInit]
}

// pathMTU is at most 1024 bytes, so that messages of a few KiB are several packets.
func (s *side) pathMTU() verbs.MTU { return min(s.env.port(s.ctx).ActiveMTU, verbs.MTU1024) }

func (s *side) addressOf(peer *side) verbs.AHAttr {
	return verbs.AHAttr{
		DLID: s.env.port(peer.ctx).LID, PortNum: uint8(s.target.Port), IsGlobal: true,
		GRH: verbs.GlobalRoute{DGID: s.gid(peer.ctx), SGIDIndex: uint8(s.target.GIDIndex), HopLimit: 64},
	}
}

// query asks for all attributes.
func (s *side) query() verbs.QPAttr {
	s.Helper()
	const every = verbs.MaskDestQPN<<1 - 1
	a, _, err := s.qp.Query(every)
	s.ok(err)
	return a
}

func (s *side) state() verbs.QPState {
	s.Helper()
	a, _, err := s.qp.Query(verbs.MaskState)
	s.ok(err)
	return a.State
}

// isIn checks the state, which does not change by itself now.
func (s *side) isIn(want verbs.QPState) {
	s.Helper()
	if got := s.state(); got != want {
		s.Errorf("QP %#x is in %s, want %s", s.qp.QPNum(), got, want)
	}
}

// comesTo waits for a state that the device moves the QP to.
func (s *side) comesTo(want verbs.QPState) {
	s.Helper()
	s.eventually("QP in "+want.String(), func() bool { return s.state() == want })
}
