package harness

import (
	"fmt"

	"github.com/ibperf/ibperf/verbs"
)

// introduce makes QPs of UD ready: each side asks the other one for the address of each QP, first
// the client, since who is asked learns nothing of who asks.
func (s *session) introduce(manager verbs.ConnManager) error {
	l, here, err := s.listenCM(manager, verbs.CMDatagrams)
	if err != nil {
		return err
	}
	defer l.Close()
	there, err := s.peer.Rendezvous(here)
	if err != nil {
		return err
	}
	ask := func() error {
		for i, lane := range s.rig.lanes() {
			if err := s.ask(manager, verbs.CMDatagrams, lane, i, there); err != nil {
				return err
			}
			if err := s.rig.meetOne(lane); err != nil {
				return err
			}
		}
		return nil
	}
	answer := func() error { return s.answerAll(l, here.Token) }
	if s.cfg.Role == Client {
		return both(ask, answer)()
	}
	return both(answer, ask)()
}

// answerAll tells the peer the addresses of all QPs.
func (s *session) answerAll(l verbs.CMListener, token uint64) error {
	for range s.rig.lanes() {
		c, lane, err := s.requestOf(l, token)
		if err != nil {
			return err
		}
		defer c.Close() // not before the peer has all answers
		if err := c.Accept(verbs.CMParam{QPNum: lane.qp.QPNum()}); err != nil {
			return &DeviceError{err}
		}
	}
	return nil
}

// meetOne makes a lane's QP ready, by what the peer has told of its own.
func (r *rig) meetOne(l *lane) error {
	to := l.cm.Datagrams()
	if to.QPNum != l.peer.QPNum {
		return fmt.Errorf("rdma_cm leads to QP %#x, and the peer has %#x", to.QPNum, l.peer.QPNum)
	}
	if err := verbs.ActivateCM(l.qp, l.cm, l.own.PSN); err != nil {
		return &DeviceError{err}
	}
	if r.ah != nil {
		return nil
	}
	ah, err := r.pd.CreateAH(&to.AH)
	if err != nil {
		return &DeviceError{err}
	}
	r.ah, r.qkey = ah, to.QKey
	return nil
}
