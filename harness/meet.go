package harness

import (
	"slices"

	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/result"
	"github.com/ibperf/ibperf/verbs"
)

// meet agrees on addresses, connects the QPs, asks both devices about data
// order, and decides which ways are measured.
func (s *session) meet() error {
	theirOffer, err := s.peer.Offer(s.rig.offer)
	if err != nil {
		return err
	}
	if s.cfg.Plan.RDMACM {
		s.rig.gid.Index = -1 // rdma_cm chooses
	} else if s.rig.gid, err = agreeGID(s.rig.offer, theirOffer, s.rig.gids); err != nil {
		return err
	}
	mine, err := s.rig.endpoints()
	if err != nil {
		return err
	}
	theirs, err := s.peer.Endpoints(mine)
	if err != nil {
		return err
	}
	connect := s.rig.connect
	if s.cfg.Plan.RDMACM {
		connect = s.connectCM
	}
	if err := connect(mine, theirs); err != nil {
		return err
	}
	if err := s.fit(theirOffer, min(mine[0].MTU, theirs[0].MTU)); err != nil {
		return mismatchf("%v", err)
	}
	return s.promises(mine[0].Endpoint, theirs[0].Endpoint)
}

// fit makes sizes fit into the longest message of both ports, where the transport has one that
// the plan does not know.
func (s *session) fit(theirs oob.Offer, mtu verbs.MTU) error {
	switch p := &s.cfg.Plan; {
	case !p.Limited():
		return nil
	case p.Transport == option.UD:
		return p.Fit(mtu.Bytes())
	default:
		return p.Fit(int(min(s.rig.offer.Longest, theirs.Longest)))
	}
}

// promises swaps the devices' answers and decides by them.
func (s *session) promises(here, there verbs.Endpoint) error {
	mine, err := s.rig.promise()
	if err != nil {
		return err
	}
	theirs, err := s.peer.Promise(mine) // also: both sides are in RTS
	if err != nil {
		return err
	}
	if err := checkPromise(theirs); err != nil {
		return err
	}
	if s.gate, err = newGate(&s.cfg.Plan, s.cfg.Role, mine, theirs); err != nil || s.run > 1 {
		return err
	}
	f := s.cfg.File
	f.Local, f.Peer = mine.Side, theirs.Side
	s.takePlaces(mine, theirs)
	f.Parameters = s.parameters(here, there)
	f.Warnings = append(f.Warnings, runWarnings(&s.cfg.Plan, s.gate, mine.Side, theirs.Side)...)
	f.Warnings = append(f.Warnings, pathWarnings(mine, theirs)...)
	return nil
}

// parameters are the plan as it is carried out.
func (s *session) parameters(here, there verbs.Endpoint) result.Parameters {
	r := result.Parameters{Plan: s.cfg.Plan}
	r.Inline, r.MTU = s.rig.inline, min(here.MTU, there.MTU).Bytes()
	if r.Fetches() && !r.Transport.Unordered() {
		r.Outs = int(min(here.RdAtomic, there.RdAtomic))
	}
	if first := s.scheme(0, 0); !first.exchange {
		r.CQMod = int(first.every) // of the first size; rows have their own
	}
	for i, w := range s.gate.ways {
		r.Relaxed = r.Relaxed || s.scheme(i, 0).relaxed
		if m := string(w.way.mode); !slices.Contains(r.Modes, m) {
			r.Modes = append(r.Modes, m)
		}
	}
	return r
}
