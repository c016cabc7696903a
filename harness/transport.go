package harness

import (
	"errors"
	"fmt"
	"os"

	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/verbs"
)

// What transports other than RC need: UD an address handle and a Q_Key, XRC a domain, a
// second QP to receive by and a shared receive queue that every request names.

// qkey is perftest's Q_Key.
const qkey = 0x11111111

// receiveQueue takes receives: a QP or a shared receive queue.
type receiveQueue interface {
	PostRecv(wr *verbs.RecvWR) (bad *verbs.RecvWR, err error)
}

// receiveQueue returns what a QP of the worker receives from.
func (w *worker) receiveQueue(qp verbs.QP) receiveQueue {
	if w.srq != nil {
		return w.srq
	}
	return qp
}

// datagrams tells UD, which has SEND alone.
func (r *rig) datagrams() bool { return transport(r.plan) == verbs.QPTypeUD }

// openXRCD makes the domain of XRC.
func (r *rig) openXRCD() (err error) {
	if transport(r.plan) == verbs.QPTypeXRCSend {
		r.xrcd, err = r.cfg.Context.OpenXRCD(-1, os.O_CREATE)
	}
	return err
}

// createSRQ makes the shared receive queue of the worker's n QPs, if they have one.
func (w *worker) createSRQ(n int) (err error) {
	if r := w.rig; r.plan.SRQ() {
		init := verbs.SRQInitAttr{Attr: verbs.SRQAttr{MaxWR: r.queues.recvs * n, MaxSGE: 1}}
		if r.xrcd != nil {
			init.XRCD, init.CQ = r.xrcd, w.recvCQ
		}
		if w.srq, err = r.pd.CreateSRQ(&init); err != nil {
			return fmt.Errorf("a shared receive queue of %d: %w", init.Attr.MaxWR, err)
		}
	}
	return nil
}

// complete makes what a lane needs beside its QP.
func (w *worker) complete(l *lane) (err error) {
	if w.byQP == nil {
		w.byQP = map[uint32]*lane{}
	}
	num := l.qp.QPNum()
	if x := w.rig.xrcd; x != nil {
		if l.recvQP, err = x.CreateRecvQP(); err != nil {
			return err
		}
		num = l.recvQP.QPNum()
	}
	w.byQP[num] = l
	return nil
}

// xrc returns what the peer's requests of XRC name.
func (l *lane) xrc() (recvQP, srq uint32, err error) {
	if l.recvQP == nil {
		return 0, 0, nil
	}
	srq, err = l.worker.srq.Num()
	return l.recvQP.QPNum(), srq, err
}

// waits is the QP whose promise covers what this side waits for: of XRC, data of READs comes
// by one QP, and what the peer sends by the other.
func (l *lane) waits(op verbs.Opcode) verbs.QP {
	if l.recvQP != nil && op != verbs.OpRDMARead {
		return l.recvQP
	}
	return l.qp
}

// connectOne takes a lane's QPs to RTS.
func (r *rig) connectOne(l *lane, mine, theirs *oob.Endpoint) error {
	path, access := r.path(l.index), rights(r.plan)
	switch transport(r.plan) {
	case verbs.QPTypeUC:
		return verbs.ConnectUC(l.qp, path, access, mine.Endpoint, theirs.Endpoint)
	case verbs.QPTypeUD:
		return r.activate(l, path, mine, theirs)
	case verbs.QPTypeXRCSend:
		return connectXRC(l, path, access, mine, theirs)
	}
	return verbs.Connect(l.qp, path, access, mine.Endpoint, theirs.Endpoint)
}

// activate makes a QP of UD ready, and the address that all of them send to.
func (r *rig) activate(l *lane, path verbs.Path, mine, theirs *oob.Endpoint) error {
	if err := errors.Join(mine.Check(), theirs.Check()); err != nil {
		return err
	}
	if r.ah == nil {
		to := path.To(theirs.Endpoint)
		if r.plan.Multicast {
			group, err := r.groupOf(r.cfg.Role.other(), theirs)
			if err != nil {
				return err
			}
			to.GRH.DGID = group
		}
		ah, err := r.pd.CreateAH(&to)
		if err != nil {
			return err
		}
		r.ah, r.qkey = ah, qkey
	}
	if err := verbs.Activate(l.qp, path, qkey, mine.PSN); err != nil || !r.plan.Multicast {
		return err
	}
	return l.join(mine)
}

// connectXRC connects the QP that sends to the peer's that receives, and the other way.
func connectXRC(l *lane, path verbs.Path, access verbs.Access, mine, theirs *oob.Endpoint) error {
	toRecv, fromSend := theirs.Endpoint, theirs.Endpoint
	toRecv.QPNum = theirs.RecvQP
	return errors.Join(
		verbs.Connect(l.qp, path, access, mine.Endpoint, toRecv),
		verbs.Connect(l.recvQP, path, access, mine.Endpoint, fromSend))
}
