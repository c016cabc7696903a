package harness

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/verbs"
)

// What transports other than RC need: UD and SRD an address handle and a Q_Key, XRC a domain,
// a second QP to receive by and a shared receive queue that every request names.

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

// datagrams tells UD and SRD, whose requests each name their peer. What is to be known of them
// is known by their own completions: UD has no empty WRITE, and SRD no order.
func (r *rig) datagrams() bool { return r.plan.Transport == option.UD || r.anyOrder() }

// anyOrder tells SRD, whose requests overtake each other.
func (r *rig) anyOrder() bool { return r.plan.Transport.Unordered() }

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

// lacking adds to the error of a call that the device does not support which transport it lacks.
func (r *rig) lacking(err error) error {
	if !errors.Is(err, verbs.ErrNotSupported) {
		return err
	}
	device := r.cfg.Context.Device().Name()
	switch t := r.plan.Transport; {
	case t == option.SRD:
		return fmt.Errorf("%w; SRD is a transport of EFA devices, of which some have no WRITE, or READ: see ib_caps -d %s", err, device)
	case t == option.RC && r.offersSRD():
		return fmt.Errorf("%w; device %s has no RC, try -c SRD", err, device)
	}
	return err
}

// offersSRD tells whether the device has QPs of SRD.
func (r *rig) offersSRD() bool {
	cq, err := r.cfg.Context.CreateCQ(1, nil, 0)
	if err != nil {
		return false
	}
	defer cq.Close()
	qp, err := r.pd.CreateQP(&verbs.QPInitAttr{
		SendCQ: cq, RecvCQ: cq, Type: verbs.QPTypeSRD, Cap: verbs.QPCap{MaxSendWR: 1, MaxRecvWR: 1, MaxSendSGE: 1, MaxRecvSGE: 1},
	})
	return err == nil && qp.Close() == nil
}

// checkLength refuses WRITEs and READs that are longer than the device's longest of SRD.
func (w *worker) checkLength(init *verbs.QPInitAttr) error {
	p, most := w.rig.plan, init.MaxRDMASize
	if longest := slices.Max(p.Sizes); most > 0 && !p.Limited() && longest > most {
		return fmt.Errorf("--size %d: over SRD a WRITE or READ of device %s has %d bytes at most (efadv_query_device: max_rdma_size)",
			longest, w.rig.cfg.Context.Device().Name(), most)
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
	case verbs.QPTypeUD, verbs.QPTypeSRD:
		return r.activate(l, path, mine, theirs)
	case verbs.QPTypeXRCSend:
		return connectXRC(l, path, access, mine, theirs)
	}
	return verbs.Connect(l.qp, path, access, mine.Endpoint, theirs.Endpoint)
}

// activate makes a QP of UD or SRD ready, and the address that all of them send to.
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
