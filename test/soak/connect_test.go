package soak

import "github.com/ibperf/ibperf/verbs"

// path has a timeout of 8 times 4.3 s: peers are stopped, and the machine may be busy.
var path = verbs.Path{Port: 1, Retries: &verbs.Retries{Timeout: 20, RetryCnt: 7, RNRRetry: 7, MinRNRTimer: 1}}

// greeting is what the other side must know.
func (s *side) greeting() (told, error) {
	gid, err := s.ctx.QueryGID(1, 0)
	if err != nil {
		return told{}, err
	}
	m := told{Step: "greeting", Addr: s.mr.Addr(), RKey: s.mr.RKey(), Gone: s.goneMR}
	for i := range s.lanes {
		m.Ends = append(m.Ends, endpoint(s.lanes[i].qp, gid.GID))
	}
	if s.back != nil {
		m.Ends = append(m.Ends, endpoint(s.back, gid.GID))
		m.SRQ, err = s.srq.Num()
	}
	return m, err
}

func endpoint(qp verbs.QP, gid verbs.GID) verbs.Endpoint {
	return verbs.Endpoint{QPNum: qp.QPNum(), PSN: 7, GID: gid, MTU: verbs.MTU4096, RdAtomic: 16}
}

// meet greets the other side, connects the QPs and posts all receives.
func (s *side) meet(l *line) error {
	mine, err := s.greeting()
	if err != nil {
		return err
	}
	if err = l.tell(mine); err != nil {
		return err
	}
	if s.far, err = l.hear("greeting"); err != nil {
		return err
	}
	if err := s.connect(mine.Ends, s.far.Ends); err != nil {
		return err
	}
	for i := range s.depth {
		if err := s.postReceive(i); err != nil {
			return err
		}
	}
	if err := l.tell(told{Step: "ready"}); err != nil {
		return err
	}
	_, err = l.hear("ready")
	return err
}

// connect takes the QPs to RTS.
func (s *side) connect(mine, far []verbs.Endpoint) error {
	for i := range s.lanes {
		var err error
		switch qp := s.lanes[i].qp; s.kind {
		case overUD:
			err = s.connectUD(qp, far[i])
		case overUC:
			err = connectUC(qp, far[i])
		case overXRC:
			if err = verbs.Connect(qp, path, allowed, mine[0], far[1]); err == nil {
				err = verbs.Connect(s.back, path, allowed, mine[1], far[0])
			}
		default:
			err = verbs.Connect(qp, path, allowed, mine[i], far[i])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func address(far verbs.Endpoint) verbs.AHAttr {
	return verbs.AHAttr{IsGlobal: true, GRH: verbs.GlobalRoute{DGID: far.GID, HopLimit: verbs.ConnectHopLimit}, PortNum: 1}
}

func connectUC(qp verbs.QP, far verbs.Endpoint) error {
	const route = verbs.MaskAV | verbs.MaskPathMTU | verbs.MaskDestQPN | verbs.MaskRQPSN
	err := qp.Modify(&verbs.QPAttr{State: verbs.QPInit, PortNum: 1, AccessFlags: allowed},
		verbs.MaskState|verbs.MaskPKeyIndex|verbs.MaskPort|verbs.MaskAccessFlags)
	if err == nil {
		err = qp.Modify(&verbs.QPAttr{State: verbs.QPRTR, AH: address(far), PathMTU: far.MTU, DestQPNum: far.QPNum, RQPSN: far.PSN},
			verbs.MaskState|route)
	}
	if err == nil {
		err = qp.Modify(&verbs.QPAttr{State: verbs.QPRTS, SQPSN: far.PSN}, verbs.MaskState|verbs.MaskSQPSN)
	}
	return err
}

func (s *side) connectUD(qp verbs.QP, far verbs.Endpoint) error {
	err := qp.Modify(&verbs.QPAttr{State: verbs.QPInit, PortNum: 1, QKey: qkey},
		verbs.MaskState|verbs.MaskPKeyIndex|verbs.MaskPort|verbs.MaskQKey)
	if err == nil {
		err = qp.Modify(&verbs.QPAttr{State: verbs.QPRTR}, verbs.MaskState)
	}
	if err == nil {
		err = qp.Modify(&verbs.QPAttr{State: verbs.QPRTS}, verbs.MaskState|verbs.MaskSQPSN)
	}
	if err != nil {
		return err
	}
	to := address(far)
	ah, err := s.pd.CreateAH(&to)
	s.ah, err = own(s, ah, err)
	return err
}
