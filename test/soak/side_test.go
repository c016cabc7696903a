package soak

import (
	"errors"
	"os"

	"github.com/ibperf/ibperf/verbs"
)

const (
	maxConns = 2
	qkey     = 0x1234567
	allowed  = verbs.AccessLocalWrite | verbs.AccessRemoteWrite | verbs.AccessRemoteRead | verbs.AccessRemoteAtomic
	inline   = 64 // bytes
)

// side is one side of a session, with all its objects of the device. Package fixture cannot
// make it: its failures are errors, as processes are killed, and a side of SRQ and XRC has two QPs.
type side struct {
	plan
	layout
	role   int // 0: the side that asked for the session
	ctx    verbs.Context
	pd     verbs.PD
	mem    []byte
	mr     verbs.MR
	ch     verbs.CompChannel // nil without events
	cq     verbs.CQ
	srq    verbs.SRQ // nil without
	conns  []conn
	back   verbs.QP       // XRC: receives what the other side's conn sends
	ah     verbs.AH       // UD
	far    controlMessage // the other side's greeting
	gone   []byte         // deregistered memory
	goneMR region
	wc     []verbs.WC
	send   []verbs.SendWR
	recv   []verbs.RecvWR
	sge    []verbs.SGE

	undo []func() error
}

// conn is a QP that sends.
type conn struct {
	qp   verbs.QP
	room int    // requests that it takes
	word uint64 // what the atomic operations have made of the other side's word
}

// own closes an object with the side.
func own[T interface{ Close() error }](s *side, v T, err error) (T, error) {
	if err == nil {
		s.undo = append(s.undo, v.Close)
	}
	return v, err
}

// close closes all objects in reverse order.
func (s *side) close() error {
	var all []error
	for i := len(s.undo) - 1; i >= 0; i-- {
		all = append(all, s.undo[i]())
	}
	return errors.Join(all...)
}

// open makes all objects, without connecting the QPs.
func (s *side) open(contexts *contexts) (err error) {
	if s.ctx, err = contexts.get(s); err != nil {
		return err
	}
	if s.pd, err = s.ctx.AllocPD(); err != nil {
		return err
	}
	own(s, s.pd, nil)
	for _, step := range []func() error{s.openMemory, s.openRequests, s.openCQ, s.openSRQ, s.openQPs, s.openGone} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (s *side) openMemory() error {
	buf, err := verbs.NewBuffer(s.total)
	if _, err = own(s, buf, err); err != nil {
		return err
	}
	s.mem = buf.Bytes()
	copy(s.mem[s.static:], payload(s.seed, s.role, staticSlot, 0, s.size))
	mr, err := s.pd.RegMR(s.mem, allowed)
	s.mr, err = own(s, mr, err)
	return err
}

func (s *side) openRequests() (err error) {
	if s.send, err = ours[verbs.SendWR](s, 2); err != nil {
		return err
	}
	if s.recv, err = ours[verbs.RecvWR](s, 1); err != nil {
		return err
	}
	if s.sge, err = ours[verbs.SGE](s, 4); err != nil {
		return err
	}
	s.wc, err = ours[verbs.WC](s, 16)
	return err
}

func ours[T verbs.Request](s *side, n int) ([]T, error) {
	a, err := verbs.Make[T](n)
	if err == nil {
		s.undo = append(s.undo, func() error { return verbs.Free(a) })
	}
	return a, err
}

func (s *side) openCQ() error {
	if s.events {
		ch, err := s.ctx.CreateCompChannel()
		if s.ch, err = own(s, ch, err); err != nil {
			return err
		}
	}
	cq, err := s.ctx.CreateCQ(maxConns*(s.sendDepth()+s.depth), s.ch, 0)
	s.cq, err = own(s, cq, err)
	return err
}

// sendDepth returns the depth of a send queue: a slot may have two requests, and a slot of the
// other side an answer.
func (s *side) sendDepth() int { return 4 * s.slots }

func (s *side) openSRQ() error {
	init := verbs.SRQInitAttr{Attr: verbs.SRQAttr{MaxWR: s.depth, MaxSGE: 1}}
	switch s.kind {
	case overXRC:
		x, err := s.ctx.OpenXRCD(-1, os.O_CREATE)
		if init.XRCD, err = own(s, x, err); err != nil {
			return err
		}
		init.CQ = s.cq
		qp, err := init.XRCD.CreateRecvQP()
		if s.back, err = own(s, qp, err); err != nil {
			return err
		}
	case overSRQ:
	default:
		return nil
	}
	srq, err := s.pd.CreateSRQ(&init)
	s.srq, err = own(s, srq, err)
	if err == nil && s.seed%2 == 0 {
		err = s.srq.Modify(verbs.SRQAttr{Limit: s.depth / 2}, verbs.SRQLimit)
	}
	return err
}

func (s *side) openQPs() error {
	types := map[kind]verbs.QPType{overRC: verbs.QPTypeRC, overSRQ: verbs.QPTypeRC, overXRC: verbs.QPTypeXRCSend, overUC: verbs.QPTypeUC, overUD: verbs.QPTypeUD}
	s.conns = make([]conn, 1, maxConns)
	if s.kind == overSRQ {
		s.conns = s.conns[:maxConns]
	}
	for i := range s.conns {
		init := verbs.QPInitAttr{SendCQ: s.cq, RecvCQ: s.cq, Type: types[s.kind],
			Cap: verbs.QPCap{MaxSendWR: s.sendDepth(), MaxSendSGE: 2, MaxInlineData: inline}}
		switch s.kind {
		case overSRQ:
			init.SRQ = s.srq
		case overXRC:
			init.RecvCQ = nil
		default:
			init.Cap.MaxRecvWR, init.Cap.MaxRecvSGE = s.depth, 1
		}
		qp, err := s.pd.CreateQP(&init)
		if qp, err = own(s, qp, err); err != nil {
			return err
		}
		s.conns[i] = conn{qp: qp, room: s.sendDepth()}
	}
	return nil
}

// openGone registers and deregisters memory.
func (s *side) openGone() error {
	if !s.revoked {
		return nil
	}
	buf, err := verbs.NewBuffer(s.size)
	if _, err = own(s, buf, err); err != nil {
		return err
	}
	s.gone = buf.Bytes()
	copy(s.gone, noise)
	mr, err := s.pd.RegMR(s.gone, allowed)
	if err != nil {
		return err
	}
	s.goneMR = region{mr.Addr(), mr.RKey()}
	return mr.Close()
}
