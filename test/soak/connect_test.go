package soak

import "github.com/ibperf/ibperf/verbs"

// path has a timeout of 8 times 4.3 s: peers are stopped, and the machine may be busy.
var path = verbs.Path{Port: 1, Retries: &verbs.Retries{Timeout: 20, RetryCnt: 7, RNRRetry: 7, MinRNRTimer: 1}}

// greeting returns this side's endpoints, addresses and keys for the other side.
func (s *side) greeting() (controlMessage, error) {
	gid, err := s.ctx.QueryGID(1, 0)
	if err != nil {
		return controlMessage{}, err
	}
	m := controlMessage{Step: "greeting", Addr: s.mr.Addr(), RKey: s.mr.RKey(), Gone: s.goneMR}
	for i := range s.conns {
		m.Ends = append(m.Ends, endpoint(s.conns[i].qp, gid.GID))
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
	if err := l.tell(controlMessage{Step: "ready"}); err != nil {
		return err
	}
	_, err = l.hear("ready")
	return err
}

// connect takes the QPs to RTS.
func (s *side) connect(mine, far []verbs.Endpoint) error {
	for i := range s.conns {
		var err error
		switch qp := s.conns[i].qp; s.kind {
		case overUD:
			err = s.connectUD(qp, far[i])
		case overUC:
			err = verbs.ConnectUC(qp, path, allowed, mine[i], far[i])
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

func (s *side) connectUD(qp verbs.QP, far verbs.Endpoint) error {
	if err := verbs.Activate(qp, path, qkey, 0); err != nil {
		return err
	}
	to := path.To(far)
	ah, err := s.pd.CreateAH(&to)
	s.ah, err = own(s, ah, err)
	return err
}
